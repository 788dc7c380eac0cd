// What each type of event means: when it happens, which files write it, and what its endpoint is sent.
import { type TObject, Type } from '@sinclair/typebox'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../lib/webhooks/event-types.ts'
import { Named } from './common.ts'
import { WEBHOOK_DATA, WebhookPayload } from './webhook-payloads.ts'

export type WebhookCause = {
  /** When it happens, in a sentence. */
  happens: string
  /** Where its notification is made; a test compares this with the sources. */
  writtenBy: string[]
}

const SETTLEMENTS = 'src/workers/engine/settlements.ts'
const LATER_STATES = 'src/repositories/engine/later-states.ts'
const CONTACTS = 'src/repositories/contacts/contacts.ts'

export const WEBHOOK_CAUSES: Record<WebhookEventType, WebhookCause> = {
  'email.scheduled': {
    happens: 'An email was accepted for a later time, or its time was changed.',
    writtenBy: ['src/services/accept-email.ts', 'src/services/scheduled-emails.ts'],
  },
  'email.sent': { happens: 'The first attempt to deliver the email to a recipient has begun.', writtenBy: [SETTLEMENTS, LATER_STATES] },
  'email.delivered': {
    happens:
      "The next server has accepted the email for a recipient: the recipient's own, or the relay. A person who reads the email before the answer of that server is recorded proves it too.",
    writtenBy: [SETTLEMENTS, LATER_STATES],
  },
  'email.delivery_delayed': { happens: 'A server deferred the email. It is retried for three days.', writtenBy: [SETTLEMENTS] },
  'email.bounced': {
    happens: 'A server has refused the email for good, at once or in a message that came back later, or all retries are used up.',
    writtenBy: [SETTLEMENTS, 'src/workers/reports/conclusions.ts'],
  },
  'email.complained': {
    happens: 'A recipient has reported the email as spam.',
    writtenBy: [SETTLEMENTS, 'src/workers/reports/conclusions.ts'],
  },
  'email.opened': {
    happens: 'The tracking pixel of the email was loaded, by a person or by a program.',
    writtenBy: ['src/repositories/tracking/tracked-acts.ts'],
  },
  'email.clicked': {
    happens: 'A tracked link of the email was followed, by a person or by a program.',
    writtenBy: ['src/repositories/tracking/tracked-acts.ts'],
  },
  'email.failed': {
    happens: "The email was not sent, for a reason that has nothing to do with the recipient's server.",
    writtenBy: [SETTLEMENTS, 'src/workers/fetch-attachments.ts'],
  },
  'email.suppressed': {
    happens: 'The email was not sent to a recipient because the address is on the suppression list.',
    writtenBy: [SETTLEMENTS, 'src/repositories/broadcasts/fan-out.ts'],
  },
  'email.received': {
    happens: 'An email to a domain of your team was received and read. The API has its content.',
    writtenBy: ['src/workers/received/read-email.ts'],
  },
  'contact.created': {
    happens: 'A contact was created through the API, or for an automation that an event with an unknown address starts.',
    writtenBy: [CONTACTS, 'src/repositories/automations/occurrences.ts'],
  },
  'contact.updated': {
    happens: 'A contact was changed, by an automation too, joined or left a segment, or unsubscribed.',
    writtenBy: [
      CONTACTS,
      'src/repositories/automations/contact-acts.ts',
      'src/repositories/segments/contact-segments.ts',
      'src/repositories/topics/contact-topics.ts',
    ],
  },
  'contact.deleted': { happens: 'A contact was deleted.', writtenBy: ['src/repositories/contacts/removed-contacts.ts'] },
  'contact.topics.updated': {
    happens: 'A contact chose topics, or a choice was made for the contact. It has only the topics that changed.',
    writtenBy: ['src/repositories/contacts/contact-notifications.ts'],
  },
  'topic.created': { happens: 'A topic was created.', writtenBy: ['src/repositories/topics/topics.ts'] },
  'topic.updated': { happens: 'A topic was changed.', writtenBy: ['src/repositories/topics/topics.ts'] },
  'topic.deleted': { happens: 'A topic was deleted.', writtenBy: ['src/repositories/topics/topics.ts'] },
  'domain.created': { happens: 'A domain was added.', writtenBy: ['src/repositories/domains/new-domains.ts'] },
  'domain.updated': {
    happens: 'The status of a domain has changed. Its records say what the DNS answered.',
    writtenBy: [
      'src/repositories/domains/domain-states.ts',
      'src/repositories/domains/name-holders.ts',
      'src/repositories/domains/reset-domains.ts',
    ],
  },
  'domain.deleted': { happens: 'A domain was deleted.', writtenBy: ['src/repositories/domains/domains.ts'] },
  'automation.disabled': {
    happens: 'An automation was disabled, because something without which it cannot go on was deleted.',
    writtenBy: ['src/repositories/ended-uses.ts'],
  },
  'broadcast.unscheduled': {
    happens: 'A scheduled broadcast is a draft again, because its segment, its topic or its domain was deleted.',
    writtenBy: ['src/repositories/ended-uses.ts'],
  },
  'suppression.added': {
    happens: 'An address was put on the suppression list, by a bounce, a complaint, or your team.',
    writtenBy: ['src/repositories/suppressions/new-suppressions.ts'],
  },
  'suppression.removed': {
    happens: 'An address was taken off the suppression list.',
    writtenBy: ['src/repositories/suppressions/removed-suppressions.ts'],
  },
}

/** The name of the schema of an event: `EmailDeliveryDelayedEvent`. */
export const eventSchemaName = (type: WebhookEventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`

const eventSchema = (type: WebhookEventType, data: TObject): TObject =>
  Named(
    eventSchemaName(type),
    Type.Object(
      {
        type: Type.Literal(type, { description: `Always \`${type}\`.` }),
        created_at: WebhookPayload.properties.created_at,
        data: { ...data, description: 'What the event is about.' },
        test: WebhookPayload.properties.test,
        truncated: WebhookPayload.properties.truncated,
      },
      { description: WEBHOOK_CAUSES[type].happens },
    ),
  )

/** What an endpoint is sent, by type. */
export const WEBHOOK_EVENT_SCHEMAS = WEBHOOK_EVENT_TYPES.map((type) => ({ type, schema: eventSchema(type, WEBHOOK_DATA[type]) }))
