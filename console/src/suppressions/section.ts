import { MailX } from 'lucide-react'
import type { Section } from '../shell/sections'

export const suppressionsSection: Section = {
  name: 'Suppressions',
  path: 'suppressions',
  group: 'Mail',
  icon: MailX,
  scopes: ['suppressions:read'],
  pages: { '': () => import('./SuppressionsPage'), $suppressionId: () => import('./SuppressionPage') },
}
