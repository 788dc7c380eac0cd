import { Megaphone } from 'lucide-react'
import type { Section } from '../shell/sections'

export const broadcastsSection: Section = {
  name: 'Broadcasts',
  path: 'broadcasts',
  group: 'Mail',
  icon: Megaphone,
  scopes: ['broadcasts:read'],
  pages: {
    '': () => import('./BroadcastsPage'),
    new: () => import('./NewDraftPage'),
    $broadcastId: () => import('./BroadcastPage'),
    '$broadcastId/edit': () => import('./EditDraftPage'),
    '$broadcastId/send': () => import('./SendPage'),
    '$broadcastId/recipients': () => import('./RecipientsPage'),
  },
}
