// What happens to emails: as it is stored, and as a timeline shows it.
import { type Static, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import { createReader, type StoredValue } from '../../lib/validation/body-validator.ts'
import { Enum, Id, IsoTime, Kind, List, Named, Nullable, secret, Timestamp } from '../../lib/validation/common.schema.ts'
import { EmailParams } from './emails.schema.ts'

export const CONTENT_DISPOSITIONS = ['inline', 'attachment'] as const
export type ContentDisposition = (typeof CONTENT_DISPOSITIONS)[number]

const fields = {
  id: Id('Id of the attachment.'),
  filename: Nullable(Type.String({ description: 'Name of the file; null if it has none.' })),
  content_type: Type.String({ description: 'Media type.', examples: ['application/pdf'] }),
  content_disposition: Enum([...CONTENT_DISPOSITIONS], {
    description: 'Whether the file is shown within the HTML (`inline`) or listed separately (`attachment`).',
  }),
  content_id: Type.Optional(
    Type.String({ description: 'The id by which the HTML refers to the file (`cid:`); absent if the file is not inline.' }),
  ),
  size: Type.Integer({ description: 'Size in bytes; 0 until a file given by URL has been fetched.' }),
  download_url: Nullable(
    Type.String({ ...secret, description: 'Signed link to the file; null until a file given by URL has been fetched.' }),
  ),
  expires_at: IsoTime('When the link expires: ISO 8601 in UTC with milliseconds.', '2026-11-20T10:30:00.123Z'),
}

export const AttachmentItem = Named('AttachmentItem', Type.Object(fields, { description: 'An attachment of an email, as lists show it.' }))
export const Attachment = Named(
  'Attachment',
  Type.Object({ object: Kind('attachment'), ...fields }, { description: 'An attachment of an email.' }),
)
export const AttachmentList = List('AttachmentList', 'attachments', AttachmentItem)
export const ATTACHMENTS = Resource({
  tag: SECTIONS.emails,
  noun: 'Attachment',
  parameter: 'attachment_id',
  item: AttachmentItem,
  example: {
    id: '0193a5c2-7d50-7e3b-8a41-6f0c2b9d7e55',
    filename: 'invoice.pdf',
    content_type: 'application/pdf',
    content_disposition: 'attachment',
    size: 48_211,
    download_url: 'http://localhost:3000/downloads/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
    expires_at: '2026-11-20T10:30:00.123Z',
  },
})

export const AttachmentParams = Type.Composite([EmailParams, IdParams(ATTACHMENTS)])

/** An attempt that is still running has no outcome in its row. */
export const STORED_ATTEMPT_OUTCOMES = ['delivered', 'delayed', 'bounced', 'failed', 'abandoned', 'unknown'] as const
export type StoredAttemptOutcome = (typeof STORED_ATTEMPT_OUTCOMES)[number]
export const ATTEMPT_OUTCOMES = ['open', ...STORED_ATTEMPT_OUTCOMES] as const satisfies string[]

const explained = (otherwise: string) => ({
  explanation: Nullable(
    Type.String({ description: `What the answer means, in a sentence; null if ${otherwise}.`, examples: ['The mailbox is full.'] }),
  ),
  advice: Nullable(
    Type.String({ description: `What to do, in a sentence; null if ${otherwise}.`, examples: ['Send a link to the file instead.'] }),
  ),
})

export const EmailAttempt = Named(
  'EmailAttempt',
  Type.Object(
    {
      id: Id('Id of the attempt.'),
      recipient: Type.String({ description: 'The recipient of this attempt.', examples: ['ada@example.com'] }),
      number: Type.Integer({ description: 'Number of the attempt for this recipient, counted from 1.' }),
      outcome: Enum([...ATTEMPT_OUTCOMES], {
        description:
          'How the attempt ended. `open`: it is still running. `delayed`: the server refused the message for now, and it will be retried. `abandoned`: it was stopped before the message was complete. `unknown`: it was interrupted, and the message is retried with the same Message-ID.',
      }),
      host: Nullable(Type.String({ description: 'The mail server; null if none was reached.', examples: ['mx.example.com'] })),
      tls: Nullable(Type.String({ description: 'TLS version of the connection; null if it was not encrypted.', examples: ['TLSv1.3'] })),
      code: Nullable(Type.Integer({ description: 'SMTP reply code (RFC 5321); null if there was no reply.', examples: [250] })),
      enhanced_code: Nullable(
        Type.String({ description: 'Enhanced status code (RFC 3463); null if the reply had none.', examples: ['2.0.0'] }),
      ),
      text: Nullable(Type.String({ description: 'The reply of the server, or what went wrong.' })),
      ...explained('the attempt did not fail'),
      duration_ms: Nullable(Type.Integer({ description: 'How long the attempt took, in milliseconds; null if that is not known.' })),
      started_at: Timestamp('When the attempt started.'),
    },
    { description: 'An attempt to deliver an email to one recipient.' },
  ),
)
export const EmailAttemptList = List('EmailAttemptList', 'attempts to deliver an email', EmailAttempt)

/** What an outcome says of the list that the sender mails to, where it is counted apart: the simulator's outcomes say nothing of it. */
const countedAs = Type.Union([Type.Literal('simulated'), Type.Literal('unknown_user'), Type.Literal('spam_trap')])
export type CountedAs = Static<typeof countedAs>

const emailNotification = Type.Object({
  /** The recipients that it concerns. */
  to: Type.Array(Type.String()),
  /** Details, depending on the type. */
  detail: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  countedAs: Type.Optional(countedAs),
})

/** Which rule takes it for the work of a program, by its name in modules/tracking/machine-rules.ts. Absent for people. */
const machineRule = Type.Optional(Type.String())

/** Set on the first one of an email that is not the work of a program: it counts among the unique opens or clicks. */
const firstOf = Type.Optional(Type.Literal('email'))

const openedNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    /** A program has probably loaded the image, not a person. */
    is_machine: Type.Boolean(),
    machine_rule: machineRule,
  }),
  firstOf,
})

const clickedNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    click: Type.Object({
      /** Absent if addresses are not stored. */
      ipAddress: Type.Optional(Type.String()),
      link: Type.String(),
      timestamp: Type.String(),
      userAgent: Type.String(),
    }),
    /** A program has probably followed the link, not a person. */
    is_machine: Type.Boolean(),
    machine_rule: machineRule,
  }),
  firstOf,
  /** The link that the author of a broadcast wrote, if each recipient has another one: as that it is counted. */
  writtenLink: Type.Optional(Type.String()),
})

const answeredNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    answer: Type.Object({ kind: Type.String(), message: Type.String() }),
    /** Only of a bounce: why the mail was returned, as `email.bounced` says it. */
    bounce: Type.Optional(
      Type.Object({
        type: Type.String(),
        subType: Type.String(),
        message: Type.String(),
        diagnosticCode: Type.Array(Type.String()),
      }),
    ),
  }),
})

export const EMAIL_NOTIFICATIONS = {
  'email.scheduled': emailNotification,
  'email.sent': emailNotification,
  'email.delivered': emailNotification,
  'email.delivery_delayed': emailNotification,
  'email.bounced': emailNotification,
  'email.opened': openedNotification,
  'email.clicked': clickedNotification,
  'email.complained': emailNotification,
  /** A message came back that changes nothing. Only for timelines. */
  'email.answered': answeredNotification,
  'email.failed': emailNotification,
  'email.suppressed': emailNotification,
  'email.canceled': emailNotification,
  /** Sent when someone follows a link of a broadcast. Timelines alone have it. */
  'email.unsubscribed': emailNotification,
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof EMAIL_NOTIFICATIONS> {}
}

export const EMAIL_EVENT_TYPES = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.opened',
  'email.clicked',
  'email.complained',
  'email.answered',
  'email.failed',
  'email.suppressed',
  'email.canceled',
  'email.unsubscribed',
] as const satisfies readonly (keyof typeof EMAIL_NOTIFICATIONS)[]

/** By type, because a schema for each would make generated clients ask which one they have. */
const DETAIL = [
  'Details by type; null if there are none.',
  '`email.scheduled`: `scheduled_at`.',
  '`email.delivery_delayed`: `message`, `code` and `enhanced_code` of the answer.',
  '`email.bounced`: `bounce` with `type` (`Permanent`, `Transient` or `Undetermined`), `subType`, `message` and `diagnosticCode`.',
  '`email.opened`: `is_machine`, whether a program has probably done it, and then `machine_rule`, the name of the rule that says so.',
  '`email.clicked`: the same, and `click` with `link`, `timestamp`, `userAgent` and `ipAddress` if addresses are stored.',
  '`email.complained`: `complaint` with `type`, such as `abuse`, and `userAgent` if the report has one.',
  '`email.answered`: `answer` with `kind` and `message`; if its kind is `bounce`, also `bounce`, as `email.bounced` has it.',
  '`email.failed`: `failed` with `reason`.',
  '`email.suppressed`: `suppressed` with `message`, `type`, `reason` and `diagnosticCode`.',
].join(' ')

export const EmailEvent = Named(
  'EmailEvent',
  Type.Object(
    {
      id: Id('Id of the event.'),
      // Not an enum: an event of a newer version must not hide the others.
      type: Type.String({
        description: `Type of the event: ${EMAIL_EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
        examples: ['email.delivered'],
      }),
      to: Type.Array(Type.String(), { description: 'The recipients that the event is about.' }),
      detail: Nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: DETAIL,
        }),
      ),
      ...explained('the event is not a delay, a bounce, a complaint or a suppression'),
      created_at: Timestamp(
        'When the event was recorded: for an open or a click, some seconds after it happened. When a link was followed is in `click.timestamp`.',
      ),
    },
    { description: 'An event in the timeline of an email.' },
  ),
)
export const EmailEventList = List('EmailEventList', 'events of an email', EmailEvent)

const emailNotifications = new Map(Object.entries(EMAIL_NOTIFICATIONS).map(([type, schema]) => [type, createReader(schema)]))

export const readEmailNotification = (type: string, data: unknown): StoredValue<EmailNotificationData> =>
  emailNotifications.get(type)?.(data) ?? { problem: 'is of an unknown type' }

export type EmailNotificationType = keyof typeof EMAIL_NOTIFICATIONS

/** What we, or the servers of recipients, did. The others are acts of readers, with details of their own. */
export type SendingNotificationType = Exclude<EmailNotificationType, 'email.opened' | 'email.clicked' | 'email.answered'>

export type EmailNotificationData = Static<(typeof EMAIL_NOTIFICATIONS)[EmailNotificationType]>
