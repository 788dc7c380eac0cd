import { Users } from 'lucide-react'
import type { Section } from '../shell/sections'

export const membersSection: Section = {
  name: 'Members',
  path: 'members',
  group: 'Team',
  icon: Users,
  scopes: ['members:read'],
  pages: { '': () => import('./MembersPage') },
}
