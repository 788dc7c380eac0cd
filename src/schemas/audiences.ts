// The former name of segments.
import { Type } from '@sinclair/typebox'
import { Deletion, Id, IdParams, Kind, List, Named, Timestamp } from './common.ts'
import { SegmentName } from './segments.ts'

export const AudienceCreate = Named('AudienceCreate', Type.Object({ name: SegmentName }))

const fields = {
  id: Id('Id of the audience: that of the segment.'),
  name: Type.String({ description: 'What it is called.', examples: ['Customers'] }),
}
const created = Timestamp('When the audience was created.')

export const AudienceCreated = Named('AudienceCreated', Type.Object({ object: Kind('audience'), ...fields }))
export const AudienceSummary = Named('AudienceSummary', Type.Object({ ...fields, created_at: created }))
export const Audience = Named('Audience', Type.Object({ object: Kind('audience'), ...fields, created_at: created }))

export const AudienceParams = IdParams('audience_id', 'Id of the audience.')
export const AudienceList = List('AudienceList', AudienceSummary)
export const AudienceDeletion = Deletion('AudienceDeletion', 'audience')
