// The contacts of a segment, under its former name.
import { Type } from '@sinclair/typebox'
import { AudienceParams } from './audiences.ts'
import { Kind, Named } from './common.ts'
import { ContactCreate, ContactParams } from './contacts.ts'

export const AudienceContactCreate = Named('AudienceContactCreate', Type.Omit(ContactCreate, ['segments', 'topics', 'audience_id']))

export const AudienceContactDeletion = Named(
  'AudienceContactDeletion',
  Type.Object({
    object: Kind('contact'),
    id: Type.String({ description: 'Id of the contact; what the path names when the team has no such contact.' }),
    contact: Type.String({ description: 'The contact as the path names it.', examples: ['ada@example.com'] }),
    deleted: Type.Boolean({ description: 'Always `true`.' }),
  }),
)

export const AudienceContactParams = Type.Composite([AudienceParams, ContactParams])
