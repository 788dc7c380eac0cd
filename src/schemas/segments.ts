import { type Static, Type } from '@sinclair/typebox'
import { Deletion, EXAMPLE_TIME, Given, Id, Kept, Kind, List, Name, Named, Nullable, Ref, Reference, Timestamp } from './common.ts'
import { IdParams, Resource } from './resource.ts'
import { SegmentFilter } from './segment-filters.ts'

export const SEGMENT_NAME_LENGTH_MAX = 100
/** The limit of a team. */
export const SEGMENTS_MAX = 1_000
/** The limit of a team. Each filter is evaluated for every contact whose segments are requested. */
export const FILTER_SEGMENTS_MAX = 100
/** The length of the field that is ignored. */
const IGNORED_LENGTH_MAX = 256

export const SegmentName = Name({
  lengthMax: SEGMENT_NAME_LENGTH_MAX,
  description: `Name: at most ${SEGMENT_NAME_LENGTH_MAX} characters, at least one of them visible. Names need not be unique.`,
  examples: ['Customers'],
})

export const SegmentCreate = Named(
  'SegmentCreate',
  Type.Object(
    {
      name: SegmentName,
      filter: Given(Ref(SegmentFilter), {
        description: 'Selects the contacts of the segment. Without a filter, contacts are added one by one.',
      }),
      audience_id: Given(
        Type.String({ maxLength: IGNORED_LENGTH_MAX, deprecated: true, description: 'Ignored. It no longer has a meaning.' }),
      ),
    },
    { description: 'A segment to create.' },
  ),
)

export const SegmentUpdate = Named(
  'SegmentUpdate',
  Type.Object(
    {
      name: Kept(SegmentName),
      filter: Type.Optional(
        Nullable(Ref(SegmentFilter), {
          description: 'Selects the contacts of the segment. Null removes the filter: the segment is then empty.',
        }),
      ),
    },
    { description: 'Fields of a segment to change. Fields that are left out stay as they are.' },
  ),
)

const fields = {
  id: Id('Id of the segment.'),
  name: Type.String({ description: 'Name of the segment.', examples: ['Customers'] }),
}
const created = Timestamp('When the segment was created.')
const formerId = Type.String({ format: 'uuid', deprecated: true, description: 'Same as `id`, under its former name.' })

export const SegmentCreated = Named(
  'SegmentCreated',
  Type.Object({ object: Kind('segment'), ...fields }, { description: 'A segment that was created.' }),
)
export const SegmentSummary = Named(
  'SegmentSummary',
  Type.Object({ ...fields, audience_id: formerId, created_at: created }, { description: 'A segment, as lists show it.' }),
)
export const Segment = Named(
  'Segment',
  Type.Object(
    {
      object: Kind('segment'),
      ...fields,
      audience_id: formerId,
      filter: Nullable(Ref(SegmentFilter), { description: 'Selects the contacts of the segment; null if contacts are added one by one.' }),
      created_at: created,
    },
    { description: 'A segment, with its filter.' },
  ),
)

export const SEGMENTS = Resource({
  tag: { name: 'Segments', description: 'Groups of contacts, added one by one or selected by a filter.' },
  noun: 'Segment',
  parameter: 'segment_id',
  item: SegmentSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c43',
    name: 'Customers',
    audience_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c43',
    created_at: EXAMPLE_TIME,
  },
})

export const SegmentParams = IdParams(SEGMENTS)
export const SegmentList = List('SegmentList', 'segments', SegmentSummary)
export const SegmentReference = Reference('SegmentReference', 'segment')
export const SegmentDeletion = Deletion('SegmentDeletion', 'segment')

export type SegmentCreate = Static<typeof SegmentCreate>
export type SegmentUpdate = Static<typeof SegmentUpdate>
