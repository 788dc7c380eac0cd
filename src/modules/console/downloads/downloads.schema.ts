import { Type } from '@sinclair/typebox'
import { Kind, Named, secret, Timestamp } from '../../../lib/validation/common.schema.ts'

/** The longest search of the audit log. */
const PATH_LENGTH_MAX = 2_000

export const DownloadCreation = Named(
  'DownloadCreation',
  Type.Object(
    {
      path: Type.String({
        maxLength: PATH_LENGTH_MAX,
        description:
          'What to download: the path of a GET operation, with its query. `/audit-log` with `format=csv` or `format=jsonl`; `/contacts/export`, `/emails/export`, `/emails/metrics/export` and `/broadcasts/{id}/recipients/export`; `/contacts/{id}/export`; `/contacts/imports/{id}` for its refused rows; `/emails/{id}/source` with `format=eml`, and `/emails/receiving/{id}`, for the raw message; an attachment of an email or of a received email; `/domains/{id}/zone-file`.',
        examples: ['/audit-log?format=csv'],
      }),
    },
    { description: 'A file that a person wants to have.' },
  ),
)

export const Download = Named(
  'Download',
  Type.Object(
    {
      object: Kind('download'),
      url: Type.String({
        ...secret,
        description: 'Path of the file on this installation. It works once.',
        examples: ['/downloads/once/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU'],
      }),
      expires_at: Timestamp('When the path ends.'),
    },
    { description: 'Where a browser gets a file.' },
  ),
)
