// The former name of segments.

import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { Deletion, EXAMPLE_TIME, Id, Kind, List, Named, Timestamp } from '../../../lib/validation/common.schema.ts'
import { ContactCreate, ContactParams } from '../contacts/contacts.schema.ts'
import { SEGMENTS, SegmentName } from '../segments/segments.schema.ts'

export const AudienceCreate = Named('AudienceCreate', Type.Object({ name: SegmentName }, { description: 'An audience to create.' }))

const fields = {
  id: Id('Id of the audience, which is also the id of the segment.'),
  name: Type.String({ description: 'Name of the audience.', examples: ['Customers'] }),
}
const created = Timestamp('When the audience was created.')

export const AudienceCreated = Named(
  'AudienceCreated',
  Type.Object({ object: Kind('audience'), ...fields }, { description: 'An audience that was created.' }),
)
export const AudienceSummary = Named(
  'AudienceSummary',
  Type.Object({ ...fields, created_at: created }, { description: 'A segment under its former name, as lists show it.' }),
)
export const Audience = Named(
  'Audience',
  Type.Object({ object: Kind('audience'), ...fields, created_at: created }, { description: 'A segment under its former name.' }),
)

export const AUDIENCES = Resource({
  tag: SECTIONS.audiences,
  noun: 'Audience',
  parameter: 'audience_id',
  item: AudienceSummary,
  example: { id: SEGMENTS.example.id, name: SEGMENTS.example.name, created_at: EXAMPLE_TIME },
})

export const AudienceParams = IdParams(AUDIENCES)
export const AudienceList = List('AudienceList', 'audiences', AudienceSummary)
export const AudienceDeletion = Deletion('AudienceDeletion', 'audience')

// The contacts of a segment, under its former name.

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
