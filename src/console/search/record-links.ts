// Where the page of a record is.

import { webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'
import type { FoundRecord } from './record-searches.repository.ts'

const PLACES: Record<FoundRecord['kind'], string> = {
  contact: '/console/contacts',
  domain: '/console/domains',
  broadcast: '/console/broadcasts',
  template: '/console/templates',
  automation: '/console/automations',
  segment: '/console/segments',
  topic: '/console/topics',
  property: '/console/properties',
  webhook: '/console/webhooks',
  event: '/console/events',
  'API key': '/console/api-keys',
  email: '/console/emails',
  suppression: '/console/suppressions',
  log: '/console/logs',
  run: '/console/automations',
  'received email': '/console/received',
  import: '/console/imports',
  grant: '/console/grants',
  'webhook event': '/console/webhooks',
}

export function recordAddress({ kind, id, name, parentId }: FoundRecord): string {
  if (kind === 'webhook event') return `${PLACES[kind]}/${parentId}/events/${webhookEventId(id)}`
  if (parentId !== null) return `${PLACES[kind]}/${parentId}/runs/${id}`
  // The list has all that there is to see of a grant.
  if (kind === 'grant') return PLACES[kind]
  return kind === 'suppression' ? `${PLACES[kind]}?${new URLSearchParams({ q: name })}` : `${PLACES[kind]}/${id}`
}
