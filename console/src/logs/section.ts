import { ScrollText } from 'lucide-react'
import type { Section } from '../shell/sections'

export const logsSection: Section = {
  name: 'Logs',
  path: 'logs',
  group: 'Developers',
  icon: ScrollText,
  scopes: ['logs:read'],
  pages: { '': () => import('./LogsPage'), $logId: () => import('./LogPage') },
}
