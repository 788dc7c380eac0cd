import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { DeletionQuery, ListQuery, WholeListQuery } from '../../../lib/validation/common.schema.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import { contactsOfPage, listMembers } from '../contacts/contacts.routes.ts'
import { CONTACTS, ContactList } from '../contacts/contacts.schema.ts'
import type { PropertyRow } from '../properties/properties.repository.ts'
import { type FilterRule, mapLeaves, type StoredRule } from './filters/segment-rules.ts'
import type { ListedSegmentRow, SegmentRow } from './segments.repository.ts'
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
  type SegmentSummary,
  SegmentUpdate,
} from './segments.schema.ts'
import { createSegment, deleteSegment, resolveSegmentFilter, updateSegment } from './segments.service.ts'

type Context = PlatformContext & SuppressionsContext & AudienceContext

const operation = declareOperations(SEGMENTS)
const segment = plainResource(SEGMENTS, 'segment')

/** A single one has its filter instead. */
const { has_filter: _, ...EXAMPLE } = SEGMENTS.example

export const segmentContactRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/segments/:segment_id/contacts',
    operation({
      id: 'segments.contacts.list',
      summary: 'List the contacts of a segment',
      description:
        'Returns the contacts that were added to a segment, or that its filter selects at the moment, newest contacts first, 20 by default. If the filter takes longer than five seconds, the response is a 422.',
      access: 'full',
      audit: 'never',
      shows: ['contacts'],
      params: SegmentParams,
      query: ListQuery,
      reply: { 200: ContactList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ ...CONTACTS.example, suppressed: false }],
        },
      },
    }),
    async ({ caller, teamId, params, query }) => {
      const page = await listMembers(context, teamId, params.segment_id, pageRequest(query, 'always'))
      return toList(page, await contactsOfPage(context.repositories, teamId, { caller, rows: page.rows }))
    },
  )
}

/**
 * A filter as the client wrote it.
 *
 * @param properties those of the team; a property that a filter uses cannot be deleted
 */
export function toSegmentFilter(filter: StoredRule, properties: Pick<PropertyRow, 'number' | 'key'>[]): FilterRule {
  const keys = new Map(properties.map(({ number, key }) => [number, key]))
  return mapLeaves(filter, (leaf) => {
    if ('topic' in leaf) return { topic: leaf.topic, subscription: leaf.subscription }
    if ('written' in leaf) return { field: leaf.field, operator: leaf.operator, value: leaf.written }
    if (!('property' in leaf)) return leaf
    const key = keys.get(leaf.property)
    if (key === undefined) throw new Error(`A filter names the property ${leaf.property}, which is gone`)
    const { operator, value } = leaf
    return { property: key, operator, ...(value !== undefined && { value }) }
  })
}

export const toSegmentSummary = ({ id, name, createdAt, hasFilter }: ListedSegmentRow): Static<typeof SegmentSummary> => ({
  id,
  name,
  audience_id: id,
  created_at: toTimestamp(createdAt),
  has_filter: hasFilter,
})

export const toSegment = ({ id, name, createdAt, filter, properties }: SegmentRow): Static<typeof Segment> => ({
  object: 'segment',
  id,
  name,
  audience_id: id,
  filter: filter && toSegmentFilter(filter, properties),
  created_at: toTimestamp(createdAt),
})

export const segmentRoutes: Routes<Context> = async (app, { context }) => {
  const { segments } = context.repositories

  app.post(
    '/segments',
    operation({
      id: 'segments.create',
      summary: 'Create a segment',
      description: `Creates a segment. With a \`filter\`, the filter selects its contacts; without one, contacts are added one by one. A team can have ${SEGMENTS_MAX.toLocaleString('en')} segments, ${FILTER_SEGMENTS_MAX} of them with a filter.`,
      access: 'full',
      audit: 'always',
      body: SegmentCreate,
      reply: { 201: SegmentCreated },
      example: { body: { name: 'Customers' }, reply: { ...segment.examples.reference, name: 'Customers' } },
    }),
    async ({ teamId, body }) => {
      const filter = body.filter == null ? null : await resolveSegmentFilter(context, teamId, body.filter)
      return segment.reference(await createSegment(context, teamId, { name: body.name, filter }))
    },
  )

  app.get(
    '/segments',
    operation({
      id: 'segments.list',
      summary: 'List segments',
      description: 'Returns the segments of the team without their filters, newest first, all of them by default.',
      access: 'full',
      audit: 'never',
      isCount: true,
      query: WholeListQuery,
      reply: { 200: SegmentList },
      example: { reply: segment.examples.list },
    }),
    segment.list(segments.list, toSegmentSummary, 'optional'),
  )

  app.get(
    '/segments/:segment_id',
    operation({
      id: 'segments.retrieve',
      summary: 'Retrieve a segment',
      description: 'Returns a segment, with its filter if it has one.',
      access: 'full',
      audit: 'never',
      params: SegmentParams,
      reply: { 200: Segment },
      example: {
        reply: {
          object: 'segment',
          ...EXAMPLE,
          filter: { property: 'company', operator: 'contains', value: 'engines' },
        },
      },
    }),
    segment.retrieve(segments.find, toSegment),
  )

  app.patch(
    '/segments/:segment_id',
    operation({
      id: 'segments.update',
      summary: 'Update a segment',
      description:
        'Changes the given fields of a segment. A filter can be added only if no contact was added to the segment and no other filter refers to it.',
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: SegmentParams,
      body: SegmentUpdate,
      reply: { 200: SegmentReference },
      example: { body: { name: 'Loyal customers' }, reply: segment.examples.reference },
    }),
    async ({ teamId, params, body }) => {
      const { name, filter: input } = body
      const filter = input && (await resolveSegmentFilter(context, teamId, input))
      const change = { ...(name !== undefined && { name }), ...(filter !== undefined && { filter }) }
      return segment.reference(await updateSegment(context, teamId, { id: params.segment_id, change }))
    },
  )

  app.delete(
    '/segments/:segment_id',
    operation({
      id: 'segments.delete',
      summary: 'Delete a segment',
      description:
        'Deletes a segment. Its contacts are kept. A segment that does not exist counts as deleted. A segment that the filter of another segment refers to cannot be deleted. Broadcasts that are scheduled to it become drafts again, and enabled automations that add contacts to it are disabled.',
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: SegmentParams,
      query: DeletionQuery,
      allowsUnknown: true,
      reply: { 200: SegmentDeletion },
      example: { reply: segment.examples.deletion },
      warns: true,
    }),
    async ({ teamId, params, query }, reply) =>
      segment.deletionOfUsed(await deleteSegment(context, teamId, params.segment_id, { unlessUsed: query.unless_used }), reply),
  )
}
