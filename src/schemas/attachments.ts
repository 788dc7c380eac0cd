import { Type } from '@sinclair/typebox'
import { Enum, Id, IsoTime, Kind, List, Named, Nullable, secret } from './common.ts'
import { EMAILS, EmailParams } from './emails.ts'
import { IdParams, Resource } from './resource.ts'

const fields = {
  id: Id('Id of the attachment.'),
  filename: Nullable(Type.String({ description: 'Name of the file; null if it has none.' })),
  content_type: Type.String({ description: 'Media type.', examples: ['application/pdf'] }),
  content_disposition: Enum(['inline', 'attachment'], {
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
  tag: EMAILS.tag,
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
