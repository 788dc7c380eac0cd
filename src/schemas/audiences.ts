// The former name of segments.
import { Type } from '@sinclair/typebox'
import { Deletion, Id, IdParams, Kind, List, Named, Timestamp } from './common.ts'
import { SegmentName } from './segments.ts'

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

export const AudienceParams = IdParams('audience_id', 'Id of the audience.')
export const AudienceList = List('AudienceList', 'audiences', AudienceSummary)
export const AudienceDeletion = Deletion('AudienceDeletion', 'audience')
