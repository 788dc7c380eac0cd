import { Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named, Nullable, Timestamp } from '../../lib/validation/common.schema.ts'

export const NO_MAIL_REASONS = ['suppressed', 'not_a_contact', 'unsubscribed', 'opted_out', 'not_opted_in'] as const

export const KEPT_FROM = ['all_mail', 'bulk_mail', 'broadcasts', 'topic'] as const

const Remedy = Type.Object(
  {
    operation: Type.String({ description: 'Id of the operation.', examples: ['contacts.update'] }),
    method: Type.String({ description: 'HTTP method.', examples: ['PATCH'] }),
    path: Type.String({ description: 'Path of the request.', examples: ['/contacts/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c57'] }),
    body: Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'Body of the request; null if it has none.' })),
  },
  { description: 'The request that ends it. Send it only if the person wants the mail.' },
)

const Reason = Type.Object(
  {
    reason: Enum([...NO_MAIL_REASONS], {
      description:
        'Why there is no mail. `suppressed`: the address is on the suppression list. `not_a_contact`: broadcasts go to contacts only. `unsubscribed`: from all bulk email. `opted_out`: of a topic. `not_opted_in`: to a topic to which people have to opt in.',
    }),
    keeps_from: Enum([...KEPT_FROM], {
      description:
        'Which mail is not sent. `all_mail`: any. `bulk_mail`: broadcasts, and emails with a topic. `broadcasts`: these alone. `topic`: mail of the topic `topic_id`.',
    }),
    topic_id: Nullable(Id('Id of the topic; null unless it keeps from mail of a topic.')),
    topic_name: Nullable(Type.String({ description: 'Name of the topic; null unless it keeps from mail of a topic.' })),
    since: Nullable(Timestamp('Since when; null if that is not known.')),
    email_id: Nullable(Id('Id of the email that bounced or was reported; null if there is none.')),
    explanation: Type.String({
      description: 'What it means, in a sentence.',
      examples: ['The person unsubscribed from all bulk email.'],
    }),
    advice: Type.String({
      description: 'What to do, in a sentence.',
      examples: ['Subscribe the contact again only if the person asks for it.'],
    }),
    remedy: Nullable(Type.Object(Remedy.properties, { description: `${Remedy.description} Null if only the person can do it.` })),
  },
  { description: 'A reason why a person gets no mail.' },
)

export const ContactDeliverability = Named(
  'ContactDeliverability',
  Type.Object(
    {
      object: Kind('contact_deliverability'),
      contact_id: Nullable(Id('Id of the contact; null if the address does not belong to a contact.')),
      email: Type.String({ description: 'The address.', examples: ['ada@example.com'] }),
      gets_mail: Type.Boolean({ description: 'Whether mail without a topic that is not of a broadcast is sent to the address.' }),
      gets_bulk_mail: Type.Boolean({ description: 'Whether a broadcast without a topic is sent to the address.' }),
      reasons: Type.Array(Reason, { description: 'Why the person gets no mail, or not all. What keeps from most stands first.' }),
    },
    { description: 'Whether mail is sent to a person, and why not.' },
  ),
)
