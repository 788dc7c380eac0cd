// How many contacts a filter finds, before a segment has it.
import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Kind, Named, Ref } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { BoundedCount } from './segment-members.repository.ts'
import { SEGMENTS, SegmentFilter } from './segments.schema.ts'
import { resolveSegmentFilter } from './segments.service.ts'

type Context = PlatformContext & AudienceContext

const SegmentCountCreate = Named(
  'SegmentCountCreate',
  Type.Object(
    {
      filter: Ref(SegmentFilter),
    },
    { description: 'A filter whose contacts are counted.' },
  ),
)
const SegmentCount = Named(
  'SegmentCount',
  Type.Object(
    {
      object: Kind('segment_count'),
      contacts: Type.Integer({ description: 'Number of contacts that were found.', examples: [300] }),
      is_exact: Type.Boolean({ description: 'False if counting all contacts takes too long: the filter finds at least as many.' }),
    },
    { description: 'How many contacts a filter finds.' },
  ),
)

const toSegmentCount = ({ contacts, isAll }: BoundedCount): Static<typeof SegmentCount> => ({
  object: 'segment_count',
  contacts,
  is_exact: isAll,
})

const operation = declareOperations(SEGMENTS)

export const segmentCountRoutes: Routes<Context> = async (app, { context }) => {
  const { segmentMembers } = context.repositories

  app.post(
    '/segments/counts',
    operation({
      id: 'segments.counts.create',
      summary: 'Count the contacts that a filter finds',
      description: 'Counts the contacts that a filter finds now, without creating a segment. Nothing is stored.',
      access: 'full',
      scope: 'segments:read',
      audit: 'never',
      body: SegmentCountCreate,
      reply: { 200: SegmentCount },
      example: {
        body: { filter: { field: 'unsubscribed', operator: 'equals', value: false } },
        reply: { object: 'segment_count', contacts: 300, is_exact: true },
      },
    }),
    async ({ teamId, body }) => {
      const { filter } = await resolveSegmentFilter(context, teamId, body.filter)
      return toSegmentCount(await segmentMembers.countSoon(teamId, { id: '', filter }))
    },
  )
}
