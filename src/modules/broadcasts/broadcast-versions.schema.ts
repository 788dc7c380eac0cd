import { Type } from '@sinclair/typebox'
import { Resource } from '../../http/resource.ts'
import { EXAMPLE_TIME, Id, Kind, List, Named, Nullable, Ref, Timestamp } from '../../lib/validation/common.schema.ts'
import { authorship, ContentDocument, EXAMPLE_AUTHORSHIP } from '../templates/content-document.ts'
import { BROADCASTS } from './broadcasts.schema.ts'

const id = Id('Id of the version.')
const summaryFields = {
  id,
  is_current: Type.Boolean({ description: 'Whether the broadcast says this now.' }),
  ...authorship,
  created_at: Timestamp('When the version was made.'),
  from: Type.String({ description: 'Sender, as given.' }),
  subject: Type.String({ description: 'Subject line, as given.' }),
  reply_to: Nullable(Type.String({ description: 'Where replies are sent; several addresses are joined by commas. Null if unset.' })),
  preview_text: Nullable(Type.String({ description: 'What mail programs show beside the subject; null if unset.' })),
}

export const BroadcastVersionSummary = Named(
  'BroadcastVersionSummary',
  Type.Object(summaryFields, { description: 'A version of a broadcast, as lists show it.' }),
)

export const BroadcastVersionContent = Named(
  'BroadcastVersionContent',
  Type.Object(
    {
      object: Kind('broadcast_version'),
      ...summaryFields,
      html: Nullable(Type.String({ description: 'HTML body, as given; null if there is none.' })),
      text: Nullable(Type.String({ description: 'Plain text body, as given; null if none was given.' })),
      content_document: Nullable(Ref(ContentDocument), { description: 'What the editor wrote; null if the HTML was written otherwise.' }),
    },
    { description: 'What a broadcast has said at a time.' },
  ),
)

export const EXAMPLE_VERSION_BODY = {
  html: '<p>Hello {{{contact.first_name|there}}}!</p>',
  text: null,
  content_document: null,
}

export const BROADCAST_VERSIONS = Resource({
  tag: BROADCASTS.tag,
  noun: 'Version',
  parameter: 'broadcast_version_id',
  item: BroadcastVersionSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c97',
    is_current: true,
    ...EXAMPLE_AUTHORSHIP,
    created_at: EXAMPLE_TIME,
    from: 'Acme <hello@example.com>',
    subject: 'News for {{{contact.first_name|you}}}',
    reply_to: null,
    preview_text: null,
  },
})

export const BroadcastVersionParams = Type.Object({ broadcast_id: Id('Id of the broadcast.'), broadcast_version_id: id })
export const BroadcastVersionList = List('BroadcastVersionList', 'versions', BroadcastVersionSummary)
