import { Plug } from 'lucide-react'
import type { Section } from '../shell/sections'

export const grantsSection: Section = {
  name: 'Connected apps',
  path: 'grants',
  group: 'Developers',
  icon: Plug,
  scopes: ['oauth:read'],
  pages: { '': () => import('./GrantsPage') },
}
