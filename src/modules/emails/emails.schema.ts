import { type Static, Type } from '@sinclair/typebox'
import { DateFilters, FilteredListQuery, SearchedList, TextFilter } from '../../http/list-filters.ts'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import {
  Addresses,
  Enum,
  ERROR_NAMES,
  EXAMPLE_ID,
  EXAMPLE_TIME,
  Id,
  Kind,
  Named,
  Nullable,
  OptionalNullable,
  QueryId,
  Ref,
  Reference,
  secret,
  secretQuery,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { SUBJECT_LENGTH_MAX } from '../../mail/headers.ts'
import { ALIAS_LENGTH_MAX, VariableValues } from '../templates/template-variables.schema.ts'
import { LAST_EVENTS } from './email-states.ts'

export const BATCH_EMAILS_MAX = 100
export const TAGS_MAX = 50
export const TAG_LENGTH_MAX = 256
export const ATTACHMENTS_MAX = 100

const ADDRESS_EXAMPLE = 'Acme <hello@example.com>'

const addressRule = `An address such as \`ada@example.com\` or \`Ada Lovelace <ada@example.com>\`.`

const tagText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: TAG_LENGTH_MAX,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-rule': 'may hold only ASCII letters, digits, underscores and hyphens',
    description: `${description} At most ${TAG_LENGTH_MAX} ASCII letters, digits, underscores and hyphens.`,
  })

export const Tag = Named(
  'Tag',
  Type.Object(
    { name: tagText('Name of the tag.'), value: tagText('Value of the tag.') },
    { description: 'A label for your own use.', examples: [{ name: 'category', value: 'receipt' }] },
  ),
)

export const AttachmentInput = Named(
  'AttachmentInput',
  Type.Object(
    {
      filename: OptionalNullable(Type.String({ description: 'File name that the recipient sees.', examples: ['invoice.pdf'] })),
      content: OptionalNullable(
        Type.Union(
          [
            Type.String(),
            Type.Array(Type.Integer()),
            Type.Object({
              type: Type.Literal('Buffer', { description: 'Always `Buffer`.' }),
              data: Type.Array(Type.Integer(), { description: 'The bytes of the file.' }),
            }),
          ],
          {
            ...secret,
            description:
              'The file: a string in base64, an array of bytes (up to 5 MB), or a Node.js buffer as `JSON.stringify` writes it. Give either this or `path`.',
          },
        ),
      ),
      path: OptionalNullable(
        Type.String({
          ...secretQuery,
          maxLength: 2_048,
          description: 'URL (http or https) of the file, which is fetched once, after the request. Give either this or `content`.',
        }),
      ),
      content_type: OptionalNullable(
        Type.String({ description: 'Media type. By default it follows from the file name.', examples: ['application/pdf'] }),
      ),
      content_id: OptionalNullable(
        Type.String({
          description: 'Makes the file inline: the HTML refers to it as `cid:<content_id>`. At most 127 characters.',
          examples: ['logo'],
        }),
      ),
      inline_content_id: OptionalNullable(Type.String({ description: 'Former name of `content_id`.', deprecated: true })),
    },
    { description: 'A file to attach to an email.' },
  ),
)

const templateInput = Type.Object(
  {
    id: Type.String({
      maxLength: ALIAS_LENGTH_MAX,
      description: 'Id or alias of the template, which must be published.',
      examples: ['order-confirmation'],
    }),
    variables: OptionalNullable(VariableValues),
  },
  {
    description:
      'Fills in a template instead of `html` and `text`, which cannot be given with it. `from`, `subject` and `reply_to` replace those of the template.',
  },
)

export const EmailSend = Named(
  'EmailSend',
  Type.Object(
    {
      from: OptionalNullable(
        Type.String({ description: `Sender. ${addressRule} It can be left out only if a template has it.`, examples: [ADDRESS_EXAMPLE] }),
      ),
      to: Addresses('Recipients.'),
      subject: OptionalNullable(
        Type.String({
          maxLength: SUBJECT_LENGTH_MAX,
          description: 'Subject line. It can be left out only if a template has it.',
          examples: ['Your receipt'],
        }),
      ),
      html: OptionalNullable(
        Type.String({
          description: 'HTML body. Give `html`, `text` or both, or a template.',
          examples: ['<p>Thank you for your order.</p>'],
        }),
      ),
      text: OptionalNullable(
        Type.String({
          description: 'Plain text body. If it is left out, it is made from `html`; an empty string means that there is none.',
          examples: ['Thank you for your order.'],
        }),
      ),
      cc: OptionalNullable(Addresses('Recipients of a copy (Cc).')),
      bcc: OptionalNullable(Addresses('Recipients of a blind copy (Bcc), whom the other recipients do not see.')),
      reply_to: OptionalNullable(Addresses('Where replies are sent.')),
      headers: OptionalNullable(
        Type.Record(Type.String(), Type.String(), {
          description:
            'Additional headers of the message, as text in any script: at most 50, each with its name at most 16 KB, all of them 64 KB. Long ones are folded. Those that the service writes, and those in which servers say what they found, are refused.',
          examples: [{ 'X-Entity-Ref-ID': '12345' }],
        }),
      ),
      tags: OptionalNullable(Type.Array(Ref(Tag), { maxItems: TAGS_MAX, description: `Labels for your own use, at most ${TAGS_MAX}.` })),
      attachments: OptionalNullable(
        Type.Array(Ref(AttachmentInput), {
          maxItems: ATTACHMENTS_MAX,
          description: 'Files to attach. The whole email can have at most 40 MB after encoding.',
        }),
      ),
      scheduled_at: OptionalNullable(
        Type.String({
          description:
            'When to send the email, at most 30 days ahead: a time in ISO 8601, or in English such as `in 1 hour` or `tomorrow at 9am ET`. Times without a time zone are in UTC.',
          examples: ['in 1 hour'],
        }),
      ),
      template: OptionalNullable(templateInput),
      topic_id: OptionalNullable(
        Id(
          'Id of a topic. Only recipients who are subscribed to the topic get the email; this is checked for each recipient when the email is due. For recipients who are not contacts, the default of the topic applies.',
        ),
      ),
    },
    { description: 'An email to send.' },
  ),
)

export const EmailSent = Named('EmailSent', Type.Object({ id: Id('Id of the email.') }, { description: 'Identifies the accepted email.' }))

const addressList = (description: string) => Type.Array(Type.String(), { description })

const summaryFields = {
  id: Id('Id of the email.'),
  message_id: Type.String({
    description: 'The Message-ID header, with its angle brackets.',
    examples: [`<${EXAMPLE_ID}@example.com>`],
  }),
  to: addressList('Recipients, as given.'),
  from: Type.String({ description: 'Sender, as given.' }),
  created_at: Timestamp('When the email was accepted.'),
  subject: Type.String({ description: 'Subject line.' }),
  bcc: addressList('Recipients of a blind copy; empty if there are none.'),
  cc: addressList('Recipients of a copy; empty if there are none.'),
  reply_to: addressList('Where replies are sent; empty if unset.'),
  last_event: Enum(LAST_EVENTS.toSorted(), {
    description: 'State of the email. If it has several recipients: the furthest state that one of them has reached.',
    examples: ['delivered'],
  }),
  scheduled_at: Nullable(Timestamp('When the email is scheduled to be sent; null if it was sent at once.')),
  topic_id: Nullable(Id('Id of the topic; null if none was given.')),
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
      html: Nullable(Type.String({ description: 'HTML body, as given or as the template says; null if there is none.' })),
      text: Nullable(Type.String({ description: 'Plain text body, as given or as the template says; null if there is none.' })),
      tags: Type.Array(Ref(Tag), { description: 'Tags, as given.' }),
      template_id: Nullable(Id('Id of the template of the email; null if it has none.')),
      template_version_id: Nullable(Id("Id of the template's version that was published at that time; null without a template.")),
      warnings: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'What to check in its content, as in the header `x-warnings` when it was sent: `placeholder_not_filled=NAME` for what looks like a placeholder and stands in the email as it is. Left out if there is nothing.',
          examples: [['placeholder_not_filled=FIRST_NAME']],
        }),
      ),
    },
    { description: 'An email, with its content.' },
  ),
)

export const EMAILS = Resource({
  tag: SECTIONS.emails,
  noun: 'Email',
  parameter: 'email_id',
  item: EmailSummary,
  example: {
    object: 'email',
    id: EXAMPLE_ID,
    message_id: `<${EXAMPLE_ID}@example.com>`,
    to: ['delivered@simulator.test'],
    from: 'Acme <hello@example.com>',
    created_at: EXAMPLE_TIME,
    subject: 'Your receipt',
    bcc: [],
    cc: [],
    reply_to: [],
    last_event: 'delivered',
    scheduled_at: null,
    topic_id: null,
  },
})

export const EmailParams = IdParams(EMAILS)
export const EmailListQuery = FilteredListQuery({
  status: Type.Optional(
    Enum(LAST_EVENTS.toSorted(), {
      description: 'Return only emails whose `last_event` it is, or in which it is the state of a recipient.',
    }),
  ),
  from: TextFilter('Return only emails from this address, or from all addresses of this domain.', ['hello@example.com']),
  to: TextFilter('Return only emails to this address, in `to`, `cc` or `bcc`.', ['ada@example.org']),
  subject: TextFilter('Return only emails with this part of a subject, in upper or lower case.', ['receipt'], { lengthMax: 60 }),
  tag: TextFilter('Return only emails with this tag: its name, or `name:value`.', ['category:receipt'], { lengthMax: 513 }),
  broadcast_id: QueryId('Return only emails of this broadcast.'),
  template_id: QueryId('Return only emails that were made of this template.'),
  ...DateFilters('emails that were accepted'),
})
export type EmailListQuery = Static<typeof EmailListQuery>

export const EmailList = SearchedList('EmailList', 'emails', EmailSummary)
export const EmailReference = Reference('EmailReference', 'email')

export const EmailUpdate = Named(
  'EmailUpdate',
  Type.Object(
    {
      scheduled_at: Type.String({
        description: 'The new time, in any form that `POST /emails` accepts.',
        examples: ['in 1 hour'],
      }),
    },
    { description: 'A new time for a scheduled email.' },
  ),
)

export const EmailShare = Named(
  'EmailShare',
  Type.Object(
    {
      expires_in: OptionalNullable(
        Type.String({
          description: 'How long the link is valid, such as `10m`, `2 hours` or `1h 30m`. 48 hours is the maximum and the default.',
          examples: ['2 hours'],
        }),
      ),
    },
    { description: 'How to share an email.' },
  ),
)
export const EmailShared = Named(
  'EmailShared',
  Type.Object(
    {
      object: Kind('email'),
      id: Id('Id of the email.'),
      url: Type.String({
        ...secret,
        description: 'Link to a page that shows the email to anyone who has the link.',
        examples: ['http://localhost:3000/share/1.eyJlbWFpbCI6...'],
      }),
    },
    { description: 'A link to a shared email.' },
  ),
)

export const EmailBatch = Type.Array(Ref(EmailSend), {
  minItems: 1,
  maxItems: BATCH_EMAILS_MAX,
  description: `The emails to send, at most ${BATCH_EMAILS_MAX}.`,
})
export const EmailBatchHeaders = Type.Object({
  'x-batch-validation': Type.Optional(
    Enum(['strict', 'permissive'], {
      description:
        'What happens if some emails are not valid. `strict` (the default): no email is sent. `permissive`: the valid ones are sent and the others are listed in `errors`.',
    }),
  ),
})
export const BatchError = Named(
  'BatchError',
  Type.Object(
    {
      index: Type.Integer({ description: 'Position of the email in the request, counted from 0.' }),
      name: Enum(ERROR_NAMES, { description: 'The kind of error, for programs.', examples: ['validation_error'] }),
      message: Type.String({ description: 'What is wrong with the email, for people.' }),
    },
    { description: 'An email of a batch that was not accepted.' },
  ),
)
export const EmailBatchSent = Named(
  'EmailBatchSent',
  Type.Object(
    {
      data: Type.Array(Ref(EmailSent), { description: 'The accepted emails, in the order of the request.' }),
      errors: Type.Optional(
        Type.Array(Ref(BatchError), { description: 'The emails that were not accepted. Only with `x-batch-validation: permissive`.' }),
      ),
    },
    { description: 'The emails of a batch that were accepted, and those that were not.' },
  ),
)

export type EmailSend = Static<typeof EmailSend>
export type AttachmentInput = Static<typeof AttachmentInput>
