// Where the page of a record is.

import type { FoundRecord } from '../../modules/console/search/record-searches.repository.ts'
import { webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'

const PLACES: Record<FoundRecord['type'], string> = {
  contact: '/console/contacts',
  domain: '/console/domains',
  broadcast: '/console/broadcasts',
  template: '/console/templates',
  automation: '/console/automations',
  segment: '/console/segments',
  topic: '/console/topics',
  contact_property: '/console/properties',
  webhook: '/console/webhooks',
  event: '/console/events',
  api_key: '/console/api-keys',
  email: '/console/emails',
  suppression: '/console/suppressions',
  log: '/console/logs',
  automation_run: '/console/automations',
  received_email: '/console/received',
  contact_import: '/console/imports',
  oauth_grant: '/console/grants',
  webhook_event: '/console/webhooks',
}

export function recordAddress({ type, id, title, parentId }: FoundRecord): string {
  if (type === 'webhook_event') return `${PLACES[type]}/${parentId}/events/${webhookEventId(id)}`
  if (parentId !== null) return `${PLACES[type]}/${parentId}/runs/${id}`
  // The list has all that there is to see of a grant.
  if (type === 'oauth_grant') return PLACES[type]
  return type === 'suppression' ? `${PLACES[type]}?${new URLSearchParams({ q: title })}` : `${PLACES[type]}/${id}`
}
