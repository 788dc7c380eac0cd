import { Webhook } from 'lucide-react'
import type { Section } from '../shell/sections'

export const webhooksSection: Section = {
  name: 'Webhooks',
  path: 'webhooks',
  group: 'Developers',
  icon: Webhook,
  scopes: ['webhooks:read'],
  pages: {
    '': () => import('./WebhooksPage'),
    $webhookId: () => import('./WebhookPage'),
    '$webhookId/events/$eventId': () => import('./WebhookEventPage'),
  },
}
