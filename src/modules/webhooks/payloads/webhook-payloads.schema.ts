// What webhooks are sent: for each type of event the shape of its data, with an example.

import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Enum, EventTime, EXAMPLE_ID, Named } from '../../../lib/validation/common.schema.ts'
import { CONTACT_NOTIFICATIONS } from '../../audience/contacts/contacts.schema.ts'
import { TOPIC_NOTIFICATIONS } from '../../audience/topics/topics.schema.ts'
import { AUDIT_LOG, AUDIT_NOTIFICATIONS } from '../../audit/audit.schema.ts'
import { AUTOMATION_NOTIFICATIONS } from '../../automations/automations.schema.ts'
import { BROADCAST_NOTIFICATIONS } from '../../broadcasts/broadcasts.schema.ts'
import { DOMAIN_NOTIFICATIONS } from '../../domains/domains.schema.ts'
import { RECEIVED_NOTIFICATIONS } from '../../inbound/received.schema.ts'
import { QUOTA_NOTIFICATIONS } from '../../limits/limits.schema.ts'
import { REPUTATION_NOTIFICATIONS } from '../../limits/reputation.schema.ts'
import { SUPPRESSION_NOTIFICATIONS, SUPPRESSIONS } from '../../suppressions/suppressions.schema.ts'
import type { WebhookEventType } from '../webhooks.schema.ts'

/** What each value of a closed set means, as a sentence. */
const describeValues = (meanings: Record<string, string>): string =>
  Object.entries(meanings)
    .map(([value, meaning]) => `\`${value}\`: ${meaning}`)
    .join(' ')
const namesOf = <Value extends string>(meanings: Record<Value, string>): Value[] => {
  const isValue = (name: string): name is Value => Object.hasOwn(meanings, name)
  return Object.keys(meanings).filter(isValue)
}

const BOUNCE_TYPES = {
  Permanent: 'the same email will not be accepted later either.',
  Transient: 'it may be accepted another time.',
  Undetermined: 'the server does not say.',
}
const BOUNCE_SUB_TYPES = {
  General:
    'if permanent, the address or the route to its server does not exist; if transient, the server could not take the email for three days.',
  NoEmail: 'an address does not exist, and the returned message does not say which.',
  MailboxFull: 'the mailbox is full.',
  MessageTooLarge: 'the email is too large for the server.',
  ContentRejected: 'the server refuses the content, or the sender.',
  AttachmentRejected: 'the server refuses an attachment.',
  Undetermined: 'the answer says nothing that is known.',
}
const SUPPRESSION_REASONS = {
  previous_bounce: 'an earlier email to the address bounced.',
  previous_complaint: 'an earlier email to it was reported as spam.',
  manual: 'your team added it.',
}

const texts = (description: string) => Type.Array(Type.String(), { description })

const email = {
  email_id: Type.String({ description: 'Id of the email.', examples: [EXAMPLE_ID] }),
  message_id: Type.Optional(Type.String({ description: 'The Message-ID of the email; absent once the email was removed.' })),
  created_at: Type.Optional(EventTime('When the email was accepted.')),
  from: Type.Optional(Type.String({ description: 'The sender, as it was given.' })),
  to: texts('The recipients that the event is about.'),
  subject: Type.Optional(Type.String({ description: 'The subject.' })),
  broadcast_id: Type.Optional(Type.String({ description: 'The broadcast that the email is a part of.' })),
  template_id: Type.Optional(Type.String({ description: 'The template that the email was made of.' })),
  tags: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'The tags of the email: values by their names.' })),
  headers: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the header.' }),
        value: Type.String({ description: 'Value of the header.' }),
      }),
      {
        description: 'Headers that the sender added.',
      },
    ),
  ),
}
const plain = Type.Object(email)
const delayed = Type.Object({
  ...email,
  message: Type.String({ description: 'What the server of the recipient said, or what went wrong.' }),
  code: Type.Union([Type.Integer(), Type.Null()], { description: 'The SMTP code of its answer; null if there was none.' }),
  enhanced_code: Type.Union([Type.String(), Type.Null()], {
    description: 'The enhanced status code of its answer; null if there was none.',
  }),
})
const scheduled = Type.Object({ ...email, scheduled_at: Type.Optional(EventTime('When the email is scheduled to be sent.')) })
const bounced = Type.Object({
  ...email,
  bounce: Type.Object(
    {
      type: Enum(namesOf(BOUNCE_TYPES), { description: describeValues(BOUNCE_TYPES) }),
      subType: Enum(namesOf(BOUNCE_SUB_TYPES), { description: describeValues(BOUNCE_SUB_TYPES), examples: ['General'] }),
      message: Type.String({ description: 'What the server of the recipient said.' }),
      diagnosticCode: texts('What the server said in the form of a bounce report, with its codes if they are known.'),
    },
    { description: 'Why it bounced.' },
  ),
})
const complained = Type.Object({
  ...email,
  complaint: Type.Optional(
    Type.Object(
      {
        type: Type.String({ description: 'The kind of complaint.', examples: ['abuse'] }),
        userAgent: Type.Optional(Type.String({ description: 'The program that reported it, as it names itself.' })),
      },
      { description: 'What the report says; absent for simulated complaints.' },
    ),
  ),
})
const machine = Type.Boolean({ description: 'Set if a program, not a person, probably did it.' })
const machineRule = Type.Optional(
  Type.String({ description: 'The name of the rule that detected a program; absent for people.', examples: ['image-proxy'] }),
)
const opened = Type.Object({ ...email, is_machine: machine, machine_rule: machineRule })
const clicked = Type.Object({
  ...email,
  is_machine: machine,
  machine_rule: machineRule,
  click: Type.Object(
    {
      ipAddress: Type.Optional(Type.String({ description: 'The address of the reader, unless addresses are not stored.' })),
      link: Type.String({ description: 'Where the link leads.' }),
      timestamp: EventTime('When it was followed.'),
      userAgent: Type.String({ description: "The reader's program." }),
    },
    { description: 'The link that was followed.' },
  ),
})
const failed = Type.Object({
  ...email,
  failed: Type.Object({ reason: Type.String({ description: 'Why, in a sentence.' }) }, { description: 'Why it was not sent.' }),
})
const suppressed = Type.Object({
  ...email,
  suppressed: Type.Object(
    {
      type: Enum(['OnAccountSuppressionList'], { description: 'Always `OnAccountSuppressionList`: the list is that of your team.' }),
      message: Type.String({ description: 'Why, in a sentence.' }),
      reason: Enum(namesOf(SUPPRESSION_REASONS), { description: describeValues(SUPPRESSION_REASONS) }),
      diagnosticCode: texts('Always empty: the event of the bounce has what the server said.'),
    },
    { description: 'Why it was not sent.' },
  ),
})

const contact = Type.Object({
  ...CONTACT_NOTIFICATIONS['contact.created'].properties,
  audience_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The first of the segments, under the former name of segments; null if the contact is in none.',
  }),
})

/** A record of the type in the state that it has when it happens. */
export const WEBHOOK_DATA = {
  'email.scheduled': scheduled,
  'email.sent': plain,
  'email.delivered': plain,
  'email.delivery_delayed': delayed,
  'email.bounced': bounced,
  'email.complained': complained,
  'email.opened': opened,
  'email.clicked': clicked,
  'email.failed': failed,
  'email.suppressed': suppressed,
  ...RECEIVED_NOTIFICATIONS,
  ...CONTACT_NOTIFICATIONS,
  'contact.created': contact,
  'contact.updated': contact,
  'contact.deleted': contact,
  ...TOPIC_NOTIFICATIONS,
  ...DOMAIN_NOTIFICATIONS,
  ...AUTOMATION_NOTIFICATIONS,
  ...BROADCAST_NOTIFICATIONS,
  ...QUOTA_NOTIFICATIONS,
  ...REPUTATION_NOTIFICATIONS,
  ...SUPPRESSION_NOTIFICATIONS,
  ...AUDIT_NOTIFICATIONS,
} satisfies Record<WebhookEventType, TObject>

export const EXAMPLE_TIME_ISO = '2026-11-20T09:30:00.123Z'
const exampleEmail = {
  email_id: EXAMPLE_ID,
  message_id: '<0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10@example.com>',
  created_at: EXAMPLE_TIME_ISO,
  from: 'Acme <hello@example.com>',
  to: ['ada@example.com'],
  subject: 'Your receipt',
  tags: { category: 'receipt' },
}
const exampleContact = {
  id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c32',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  unsubscribed: false,
  segment_ids: [],
  audience_id: null,
  created_at: EXAMPLE_TIME_ISO,
  updated_at: EXAMPLE_TIME_ISO,
}
const exampleTopic = {
  id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c54',
  name: 'Weekly newsletter',
  description: 'What happened, every Friday.',
  default_subscription: 'opt_in' as const,
  deleted: false,
  created_at: EXAMPLE_TIME_ISO,
  updated_at: EXAMPLE_TIME_ISO,
}
const exampleRecord = {
  record: 'SPF' as const,
  name: 'send',
  type: 'TXT' as const,
  value: 'v=spf1 a:mail.example.net ~all',
  ttl: 'Auto',
  status: 'verified' as const,
}
const exampleDomain = {
  id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80',
  name: 'example.com',
  status: 'verified' as const,
  created_at: EXAMPLE_TIME_ISO,
  region: 'us-east-1' as const,
  capabilities: { sending: 'enabled', receiving: 'disabled' } as const,
  records: [exampleRecord],
}
const exampleSuppression = {
  id: SUPPRESSIONS.example.id,
  email: 'ada@example.com',
  origin: 'bounce' as const,
  source_id: EXAMPLE_ID,
  created_at: EXAMPLE_TIME_ISO,
}

/** What a sample of each type says. */
export const WEBHOOK_EXAMPLES: { [Type in WebhookEventType]: Static<(typeof WEBHOOK_DATA)[Type]> } = {
  'email.scheduled': { ...exampleEmail, scheduled_at: '2026-11-21T08:00:00.000Z' },
  'email.sent': exampleEmail,
  'email.delivered': exampleEmail,
  'email.delivery_delayed': { ...exampleEmail, message: 'Greylisted, please try again later', code: 451, enhanced_code: '4.7.1' },
  'email.bounced': {
    ...exampleEmail,
    bounce: {
      type: 'Permanent',
      subType: 'General',
      message: 'User unknown',
      diagnosticCode: ['smtp; 550 5.1.1 User unknown'],
    },
  },
  'email.complained': { ...exampleEmail, complaint: { type: 'abuse' } },
  'email.opened': { ...exampleEmail, is_machine: false },
  'email.clicked': {
    ...exampleEmail,
    is_machine: false,
    click: { ipAddress: '192.0.2.10', link: 'https://example.com/receipt', timestamp: EXAMPLE_TIME_ISO, userAgent: 'Mozilla/5.0' },
  },
  'email.failed': { ...exampleEmail, failed: { reason: 'The API key that scheduled the email was deleted before the scheduled time.' } },
  'email.suppressed': {
    ...exampleEmail,
    suppressed: {
      type: 'OnAccountSuppressionList',
      reason: 'previous_bounce',
      message: 'The address is on the suppression list: an earlier email to it bounced.',
      diagnosticCode: [],
    },
  },
  'email.received': {
    email_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cd1',
    created_at: EXAMPLE_TIME_ISO,
    from: 'Ada Lovelace <ada@example.org>',
    to: ['support@example.com'],
    cc: [],
    bcc: [],
    received_for: ['support@example.com'],
    message_id: '<CAKx7@mail.example.org>',
    subject: 'Re: Your receipt',
    attachments: [
      {
        id: '0193a5c2-7d50-7e3b-8a41-6f0c2b9d7eb5',
        filename: 'invoice.pdf',
        content_type: 'application/pdf',
        content_disposition: 'attachment',
        content_id: null,
      },
    ],
    in_reply_to_email_id: null,
  },
  'contact.created': exampleContact,
  'contact.updated': exampleContact,
  'contact.deleted': exampleContact,
  'contact.topics.updated': { email: exampleContact.email, topics: [{ id: exampleTopic.id, subscription: 'opt_out' }] },
  'topic.created': exampleTopic,
  'topic.updated': exampleTopic,
  'topic.deleted': { ...exampleTopic, deleted: true },
  'domain.created': { ...exampleDomain, status: 'not_started', records: [{ ...exampleRecord, status: 'not_started' }] },
  'domain.updated': exampleDomain,
  'domain.deleted': exampleDomain,
  'automation.disabled': {
    id: exampleTopic.id,
    name: 'Welcome',
    reason: 'The template \u201cWelcome\u201d, which it sends, was deleted.',
  },
  'broadcast.unscheduled': {
    id: exampleTopic.id,
    name: 'News',
    reason: 'Its segment was deleted before the scheduled time, so it is a draft again. Choose another segment, and schedule it again.',
  },
  'quota.warning': { limit_name: 'emails_per_day', limit: 1_000, percent: 80, resets_at: '2026-11-21T00:00:00.000Z' },
  'quota.reached': { limit_name: 'emails_per_month', limit: 20_000, percent: 100, resets_at: '2026-12-01T00:00:00.000Z' },
  'reputation.warning': {
    ...{ status: 'warning', domain: null, period: 'week', sent: 1_200, bounced: 60, complained: 0 },
    reason:
      '5 % of the mail of this team bounced in the last 7 days (60 of 1,200 recipients). Nothing is paused yet. Bulk mail pauses at 8 %, all mail at 16 %.',
  },
  'reputation.paused': {
    ...{ status: 'bulk_paused', domain: 'news.example.com', period: 'day', sent: 520, bounced: 57, complained: 0 },
    reason:
      '10.96 % of the mail from news.example.com bounced in the last 24 hours (57 of 520 recipients). Bulk mail is paused; transactional mail is sent. Bulk mail pauses at 8 %, all mail at 16 %.',
  },
  'reputation.released': { released_by: 'operator', throttled: 'bulk', throttled_until: '2026-11-21T09:30:00.123Z' },
  'suppression.added': exampleSuppression,
  'suppression.removed': exampleSuppression,
  'audit.recorded': {
    id: AUDIT_LOG.example.id,
    created_at: AUDIT_LOG.example.created_at,
    action: AUDIT_LOG.example.action,
    actor: AUDIT_LOG.example.actor,
    target: AUDIT_LOG.example.target,
  },
}

export const WebhookPayload = Named(
  'WebhookPayload',
  Type.Object(
    {
      type: Type.String({ description: 'Type of the event.', examples: ['email.delivered'] }),
      created_at: EventTime('When it happened.'),
      data: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The record that the event is about. Its fields depend on the type.',
      }),
      test: Type.Optional(Type.Boolean({ description: 'Always `true`; only on samples.' })),
      truncated: Type.Optional(
        Type.Boolean({
          description:
            'Always `true`; only on payloads that would be longer than 256 KiB. They have no `headers`, perhaps no `tags`, and perhaps only the beginning of long texts and lists.',
        }),
      ),
    },
    { description: 'The body of a request to an endpoint.' },
  ),
)
