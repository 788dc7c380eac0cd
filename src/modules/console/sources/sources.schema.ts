import { Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named } from '../../../lib/validation/common.schema.ts'
import { SOURCE_BYTES_MAX } from './email-message.service.ts'

export const SourceQuery = Type.Object({
  format: Type.Optional(
    Enum(['json', 'eml'], { default: 'json', description: '`eml`: the whole message as a file, in place of its beginning in JSON.' }),
  ),
})

export const EmailSource = Named(
  'EmailSource',
  Type.Object(
    {
      object: Kind('email_source'),
      id: Id('Id of the email.'),
      text: Type.String({
        description: `The message, at most ${SOURCE_BYTES_MAX / 1024} KiB of it.`,
        examples: ['From: Acme <hello@example.com>\r\nSubject: Your receipt\r\n'],
      }),
      is_cut: Type.Boolean({ description: 'Whether `text` is only its beginning.' }),
    },
    { description: 'The message of an email that was sent, as it is sent.' },
  ),
)
