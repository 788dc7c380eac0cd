// Where the page of a record is.
import type { FoundRecord } from '../../repositories/team/record-searches.ts'

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
}

export function recordAddress({ kind, id, name, parentId }: FoundRecord): string {
  if (parentId !== null) return `${PLACES[kind]}/${parentId}/runs/${id}`
  return kind === 'suppression' ? `${PLACES[kind]}?${new URLSearchParams({ q: name })}` : `${PLACES[kind]}/${id}`
}
