// What each type of event means: when it happens, and what its endpoint is sent.
import { type TObject, Type } from '@sinclair/typebox'
import { Named } from '../../../lib/validation/common.schema.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../webhooks.schema.ts'
import { WEBHOOK_DATA, WebhookPayload } from './webhook-payloads.schema.ts'

/** When it happens, in a sentence. */
export const WEBHOOK_CAUSES: Record<WebhookEventType, string> = {
  'email.scheduled': 'An email was accepted for a later time, or its time was changed.',
  'email.sent': 'The first attempt to deliver the email to a recipient has begun.',
  'email.delivered':
    "The next server has accepted the email for a recipient: the recipient's own, or the relay. A person who reads the email before the answer of that server is recorded proves it too.",
  'email.delivery_delayed': 'A server deferred the email. It is retried for three days.',
  'email.bounced': 'A server has refused the email for good, at once or in a message that came back later, or all retries are used up.',
  'email.complained': 'A recipient has reported the email as spam.',
  'email.opened': 'The tracking pixel of the email was loaded, by a person or by a program.',
  'email.clicked': 'A tracked link of the email was followed, by a person or by a program.',
  'email.failed': "The email was not sent, for a reason other than the answer of the recipient's server.",
  'email.suppressed': 'The email was not sent to a recipient because the address is on the suppression list.',
  'email.received': 'An email to a domain of your team was received and read. The API has its content.',
  'contact.created': 'A contact was created through the API, or for an automation that an event with an unknown address starts.',
  'contact.updated': 'A contact was changed, by an automation too, joined or left a segment, or unsubscribed.',
  'contact.deleted': 'A contact was deleted.',
  'contact.topics.updated': 'A contact chose topics, or a choice was made for the contact. It has only the topics that changed.',
  'topic.created': 'A topic was created.',
  'topic.updated': 'A topic was changed.',
  'topic.deleted': 'A topic was deleted.',
  'domain.created': 'A domain was added.',
  'domain.updated': 'The status of a domain has changed. Its records say what the DNS answered.',
  'domain.deleted': 'A domain was deleted.',
  'automation.disabled': 'An automation was disabled, because something that it needs was deleted.',
  'broadcast.unscheduled':
    'A broadcast is a draft again, because its segment, its topic or its domain was deleted before its time, or because it has more recipients than the limits of the team allow.',
  'quota.warning': 'The team has used 80 % of the emails that it may send in a day or a month: once in each.',
  'quota.reached': 'The team has used all emails that it may send in a day or a month: once in each.',
  'reputation.warning': 'Many of the recipients of the team, or of one of its domains, bounce or complain: once in a day at most.',
  'reputation.paused': 'So many recipients bounce or complain that bulk mail of the team is paused, or all of its mail.',
  'reputation.released': 'Mail that was paused for bounces or complaints is sent again, at a tenth of its pace for a day.',
  'suppression.added': 'An address was put on the suppression list, by a bounce, a complaint, or your team.',
  'suppression.removed': 'An address was taken off the suppression list.',
  'audit.recorded': 'Something was done that stands in the audit log, to a webhook too. The API has what changed.',
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
      { description: WEBHOOK_CAUSES[type] },
    ),
  )

/** What an endpoint is sent, by type. */
export const WEBHOOK_EVENT_SCHEMAS = WEBHOOK_EVENT_TYPES.map((type) => ({ type, schema: eventSchema(type, WEBHOOK_DATA[type]) }))
