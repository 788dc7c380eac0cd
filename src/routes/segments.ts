import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { endedWarnings } from '../lib/uses.ts'
import { DeletionQuery, WholeListQuery } from '../schemas/common.ts'
import {
  FILTER_SEGMENTS_MAX,
  SEGMENTS,
  SEGMENTS_MAX,
  Segment,
  SegmentCreate,
  SegmentCreated,
  SegmentDeletion,
  SegmentList,
  SegmentParams,
  SegmentReference,
  SegmentUpdate,
} from '../schemas/segments.ts'
import { toList } from '../serializers/list.ts'
import { toSegment, toSegmentSummary } from '../serializers/segments.ts'
import { resolveSegmentFilter } from '../services/resolve-segment-filter.ts'
import { changeSegment, createSegment, removeSegment } from '../services/save-segment.ts'
import { type Call, operation, routes } from './operation.ts'

export const segmentRoutes = routes(SEGMENTS, (context) => {
  const { segments } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof SegmentCreate }>) {
    const filter = body.filter == null ? null : await resolveSegmentFilter(context, teamId, body.filter)
    return { object: 'segment' as const, ...(await createSegment(context, teamId, { name: body.name, filter })) }
  }

  async function list({ teamId, query }: Call<{ query: typeof WholeListQuery }>) {
    return toList(await segments.list(teamId, pageRequest(query, 'optional')), toSegmentSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof SegmentParams }>) {
    const segment = await segments.find(teamId, params.segment_id)
    if (!segment) throw notFound(SEGMENTS.noun)
    return toSegment(segment)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof SegmentParams; body: typeof SegmentUpdate }>) {
    const { name, filter: input } = body
    const filter = input && (await resolveSegmentFilter(context, teamId, input))
    const change = { ...(name !== undefined && { name }), ...(filter !== undefined && { filter }) }
    const changed = await changeSegment(context, teamId, { id: params.segment_id, change })
    if (!changed) throw notFound(SEGMENTS.noun)
    return { object: 'segment' as const, id: changed.id }
  }

  async function remove({ teamId, params, query, warn }: Call<{ params: typeof SegmentParams; query: typeof DeletionQuery }>) {
    warn(endedWarnings(await removeSegment(context, teamId, params.segment_id, { unlessUsed: query.unless_used === true })))
    return { object: 'segment' as const, id: params.segment_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'segments.create',
      method: 'POST',
      path: '/segments',
      summary: 'Create a segment',
      description: `Creates a segment. With a \`filter\`, the filter selects its contacts; without one, contacts are added one by one. A team can have ${SEGMENTS_MAX.toLocaleString('en')} segments, ${FILTER_SEGMENTS_MAX} of them with a filter.`,
      access: 'full',
      status: 201,
      body: SegmentCreate,
      reply: SegmentCreated,
      example: { body: { name: 'Customers' }, reply: { object: 'segment', id: SEGMENTS.example.id, name: 'Customers' } },
      handle: create,
    }),
    operation({
      id: 'segments.list',
      method: 'GET',
      path: '/segments',
      summary: 'List segments',
      description: 'Returns the segments of the team without their filters, newest first, all of them by default.',
      access: 'full',
      query: WholeListQuery,
      reply: SegmentList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [SEGMENTS.example],
        },
      },
      handle: list,
    }),
    operation({
      id: 'segments.retrieve',
      method: 'GET',
      path: '/segments/:segment_id',
      summary: 'Retrieve a segment',
      description: 'Returns a segment, with its filter if it has one.',
      access: 'full',
      params: SegmentParams,
      reply: Segment,
      example: {
        reply: {
          object: 'segment',
          ...SEGMENTS.example,
          filter: { property: 'company', operator: 'contains', value: 'engines' },
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'segments.update',
      method: 'PATCH',
      path: '/segments/:segment_id',
      summary: 'Update a segment',
      description:
        'Changes the given fields of a segment. A filter can be added only if no contact was added to the segment and no other filter refers to it.',
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: SegmentParams,
      body: SegmentUpdate,
      reply: SegmentReference,
      example: { body: { name: 'Loyal customers' }, reply: { object: 'segment', id: SEGMENTS.example.id } },
      handle: update,
    }),
    operation({
      id: 'segments.delete',
      method: 'DELETE',
      path: '/segments/:segment_id',
      summary: 'Delete a segment',
      description:
        'Deletes a segment. Its contacts are kept. A segment that does not exist counts as deleted. A segment that the filter of another segment refers to cannot be deleted. Broadcasts that are scheduled to it become drafts again, and enabled automations that add contacts to it are disabled.',
      access: 'full',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: SegmentParams,
      query: DeletionQuery,
      allowsUnknown: true,
      reply: SegmentDeletion,
      example: { reply: { object: 'segment', id: SEGMENTS.example.id, deleted: true } },
      warns: true,
      handle: remove,
    }),
  ]
})
