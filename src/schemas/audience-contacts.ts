// The contacts of a segment, under its former name.
import { Type } from '@sinclair/typebox'
import { AudienceParams } from './audiences.ts'
import { Kind, Named } from './common.ts'
import { ContactCreate, ContactParams } from './contacts.ts'

export const AudienceContactCreate = Named(
  'AudienceContactCreate',
  Type.Omit(ContactCreate, ['segments', 'topics', 'audience_id'], { description: 'A contact to add to an audience.' }),
)

export const AudienceContactDeletion = Named(
  'AudienceContactDeletion',
  Type.Object(
    {
      object: Kind('contact'),
      id: Type.String({ description: 'Id of the contact. If the team has no such contact: the text from the path.' }),
      contact: Type.String({ description: 'The contact as the path gives it.', examples: ['ada@example.com'] }),
      deleted: Type.Boolean({ description: 'Always `true`.' }),
    },
    { description: 'Confirms that the contact is not in the audience.' },
  ),
)

export const AudienceContactParams = Type.Composite([AudienceParams, ContactParams])
