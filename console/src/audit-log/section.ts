import { History } from 'lucide-react'
import type { Section } from '../shell/sections'

export const auditLogSection: Section = {
  name: 'Audit log',
  path: 'audit-log',
  group: 'Team',
  icon: History,
  scopes: ['audit-log:read'],
  pages: { '': () => import('./AuditLogPage'), $entryId: () => import('./AuditEntryPage') },
}
