// What a search finds, and who may see it: the section of each, as scopes name it.
import { includesScope, mayRead, READ_NUMBERS } from '../../accounts/scopes.ts'

export const FOUND_TYPES = [
  'contact',
  'email',
  'received_email',
  'domain',
  'broadcast',
  'template',
  'automation',
  'segment',
  'topic',
  'contact_property',
  'webhook',
  'event',
  'api_key',
  'suppression',
  'log',
  'contact_import',
  'oauth_grant',
  'automation_run',
  'webhook_event',
] as const
export type FoundType = (typeof FOUND_TYPES)[number]

const SECTIONS: Record<FoundType, string> = {
  contact: 'contacts',
  email: 'emails',
  received_email: 'received-emails',
  domain: 'domains',
  broadcast: 'broadcasts',
  template: 'templates',
  automation: 'automations',
  segment: 'segments',
  topic: 'topics',
  contact_property: 'contact-properties',
  webhook: 'webhooks',
  event: 'events',
  api_key: 'api-keys',
  suppression: 'suppressions',
  log: 'logs',
  contact_import: 'contact-imports',
  oauth_grant: 'oauth',
  automation_run: 'automations',
  webhook_event: 'webhooks',
}

/** Their names are not personal data: anyone who reads numbers sees them. */
const NAMED_BESIDE_NUMBERS: readonly FoundType[] = ['domain', 'broadcast', 'segment']

export const typesFor = (caller: { scopes?: readonly string[] }): FoundType[] =>
  FOUND_TYPES.filter(
    (type) => mayRead(caller, SECTIONS[type]) || (NAMED_BESIDE_NUMBERS.includes(type) && includesScope(caller.scopes ?? [], READ_NUMBERS)),
  )
