import { type Static, Type } from '@sinclair/typebox'
import { Deletion, Given, Id, IdParams, Kept, Kind, List, Name, Named, Ref, Reference, Timestamp } from './common.ts'
import { SegmentFilter } from './segment-filters.ts'

export const SEGMENT_NAME_LENGTH_MAX = 100
/** Of one team. */
export const SEGMENTS_MAX = 1_000
/** Of one team: each of them is looked at for every contact whose segments are asked for. */
export const FILTER_SEGMENTS_MAX = 100
/** What a client may say in the field that is ignored. */
const IGNORED_LENGTH_MAX = 256

export const SegmentName = Name({
  lengthMax: SEGMENT_NAME_LENGTH_MAX,
  description: `What it is called: at most ${SEGMENT_NAME_LENGTH_MAX} characters, one of them visible. Two may have the same name.`,
  examples: ['Customers'],
})

export const SegmentCreate = Named(
  'SegmentCreate',
  Type.Object({
    name: SegmentName,
    filter: Given(Ref(SegmentFilter)),
    audience_id: Given(Type.String({ maxLength: IGNORED_LENGTH_MAX, deprecated: true, description: 'Has no meaning any more; ignored.' })),
  }),
)

export const SegmentUpdate = Named(
  'SegmentUpdate',
  Type.Object({
    name: Kept(SegmentName),
    filter: Type.Optional(
      Type.Union([Ref(SegmentFilter), Type.Null()], { description: 'Null takes the filter away: then nobody is in the segment.' }),
    ),
  }),
)

const fields = {
  id: Id('Id of the segment.'),
  name: Type.String({ description: 'What it is called.', examples: ['Customers'] }),
}
const created = Timestamp('When the segment was created.')
const formerId = Type.String({ format: 'uuid', deprecated: true, description: 'The id once more, under its former name.' })

export const SegmentCreated = Named('SegmentCreated', Type.Object({ object: Kind('segment'), ...fields }))
export const SegmentSummary = Named('SegmentSummary', Type.Object({ ...fields, audience_id: formerId, created_at: created }))
export const Segment = Named(
  'Segment',
  Type.Object({
    object: Kind('segment'),
    ...fields,
    audience_id: formerId,
    filter: Type.Union([Ref(SegmentFilter), Type.Null()], { description: 'What finds its contacts; null when they are put into it.' }),
    created_at: created,
  }),
)

export const SegmentParams = IdParams('segment_id', 'Id of the segment.')
export const SegmentList = List('SegmentList', SegmentSummary)
export const SegmentReference = Reference('SegmentReference', 'segment')
export const SegmentDeletion = Deletion('SegmentDeletion', 'segment')

export type SegmentCreate = Static<typeof SegmentCreate>
export type SegmentUpdate = Static<typeof SegmentUpdate>
