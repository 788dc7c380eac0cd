// The sections of the OpenAPI document, in its order: sending first, and properties, topics and segments before the contacts whose examples need them.

export type Section = { name: string; description: string }

export const SECTIONS = {
  emails: { name: 'Emails', description: 'Send, schedule, track and cancel emails.' },
  receivedEmails: { name: 'Received emails', description: 'Emails that the domains of your team received.' },
  templates: { name: 'Templates', description: 'Emails that are written once and sent many times, with variables.' },
  images: { name: 'Images', description: 'Pictures for emails and public pages, each at an address that never changes.' },
  domains: { name: 'Domains', description: 'The domains that a team sends from, with the DNS records that prove it.' },
  contactProperties: { name: 'Contact properties', description: 'Fields that a team adds to its contacts.' },
  topics: { name: 'Topics', description: 'Kinds of email that contacts can opt in to or out of.' },
  segments: { name: 'Segments', description: 'Groups of contacts, added one by one or selected by a filter.' },
  contacts: { name: 'Contacts', description: 'The people to whom a team sends email.' },
  contactImports: { name: 'Contact imports', description: 'Create and update contacts from a CSV file.' },
  broadcasts: { name: 'Broadcasts', description: 'Send one email to everyone in a segment.' },
  events: { name: 'Events', description: 'What contacts do elsewhere, such as placing an order, sent under names of your own.' },
  automations: { name: 'Automations', description: 'Graphs of steps that send emails to contacts after an event.' },
  suppressions: { name: 'Suppressions', description: 'Addresses that get no mail from any domain of the team.' },
  webhooks: { name: 'Webhooks', description: 'Endpoints that receive events, each signed and retried.' },
  audiences: { name: 'Audiences', description: 'The former name of segments, for clients that still use it.' },
  apiKeys: { name: 'API keys', description: 'The credentials of a team. A key is shown only once, when it is created.' },
  team: { name: 'Team', description: 'The team itself: its name, and how those who get its mail see it.' },
  members: { name: 'Members', description: 'The people of a team, what each may do there, and who is invited.' },
  oauth: {
    name: 'OAuth',
    description: 'Access that a team has given to other programs. The guide `docs/oauth.md` says how a program gets it.',
  },
  auditLog: { name: 'Audit log', description: 'Who changed what, for people who have to know later.' },
  logs: { name: 'Logs', description: 'The API requests that a team made.' },
} satisfies Record<string, Section>

export const SECTION_LIST: Section[] = Object.values(SECTIONS)

/** What people do as themselves, whatever team they look at, and what their console needs. No key of a team opens these, and no scope. */
export const PERSON_SECTIONS = {
  me: { name: 'Me', description: 'The person who is signed in: their name, teams, sessions and passkeys.' },
  console: { name: 'Console', description: 'What the console shows to a person, in the team that they look at.' },
} satisfies Record<string, Section>

export const PERSON_SECTION_LIST: Section[] = Object.values(PERSON_SECTIONS)

/** What the operator of an installation does. No key of a team opens these, and no scope. */
export const OPERATOR_SECTIONS = {
  teams: {
    name: 'Teams',
    description: 'The teams of an installation, for its operators: with the operator key, or the session of a person who is one.',
  },
  operation: {
    name: 'Operation',
    description:
      'The queue and the health of an installation, for its operators: with the operator key, or the session of a person who is one.',
  },
} satisfies Record<string, Section>

export const OPERATOR_SECTION_LIST: Section[] = Object.values(OPERATOR_SECTIONS)
