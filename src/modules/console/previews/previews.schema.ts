import { Type } from '@sinclair/typebox'
import { Kind, Named, secret, Timestamp } from '../../../lib/validation/common.schema.ts'
import { SHOWN_LENGTH_MAX } from '../../../mail/html/contained-html.ts'

export const PreviewCreation = Named(
  'PreviewCreation',
  Type.Object(
    {
      html: Type.String({
        maxLength: SHOWN_LENGTH_MAX,
        description: `HTML of a mail, at most ${SHOWN_LENGTH_MAX.toLocaleString('en')} characters. What would run or contact a server is left out.`,
        examples: ['<p>Thank you for your order.</p>'],
      }),
      remote_images: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Whether images of other servers may be loaded. Their senders then learn that someone looks at the mail.',
        }),
      ),
      email_id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of the email whose images `cid:` stands for.' })),
      received_email_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'Id of the received email whose images `cid:` stands for.' }),
      ),
    },
    { description: 'HTML of a mail that someone wants to look at.' },
  ),
)

export const Preview = Named(
  'Preview',
  Type.Object(
    {
      object: Kind('preview'),
      url: Type.String({
        description: 'Address of the document for a frame on a page of this installation. It works once.',
        examples: ['/previews/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'],
        ...secret,
      }),
      expires_at: Timestamp('When the address ends.'),
      has_remote_images: Type.Boolean({ description: 'Whether the HTML names images of other servers.' }),
      is_cut: Type.Boolean({ description: 'Whether the end of the HTML is left out, because it is too long to be shown.' }),
    },
    { description: 'A document that shows HTML of a mail, in which nothing runs.' },
  ),
)
