import { House } from 'lucide-react'
import type { Section } from '../shell/sections'

export const overviewSection: Section = {
  name: 'Overview',
  path: '',
  group: 'top',
  icon: House,
  scopes: [],
  pages: { '': () => import('./OverviewPage') },
}
