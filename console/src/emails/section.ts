import { Mail } from 'lucide-react'
import type { Section } from '../shell/sections'

export const emailsSection: Section = {
  name: 'Emails',
  path: 'emails',
  group: 'Mail',
  icon: Mail,
  scopes: ['emails:read'],
  pages: { '': () => import('./EmailsPage'), $emailId: () => import('./EmailPage') },
}
