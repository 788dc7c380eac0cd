// What people read in place of the scopes of the API. A test (test/house/console-words.test.ts) fails if one has no words.

/** Scopes that are not of the form `emails:read`, each as a sentence. */
export const SCOPE_WORDS: Readonly<Record<string, string>> = {
  full_access: 'Do everything that the person who allowed it may do',
  'emails:send': 'Send emails and broadcasts',
  'broadcasts:send': 'Send broadcasts, and what automations send',
  'emails:resend': 'Send an email again, to its own recipients',
  'contacts:subscriptions': 'Unsubscribe contacts, and change their topics',
  'suppressions:delete': 'Take addresses off the suppression list',
  'numbers:read': 'Read counts, and the names of broadcasts, segments and domains',
}

/** What the sections of the API hold. */
export const SECTION_WORDS: Readonly<Record<string, string>> = {
  emails: 'emails',
  'received-emails': 'received emails',
  templates: 'templates',
  images: 'images',
  domains: 'domains',
  'contact-properties': 'properties of contacts',
  topics: 'topics',
  segments: 'segments',
  contacts: 'contacts',
  'contact-imports': 'imports',
  broadcasts: 'broadcasts',
  events: 'events',
  automations: 'automations',
  suppressions: 'suppressed addresses',
  webhooks: 'webhooks',
  audiences: 'segments (under the former name audiences)',
  'api-keys': 'API keys',
  team: 'the settings of the team',
  members: 'members and invitations',
  oauth: 'connected apps',
  'audit-log': 'the audit log',
  logs: 'logs',
}

export const SCOPE_SENTENCES = {
  read: (what: string) => `Read ${what}`,
  change: (what: string) => `Read and change ${what}`,
  changeOnly: (what: string) => `Change ${what}`,
  and: ' and ',
}
