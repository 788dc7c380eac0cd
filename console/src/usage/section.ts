import { Gauge } from 'lucide-react'
import type { Section } from '../shell/sections'

export const usageSection: Section = {
  name: 'Usage',
  path: 'usage',
  group: 'Team',
  icon: Gauge,
  scopes: ['numbers:read'],
  pages: { '': () => import('./UsagePage') },
}
