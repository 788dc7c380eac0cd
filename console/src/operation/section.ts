import { Building2 } from 'lucide-react'
import type { Section } from '../shell/sections'

export const teamsSection: Section = {
  name: 'Teams',
  path: 'teams',
  group: 'Operation',
  icon: Building2,
  scopes: [],
  isOperators: true,
  pages: { '': () => import('./TeamsPage'), $teamId: () => import('./TeamPage') },
}
