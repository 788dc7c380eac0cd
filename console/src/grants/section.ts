import { Plug } from 'lucide-react'
import type { Section } from '../shell/sections'

export const grantsSection: Section = {
  name: 'Grants',
  path: 'grants',
  group: 'Developers',
  icon: Plug,
  scopes: ['oauth:read'],
  pages: { '': () => import('./GrantsPage') },
}
