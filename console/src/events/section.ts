import { Zap } from 'lucide-react'
import type { Section } from '../shell/sections'

export const eventsSection: Section = {
  name: 'Events',
  path: 'events',
  group: 'Developers',
  icon: Zap,
  scopes: ['events:read'],
  pages: { '': () => import('./EventsPage'), $eventId: () => import('./EventPage') },
}
