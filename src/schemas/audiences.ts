// The former name of segments.
import { Type } from '@sinclair/typebox'
import { Deletion, EXAMPLE_TIME, Id, Kind, List, Named, Timestamp } from './common.ts'
import { IdParams, Resource } from './resource.ts'
import { SEGMENTS, SegmentName } from './segments.ts'

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
  tag: { name: 'Audiences', description: 'The former name of segments, for clients that still use it.' },
  noun: 'Audience',
  parameter: 'audience_id',
  item: AudienceSummary,
  example: { id: SEGMENTS.example.id, name: SEGMENTS.example.name, created_at: EXAMPLE_TIME },
})

export const AudienceParams = IdParams(AUDIENCES)
export const AudienceList = List('AudienceList', 'audiences', AudienceSummary)
export const AudienceDeletion = Deletion('AudienceDeletion', 'audience')
