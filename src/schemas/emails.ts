import { type Static, Type } from '@sinclair/typebox'
import { Enum, Given, Id, Kind, List, Named, Nullable, Ref, Reference, secret, Timestamp } from './common.ts'

export const RECIPIENTS_PER_FIELD_MAX = 50
export const BATCH_EMAILS_MAX = 100
export const TAGS_MAX = 50
export const TAG_LENGTH_MAX = 256
export const ATTACHMENTS_MAX = 100
/** One line of a header (RFC 5322, section 2.1.1). */
const SUBJECT_LENGTH_MAX = 998
const ADDRESS_EXAMPLE = 'Acme <hello@example.com>'

const addressRule = `An address such as \`ada@example.com\` or \`Ada Lovelace <ada@example.com>\`.`

const Addresses = (description: string) =>
  Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: RECIPIENTS_PER_FIELD_MAX })], {
    description: `${description} One address or an array of at most ${RECIPIENTS_PER_FIELD_MAX}.`,
    examples: [['ada@example.com']],
  })

const tagText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: TAG_LENGTH_MAX,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-rule': 'may hold only ASCII letters, digits, underscores and hyphens',
    description: `${description} ASCII letters, digits, underscores and hyphens, at most ${TAG_LENGTH_MAX} characters.`,
  })

export const Tag = Named(
  'Tag',
  Type.Object({ name: tagText('What is marked.'), value: tagText('With what.') }, { examples: [{ name: 'category', value: 'receipt' }] }),
)

export const AttachmentInput = Named(
  'AttachmentInput',
  Type.Object(
    {
      filename: Given(Type.String({ description: 'Name that the recipient sees.', examples: ['invoice.pdf'] })),
      content: Given(
        Type.Union(
          [
            Type.String({ description: 'The file in base64.' }),
            Type.Array(Type.Integer(), { description: 'The file as bytes, up to 5 MB.' }),
            Type.Object(
              { type: Type.Literal('Buffer'), data: Type.Array(Type.Integer()) },
              { description: 'A Node.js buffer as JSON.stringify writes it.' },
            ),
          ],
          { ...secret, description: 'The file itself: base64, an array of bytes, or a serialized Node.js buffer. Give this or `path`.' },
        ),
      ),
      path: Given(
        Type.String({
          maxLength: 2_048,
          description: 'A URL (http or https) from which the file is fetched once, after the request. Give this or `content`.',
        }),
      ),
      content_type: Given(
        Type.String({ description: 'Media type; without it, it follows from the filename.', examples: ['application/pdf'] }),
      ),
      content_id: Given(
        Type.String({
          description: 'Makes the file inline: the HTML refers to it as `cid:<content_id>`. At most 127 characters.',
          examples: ['logo'],
        }),
      ),
      inline_content_id: Given(Type.String({ description: 'An older name of `content_id`.', deprecated: true })),
    },
    { description: 'A file that goes with the email.' },
  ),
)

const templateInput = Type.Object(
  { id: Type.String(), variables: Given(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))) },
  { description: 'Not available yet: sends a published template.' },
)

export const EmailSend = Named(
  'EmailSend',
  Type.Object(
    {
      from: Type.String({ description: `Sender. ${addressRule}`, examples: [ADDRESS_EXAMPLE] }),
      to: Addresses('Recipients.'),
      subject: Type.String({ maxLength: SUBJECT_LENGTH_MAX, description: 'Subject line.', examples: ['Your receipt'] }),
      html: Given(Type.String({ description: 'HTML body. Give `html`, `text` or both.', examples: ['<p>Thank you for your order.</p>'] })),
      text: Given(
        Type.String({
          description: 'Plain text body. When absent it is made from `html`; an empty string means none.',
          examples: ['Thank you for your order.'],
        }),
      ),
      cc: Given(Addresses('Recipients of a copy.')),
      bcc: Given(Addresses('Recipients of a copy whom nobody sees.')),
      reply_to: Given(Addresses('Where answers go.')),
      headers: Given(
        Type.Record(Type.String(), Type.String(), {
          description: 'Further headers of the message.',
          examples: [{ 'X-Entity-Ref-ID': '12345' }],
        }),
      ),
      tags: Given(Type.Array(Ref(Tag), { maxItems: TAGS_MAX, description: `Marks for your own bookkeeping, at most ${TAGS_MAX}.` })),
      attachments: Given(
        Type.Array(Ref(AttachmentInput), {
          maxItems: ATTACHMENTS_MAX,
          description: 'Files. The whole email may have 40 MB after encoding.',
        }),
      ),
      scheduled_at: Given(
        Type.String({
          description:
            'When to send, at most 30 days ahead: ISO 8601, or English such as `in 1 hour` or `tomorrow at 9am ET` (UTC unless a zone is named).',
          examples: ['2026-11-21T09:00:00Z'],
        }),
      ),
      template: Given(templateInput),
      topic_id: Given(
        Id(
          'Id of a topic: only those who want it get the email, judged for each recipient when its time comes. Who is no contact gets what the topic has as its default.',
        ),
      ),
    },
    { description: 'An email to send.' },
  ),
)

export const EmailSent = Named('EmailSent', Type.Object({ id: Id('Id of the email.') }))

export const LAST_EVENTS = [
  'bounced',
  'canceled',
  'clicked',
  'complained',
  'delivered',
  'delivery_delayed',
  'failed',
  'opened',
  'queued',
  'scheduled',
  'sent',
  'suppressed',
] as const satisfies string[]

const addressList = (description: string) => Type.Array(Type.String(), { description })

const summaryFields = {
  id: Id('Id of the email.'),
  message_id: Type.String({
    description: 'The Message-ID header, with its angle brackets.',
    examples: ['<0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10@example.com>'],
  }),
  to: addressList('Recipients, as given.'),
  from: Type.String({ description: 'Sender, as given.' }),
  created_at: Timestamp('When the email was accepted.'),
  subject: Type.String({ description: 'Subject line.' }),
  bcc: addressList('Recipients of a copy whom nobody sees; empty when unset.'),
  cc: addressList('Recipients of a copy; empty when unset.'),
  reply_to: addressList('Where answers go; empty when unset.'),
  last_event: Enum([...LAST_EVENTS], {
    description: 'How far the email got: of several recipients the one who got furthest.',
    examples: ['delivered'],
  }),
  scheduled_at: Nullable(Timestamp('When the email is to be sent; null when it was to be sent at once.')),
  topic_id: Nullable(Id('The topic; null when none was given.')),
}

export const EmailSummary = Named(
  'EmailSummary',
  Type.Object({ object: Kind('email'), ...summaryFields }, { description: 'An email without its content.' }),
)

export const Email = Named(
  'Email',
  Type.Object(
    {
      object: Kind('email'),
      ...summaryFields,
      html: Nullable(Type.String({ description: 'HTML body as given.' })),
      text: Nullable(Type.String({ description: 'Plain text body as given; null when none was.' })),
      tags: Type.Array(Ref(Tag), { description: 'Marks, as given.' }),
    },
    { description: 'An email that was accepted.' },
  ),
)

export const EmailParams = Type.Object({ email_id: Id('Id of the email.') })
export const EmailList = List('EmailList', EmailSummary)
export const EmailReference = Reference('EmailReference', 'email')

export const EmailUpdate = Named(
  'EmailUpdate',
  Type.Object({
    scheduled_at: Type.String({ description: 'The new time, in any form that sending takes.', examples: ['2026-11-22T09:00:00Z'] }),
  }),
)

export const EmailShare = Named(
  'EmailShare',
  Type.Object({
    expires_in: Given(
      Type.String({
        description: 'How long the link works, such as `10m`, `2 hours` or `1h 30m`; 48 hours at most, and unless stated.',
        examples: ['2 hours'],
      }),
    ),
  }),
)
export const EmailShared = Named(
  'EmailShared',
  Type.Object({
    object: Kind('email'),
    id: Id('Id of the email.'),
    url: Type.String({
      ...secret,
      description: 'A page that shows the email to everybody who has the link.',
      examples: ['http://localhost:3000/share/1.eyJlbWFpbCI6...'],
    }),
  }),
)

export const EmailBatch = Type.Array(Ref(EmailSend), {
  minItems: 1,
  maxItems: BATCH_EMAILS_MAX,
  description: `1 to ${BATCH_EMAILS_MAX} emails.`,
})
export const EmailBatchHeaders = Type.Object({
  'x-batch-validation': Type.Optional(
    Enum(['strict', 'permissive'], {
      description:
        '`strict` (the default): one email that is not valid refuses all. `permissive`: the valid ones are sent, the others listed in `errors`.',
    }),
  ),
})
export const BatchError = Named(
  'BatchError',
  Type.Object({
    index: Type.Integer({ description: 'Position of the email in the request, from 0.' }),
    name: Type.String({ description: 'The kind of error, for programs.', examples: ['validation_error'] }),
    message: Type.String({ description: 'What is wrong with it.' }),
  }),
)
export const EmailBatchSent = Named(
  'EmailBatchSent',
  Type.Object({
    data: Type.Array(Ref(EmailSent), { description: 'The accepted emails, in the order of the request.' }),
    errors: Type.Optional(
      Type.Array(Ref(BatchError), { description: 'Only with `x-batch-validation: permissive`: the emails that were not accepted.' }),
    ),
  }),
)

export const EmailEvent = Named(
  'EmailEvent',
  Type.Object({
    id: Id('Id of the event.'),
    type: Type.String({ description: 'What happened.', examples: ['email.delivered'] }),
    to: Type.Array(Type.String(), { description: 'The recipients that it concerns.' }),
    detail: Nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'More about it: why it bounced, failed or waits, or when it is due. Null when there is nothing to add.',
      }),
    ),
    created_at: Timestamp('When it happened.'),
  }),
)
export const EmailEventList = List('EmailEventList', EmailEvent)

export type EmailSend = Static<typeof EmailSend>
export type AttachmentInput = Static<typeof AttachmentInput>
