import { CircleUser } from 'lucide-react'
import type { Section } from '../shell/sections'

export const accountSection: Section = {
  name: 'Your account',
  path: 'account',
  // The menu of the account leads to it.
  group: 'none',
  icon: CircleUser,
  scopes: [],
  pages: { '': () => import('./AccountPage') },
}
