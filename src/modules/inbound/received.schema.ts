import { type Static, Type } from '@sinclair/typebox'
import { SearchedList } from '../../http/list-filters.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EventTime,
  EXAMPLE_TIME,
  Id,
  IsoTime,
  Kind,
  List,
  Named,
  Nullable,
  secret,
  Timestamp,
  WholeListQuery,
} from '../../lib/validation/common.schema.ts'
import { CONTENT_DISPOSITIONS } from '../emails/email-timeline.schema.ts'
import { SENDER_VERDICTS } from './content/sender-verdicts.ts'
import { FILTER_NAMES, FILTER_VERDICTS } from './filter/message-filter.client.ts'

/** What the HTML of an email may have with its inline images within itself. */
export const INLINED_BYTES_MAX = 10 * 1024 * 1024

const addresses = (description: string) => Type.Array(Type.String(), { description })
const EXAMPLE_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cd1'

const fileFields = {
  id: Id('Id of the attachment.'),
  filename: Nullable(Type.String({ description: 'Name of the file, without folders; null if it has none.' })),
  content_type: Type.String({ description: 'Media type, as the sender names it.', examples: ['application/pdf'] }),
  content_disposition: Nullable(
    Enum([...CONTENT_DISPOSITIONS], {
      description: 'Whether the file is shown within the text (`inline`) or listed separately; null if the sender does not say.',
    }),
  ),
  content_id: Nullable(Type.String({ description: 'The id by which the HTML refers to the file (`cid:`); null if it has none.' })),
  size: Type.Integer({ description: 'Size in bytes.' }),
}

const ReceivedFile = Type.Object(fileFields, { description: 'A file of the email.' })

const linkFields = {
  download_url: Type.String({ ...secret, description: 'Signed link to the file. It needs no API key.' }),
  expires_at: IsoTime('When the link expires: ISO 8601 in UTC with milliseconds.', '2026-11-20T10:30:00.123Z'),
}

const withheldLinkFields = {
  download_url: Nullable(linkFields.download_url, {
    description:
      'Signed link to the file. It needs no API key. Null for an access token without `contacts:write` if the file holds or may hold an unsubscribe link of this installation.',
  }),
  expires_at: Nullable(linkFields.expires_at, {
    description: 'When the link expires: ISO 8601 in UTC with milliseconds. Null without a link.',
  }),
}

const summaryFields = {
  id: Id('Id of the received email.'),
  to: addresses('Recipients, as the email names them: addresses without names. At most 1,000.'),
  from: Nullable(
    Type.String({
      description: 'Sender, as the email names it: the address, after the display name if there is one. Null if it names none.',
    }),
  ),
  created_at: Timestamp('When the email was received.'),
  subject: Nullable(Type.String({ description: 'Subject line; null if there is none.' })),
  bcc: addresses('Recipients of a blind copy that the email names.'),
  cc: addresses('Recipients of a copy.'),
  reply_to: addresses('Where replies are to be sent; empty if unset.'),
  message_id: Nullable(Type.String({ description: 'The Message-ID header, with its angle brackets; null if there is none.' })),
  received_for: addresses('Addresses that received it: yours, and those in the `for` clauses of its Received headers.'),
  attachments: Type.Array(ReceivedFile, { description: 'Its files, at most 200.' }),
  problem: Nullable(
    Type.String({
      description: 'What could not be read of the email, in a sentence; null if everything was read. The raw message is always complete.',
    }),
  ),
}

export const ReceivedEmailSummary = Named(
  'ReceivedEmailSummary',
  Type.Object(summaryFields, { description: 'A received email without its content.' }),
)

const verdict = (of: string) => Enum([...SENDER_VERDICTS], { description: `Verdict of ${of}.` })
const Authentication = Type.Object(
  {
    spf: verdict('SPF'),
    dkim: verdict('DKIM, for a signature of the domain of the sender'),
    dmarc: verdict('DMARC'),
    arc: verdict('ARC'),
  },
  { description: 'Whether the email comes from the sender that it names.' },
)

const Filter = Type.Object(
  {
    name: Enum([...FILTER_NAMES], { description: 'Name of the filter.' }),
    verdict: Enum([...FILTER_VERDICTS], {
      description:
        'Its verdict on the message. `not_checked`: the filter was down, too slow or too busy, or the message was too large for it.',
    }),
    score: Nullable(Type.Number({ description: 'The score of rspamd; otherwise null.' })),
    detail: Nullable(
      Type.String({ description: 'The action of rspamd, the name of a virus, or why the message was not checked; null if there is none.' }),
    ),
  },
  { description: 'What a spam or virus filter said of the email.' },
)

const HTML_FORMATS = ['data_uri', 'cid'] as const

export const ReceivedEmail = Named(
  'ReceivedEmail',
  Type.Object(
    {
      object: Kind('email'),
      ...summaryFields,
      html: Nullable(Type.String({ description: 'HTML body; null if there is none.' })),
      html_format: Enum([...HTML_FORMATS], {
        description:
          '`data_uri`: inline images are embedded in the HTML (PNG, JPEG, GIF, WebP, AVIF and BMP). `cid`: it refers to them by `content_id`.',
      }),
      text: Nullable(Type.String({ description: 'Plain text body; null if there is none.' })),
      headers: Type.Record(Type.String(), Type.String(), {
        description: 'Decoded headers, by their names in lower case. A repeated header has one line for each value.',
      }),
      authentication: Nullable(Authentication, {
        description:
          'Whether the email comes from the sender that it names, as checked when it was received; null if it could not be checked. `gray`: no verdict, such as for an email without a signature, a signature that does not cover all that is shown, or a policy that asks for nothing. `processing_failed`: the DNS did not answer. `unknown`: the published record is not valid.',
      }),
      filter: Nullable(Filter, {
        description: "Verdicts of the operator's spam and virus filters; null if there are no filters.",
      }),
      raw: Nullable(
        Type.Object(linkFields, {
          description:
            'The raw message, unchanged; null for an access token without `contacts:write` if the message holds an unsubscribe link of this installation.',
        }),
      ),
      is_auto_reply: Type.Boolean({ description: 'Whether a program answered, not a person.' }),
      in_reply_to_email_id: Nullable(Id('Id of the email of your team to which this is a reply; null if it is none.')),
      sent_email_id: Nullable(Id('Id of the email that your team sent to itself and received here; otherwise null.')),
    },
    { description: 'A received email, with its content.' },
  ),
)

export const RECEIVED_EMAILS = Resource({
  tag: SECTIONS.receivedEmails,
  noun: 'Received email',
  parameter: 'received_email_id',
  item: ReceivedEmailSummary,
  example: {
    id: EXAMPLE_ID,
    to: ['support@example.com'],
    from: 'Ada Lovelace <ada@example.org>',
    created_at: EXAMPLE_TIME,
    subject: 'Re: Your receipt',
    bcc: [],
    cc: [],
    reply_to: [],
    message_id: '<CAKx7@mail.example.org>',
    received_for: ['support@example.com'],
    attachments: [],
    problem: null,
  },
})

export const ReceivedAttachmentItem = Named(
  'ReceivedAttachmentItem',
  Type.Object({ ...fileFields, ...withheldLinkFields }, { description: 'An attachment of a received email, as lists show it.' }),
)
export const ReceivedAttachment = Named(
  'ReceivedAttachment',
  Type.Object({ object: Kind('attachment'), ...fileFields, ...withheldLinkFields }, { description: 'An attachment of a received email.' }),
)

export const RECEIVED_ATTACHMENTS = Resource({
  tag: SECTIONS.receivedEmails,
  noun: 'Attachment',
  parameter: 'received_attachment_id',
  item: ReceivedAttachmentItem,
  example: {
    id: '0193a5c2-7d50-7e3b-8a41-6f0c2b9d7eb5',
    filename: 'invoice.pdf',
    content_type: 'application/pdf',
    content_disposition: 'attachment',
    content_id: null,
    size: 48_211,
    download_url: 'http://localhost:3000/downloads/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
    expires_at: '2026-11-20T10:30:00.123Z',
  },
})

export const ReceivedEmailParams = IdParams(RECEIVED_EMAILS)
export const ReceivedAttachmentParams = Type.Composite([ReceivedEmailParams, IdParams(RECEIVED_ATTACHMENTS)])
export const ReceivedEmailList = SearchedList('ReceivedEmailList', 'received emails', ReceivedEmailSummary)
export const ReceivedAttachmentList = List('ReceivedAttachmentList', 'attachments', ReceivedAttachmentItem)
export const ReceivedEmailDeletion = Deletion('ReceivedEmailDeletion', 'email')

const addressFilter = (description: string) => Type.Optional(Type.String({ maxLength: 320, description }))
export const ReceivedEmailListQuery = Type.Object({
  ...WholeListQuery.properties,
  to: addressFilter('Return only emails to this address of yours.'),
  from: addressFilter('Return only emails from this address.'),
})
export const ReceivedEmailQuery = Type.Object({
  html_format: Type.Optional(
    Enum([...HTML_FORMATS], {
      description: `How the HTML shows inline images: within itself (\`data_uri\`, the default), unless it is larger than ${INLINED_BYTES_MAX / 1024 / 1024} MB with them, or by \`content_id\` (\`cid\`).`,
    }),
  ),
})

const { created_at: _createdAt, id: _id, reply_to: _replyTo, problem: _problem, ...notified } = summaryFields
const { size: _size, ...notifiedFile } = fileFields

export const RECEIVED_NOTIFICATIONS = {
  'email.received': Type.Object({
    email_id: Id('Id of the received email.'),
    created_at: EventTime('When the email was received.'),
    ...notified,
    attachments: Type.Array(Type.Object(notifiedFile), { description: 'Its files, which the API returns.' }),
    in_reply_to_email_id: Nullable(Id('Id of the email of your team to which this is a reply; null if it is none.')),
  }),
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof RECEIVED_NOTIFICATIONS> {}
}

export type HtmlFormat = (typeof HTML_FORMATS)[number]
export type ReceivedEmail = Static<typeof ReceivedEmail>
