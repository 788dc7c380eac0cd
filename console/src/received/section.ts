import { Inbox } from 'lucide-react'
import type { Section } from '../shell/sections'

export const receivedSection: Section = {
  name: 'Received',
  path: 'received',
  group: 'Mail',
  icon: Inbox,
  scopes: ['received-emails:read'],
  pages: { '': () => import('./ReceivedPage'), $receivedId: () => import('./ReceivedEmailPage') },
}
