import { type Static, Type } from '@sinclair/typebox'
import { DateFilters, FilteredListQuery, SearchedList } from '../../http/list-filters.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  QueryId,
  RECIPIENTS_PER_FIELD_MAX,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { SUBJECT_LENGTH_MAX } from '../../mail/headers.ts'
import { SEGMENTS } from '../audience/segments/segments.schema.ts'
import { ContentDocument, DOCUMENT_GIVEN, expectedVersion, SavedVersion } from '../templates/content-document.ts'
import { TEMPLATE_CONTENT_LENGTH_MAX } from '../templates/templates.schema.ts'
import { BROADCAST_STATUSES } from './broadcast-states.ts'

/** The limit of one team, whatever the status of the broadcasts. */
export const BROADCASTS_MAX = 10_000
export const BROADCAST_LIMIT = teamLimit(BROADCASTS_MAX, 'broadcasts', 'Delete drafts first.')
export const BROADCAST_NAME_LENGTH_MAX = 70
const PREVIEW_TEXT_LENGTH_MAX = 998
/** Ten thousand a second: faster than any mail server takes them. */
export const RATE_PER_HOUR_MAX = 36_000_000

const name = Name({
  lengthMax: BROADCAST_NAME_LENGTH_MAX,
  description: `Name of the broadcast, which only your team sees: at most ${BROADCAST_NAME_LENGTH_MAX} characters.`,
  examples: ['November news'],
})
const segment = Id('Id of the segment whose contacts get the broadcast.')
const audience = Type.String({ format: 'uuid', deprecated: true, description: 'Former name of `segment_id`.' })
const from = Type.String({ description: 'Sender, such as `Acme <hello@example.com>`.', examples: ['Acme <hello@example.com>'] })
const subject = Type.String({
  maxLength: SUBJECT_LENGTH_MAX,
  description: 'Subject line. It may hold placeholders such as `{{{contact.first_name|there}}}`.',
  examples: ['News for {{{contact.first_name|you}}}'],
})
const replyTo = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: RECIPIENTS_PER_FIELD_MAX })], {
  description: `Where replies are sent. One address, or an array of at most ${RECIPIENTS_PER_FIELD_MAX}.`,
  examples: ['support@example.com'],
})
const previewText = Type.String({
  maxLength: PREVIEW_TEXT_LENGTH_MAX,
  description: 'What mail programs show beside the subject. It stands hidden at the beginning of the HTML.',
  examples: ['What happened in November'],
})
const html = Type.String({
  maxLength: TEMPLATE_CONTENT_LENGTH_MAX,
  description: 'HTML body, with placeholders. Give `html`, `text` or both.',
  examples: ['<p>Hello {{{contact.first_name|there}}}!</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'],
})
const text = Type.String({
  maxLength: TEMPLATE_CONTENT_LENGTH_MAX,
  description: 'Plain text body, with placeholders. If it is left out, it is made from `html`; an empty string means that there is none.',
  examples: ['Hello {{{contact.first_name|there}}}!'],
})
const topic = Id(
  'Id of a topic. Only contacts who are subscribed to the topic get the broadcast, and its unsubscribe links are for the topic.',
)
const rate = Type.Integer({
  minimum: 1,
  maximum: RATE_PER_HOUR_MAX,
  description:
    'How many recipients get the broadcast in an hour, evenly spread. By default it is sent as fast as the mail servers take it.',
  examples: [10_000],
})
const scheduledAt = Type.String({
  description:
    'When to send the broadcast, at most 30 days ahead: a time in ISO 8601, or in English such as `in 1 hour`. Times without a time zone are in UTC.',
  examples: ['in 1 hour'],
})
const timezone = Type.String({
  description:
    'Name of the IANA time zone in which `scheduled_at` was chosen. It is returned, to show the time as it was meant, and is the zone of a `scheduled_at` that names none. Only together with `scheduled_at`. An extension.',
  examples: ['America/New_York'],
})

export const BroadcastCreate = Named(
  'BroadcastCreate',
  Type.Object(
    {
      name: OptionalNullable(name, { description: `${name.description} By default the beginning of the subject.` }),
      segment_id: OptionalNullable(segment),
      audience_id: OptionalNullable(audience),
      from,
      subject,
      reply_to: OptionalNullable(replyTo),
      preview_text: OptionalNullable(previewText),
      html: OptionalNullable(html),
      text: OptionalNullable(text),
      content_document: OptionalNullable(Ref(ContentDocument), { description: DOCUMENT_GIVEN }),
      topic_id: OptionalNullable(topic),
      rate_per_hour: OptionalNullable(rate),
      send: OptionalNullable(
        Type.Boolean({ description: 'Whether to send it at once, or at `scheduled_at`. By default a draft is created.' }),
      ),
      scheduled_at: OptionalNullable(scheduledAt, { description: `${scheduledAt.description} Only together with \`send\`.` }),
      timezone: OptionalNullable(timezone),
    },
    { description: 'A broadcast to create.' },
  ),
)

export const BroadcastUpdate = Named(
  'BroadcastUpdate',
  Type.Object(
    {
      name: OptionalNotNull(name),
      segment_id: OptionalNotNull(segment),
      audience_id: OptionalNotNull(audience),
      from: OptionalNotNull(from),
      subject: OptionalNotNull(subject),
      reply_to: OptionalNullable(replyTo),
      preview_text: OptionalNullable(previewText),
      html: OptionalNullable(html),
      text: OptionalNullable(text),
      content_document: OptionalNullable(Ref(ContentDocument), { description: DOCUMENT_GIVEN }),
      topic_id: OptionalNullable(topic),
      rate_per_hour: OptionalNullable(rate),
      expected_version: expectedVersion('version'),
      autosave: Type.Optional(
        Type.Boolean({
          description:
            'Whether an editor saves by itself while someone writes. It is refused unless the broadcast is a draft: what is scheduled keeps what it says until someone saves by intent.',
        }),
      ),
    },
    {
      description: 'Fields of a broadcast to change. Fields that are left out stay as they are, and null empties those that can be empty.',
    },
  ),
)

export const BroadcastSend = Named(
  'BroadcastSend',
  Type.Object(
    {
      scheduled_at: OptionalNullable(scheduledAt),
      timezone: OptionalNullable(timezone),
      expected_version: expectedVersion('version'),
    },
    { description: 'When to send the broadcast. By default it is sent at once.' },
  ),
)

const Count = (description: string) => Type.Integer({ description })

/** Counts emails, which have one recipient each. */
export const BroadcastCounts = Named(
  'BroadcastCounts',
  Type.Object(
    {
      recipients: Count('Contacts for whom an email was made.'),
      sent: Count('Emails whose delivery has begun.'),
      delivered: Count('Emails that the mail server of the recipient accepted.'),
      opened: Count('Emails that a person opened.'),
      clicked: Count('Emails in which a person followed a link.'),
      bounced: Count('Emails that bounced.'),
      complained: Count('Emails that were reported as spam.'),
      unsubscribed: Count('Recipients who unsubscribed by a link of the broadcast.'),
      suppressed: Count('Emails that were not sent because the address is on the suppression list.'),
      failed: Count('Emails that were not sent for another reason.'),
      canceled: Count('Emails that had not begun when the broadcast was canceled.'),
    },
    { description: 'Counts of what has happened to the emails of a broadcast so far.' },
  ),
)

const summaryFields = {
  id: Id('Id of the broadcast.'),
  name: Type.String({ description: 'Name of the broadcast, which only your team sees.' }),
  audience_id: Type.String({ format: 'uuid', deprecated: true, description: 'Former name of `segment_id`, with the same value.' }),
  segment_id: segment,
  topic_id: Nullable(Id('Id of the topic; null if there is none.')),
  status: Enum([...BROADCAST_STATUSES], {
    description:
      'State of the broadcast. `queued`: it is being sent. `paused`: it was paused and can be resumed. `sent`: delivery to every recipient has been attempted.',
  }),
  status_reason: Nullable(Type.String({ description: 'Why the broadcast waits or ended early, in a sentence; null if it does not.' })),
  rate_per_hour: Nullable(Type.Integer({ description: 'How many recipients get the broadcast in an hour; null if there is no limit.' })),
  created_at: Timestamp('When the broadcast was created.'),
  scheduled_at: Nullable(Timestamp('When the broadcast is scheduled to be sent; null if it is not scheduled.')),
  timezone: Type.Optional(
    Type.String({ description: 'The IANA time zone that was given with `scheduled_at`; left out if there is none. An extension.' }),
  ),
  sent_at: Nullable(Timestamp('When delivery to every recipient had been attempted; null before that.')),
}

export const BroadcastSummary = Named('BroadcastSummary', Type.Object(summaryFields, { description: 'A broadcast, as lists show it.' }))

export const Broadcast = Named(
  'Broadcast',
  Type.Object(
    {
      object: Kind('broadcast'),
      ...summaryFields,
      from: Type.String({ description: 'Sender, as given.' }),
      subject: Type.String({ description: 'Subject line, as given.' }),
      reply_to: Nullable(Type.String({ description: 'Where replies are sent; several addresses are joined by commas. Null if unset.' })),
      preview_text: Nullable(Type.String({ description: 'What mail programs show beside the subject; null if unset.' })),
      html: Nullable(Type.String({ description: 'HTML body, as given; null if there is none.' })),
      text: Nullable(Type.String({ description: 'Plain text body, as given; null if none was given.' })),
      content_document: Nullable(Ref(ContentDocument), { description: 'What the editor wrote; null if the HTML was written otherwise.' }),
      version: Type.String({
        description: 'Digest of what can be changed and of when it is sent, for `expected_version`: a change gives another one.',
        examples: ['47DEQpj8HBSa-_TI'],
      }),
      counts: Ref(BroadcastCounts),
    },
    { description: 'An email to everyone in a segment.' },
  ),
)

export const BROADCASTS = Resource({
  tag: SECTIONS.broadcasts,
  noun: 'Broadcast',
  parameter: 'broadcast_id',
  item: BroadcastSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c98',
    name: 'November news',
    audience_id: SEGMENTS.example.id,
    segment_id: SEGMENTS.example.id,
    topic_id: null,
    status: 'sent',
    status_reason: null,
    rate_per_hour: null,
    created_at: EXAMPLE_TIME,
    scheduled_at: null,
    sent_at: EXAMPLE_TIME,
  },
})

export const BROADCAST_EXAMPLE_COUNTS: Static<typeof BroadcastCounts> = {
  recipients: 1_000,
  sent: 996,
  delivered: 990,
  opened: 412,
  clicked: 87,
  bounced: 6,
  complained: 0,
  unsubscribed: 3,
  suppressed: 4,
  failed: 0,
  canceled: 0,
}

export const BroadcastParams = IdParams(BROADCASTS)
export const BroadcastListQuery = FilteredListQuery({
  status: Type.Optional(Enum([...BROADCAST_STATUSES], { description: 'Return only broadcasts with this status.' })),
  segment_id: QueryId('Return only broadcasts to this segment.'),
  topic_id: QueryId('Return only broadcasts of this topic.'),
  ...DateFilters('broadcasts that were created'),
})

export const BroadcastList = SearchedList('BroadcastList', 'broadcasts', BroadcastSummary)
export const BroadcastReference = Reference('BroadcastReference', 'broadcast')
export const BROADCAST_WARNINGS =
  'What to check before it is sent, each in a sentence: a part without an unsubscribe link, a segment without contacts, a sender whose domain is not registered or not verified, and placeholders that have no meaning or only look like one; the first 20, and empty if there is nothing. With a placeholder that has no meaning, it cannot be sent.'

/** The reply after the content was saved. */
export const BroadcastSaved = Named(
  'BroadcastSaved',
  Type.Object(
    {
      object: Kind('broadcast'),
      id: Id('Id of the broadcast.'),
      warnings: Type.Array(Type.String(), {
        description: BROADCAST_WARNINGS,
      }),
      version: SavedVersion,
    },
    { description: 'The broadcast that was saved, with warnings.' },
  ),
)
export const BroadcastDeletion = Deletion('BroadcastDeletion', 'broadcast')

export type BroadcastCreate = Static<typeof BroadcastCreate>
export type BroadcastUpdate = Static<typeof BroadcastUpdate>

/** The broadcast at the time of the notification. */
export const BROADCAST_NOTIFICATIONS = {
  'broadcast.unscheduled': Type.Object({
    id: Id('Id of the broadcast.'),
    name: Type.String({ description: 'Name of the broadcast.' }),
    reason: Type.String({ description: 'Why it is a draft again, in a sentence.' }),
  }),
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof BROADCAST_NOTIFICATIONS> {}
}

/** Each gets an email of its own. */
export const TEST_ADDRESSES_MAX = 10

const contact = Type.String({
  description: 'Id or address of the contact whose values are filled in. By default, placeholders get their fallbacks.',
})

export const BroadcastPreviewQuery = Type.Object({ contact: Type.Optional(contact) })

export const BroadcastPreviewed = Named(
  'BroadcastPreviewed',
  Type.Object(
    {
      object: Kind('broadcast_preview'),
      subject: Type.String({ description: 'Subject line.' }),
      preview_text: Nullable(Type.String({ description: 'What mail programs show beside the subject; null if unset.' })),
      html: Nullable(Type.String({ description: 'HTML body; null if there is none.' })),
      text: Nullable(Type.String({ description: 'Plain text body; null if none was given.' })),
      warnings: Type.Array(Type.String(), { description: BROADCAST_WARNINGS }),
    },
    { description: 'A broadcast as a contact would get it.' },
  ),
)

export const BroadcastTest = Named(
  'BroadcastTest',
  Type.Object(
    {
      to: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: TEST_ADDRESSES_MAX })], {
        description: `Recipients of the test. One address, or an array of at most ${TEST_ADDRESSES_MAX}.`,
        examples: [['colleague@example.com']],
      }),
      contact: OptionalNullable(contact),
    },
    { description: 'The recipients of a test of a broadcast.' },
  ),
)

export const BroadcastTested = Named(
  'BroadcastTested',
  Type.Object(
    {
      object: Kind('broadcast'),
      id: Id('Id of the broadcast.'),
      emails: Type.Array(Type.Object({ id: Id('Id of the email.') }), {
        description: 'The emails that were accepted, in the order of the addresses. They are not counted for the broadcast.',
      }),
    },
    { description: 'The emails of a test.' },
  ),
)

export type BroadcastTest = Static<typeof BroadcastTest>
