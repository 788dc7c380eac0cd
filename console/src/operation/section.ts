import { Activity, Building2, Gauge, ListOrdered } from 'lucide-react'
import type { Section } from '../shell/sections'

const ofOperators = { group: 'Operation', scopes: [], isOperators: true } as const

export const queueSection: Section = {
  ...ofOperators,
  name: 'Queue',
  path: 'queue',
  icon: ListOrdered,
  pages: { '': () => import('./QueuePage') },
}
export const healthSection: Section = {
  ...ofOperators,
  name: 'Health',
  path: 'health',
  icon: Activity,
  pages: { '': () => import('./HealthPage') },
}
export const deliverabilitySection: Section = {
  ...ofOperators,
  name: 'Deliverability',
  path: 'deliverability',
  icon: Gauge,
  pages: { '': () => import('./DeliverabilityPage') },
}
export const teamsSection: Section = {
  ...ofOperators,
  name: 'Teams',
  path: 'teams',
  icon: Building2,
  pages: { '': () => import('./TeamsPage'), $teamId: () => import('./TeamPage') },
}
