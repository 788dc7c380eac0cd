// How far the list of contacts of a deleted segment is removed, which a job does after the segment is deleted.
import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { Id, Kind, Named } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import { SEGMENTS, SegmentParams } from '../../audience/segments/segments.schema.ts'
import { CONSOLE } from '../console.schema.ts'

/** Some hundredths of a second, again and again. */
const LEFT_COUNTED_MAX = 50_000

const SegmentRemoval = Named(
  'SegmentRemoval',
  Type.Object(
    {
      object: Kind('segment_removal'),
      id: Id('Id of the segment.'),
      contacts_left: Type.Integer({
        description: `How many of its contacts are still in its list, at most ${LEFT_COUNTED_MAX.toLocaleString('en')}; 0 once all are removed, and for a segment that was not deleted.`,
        examples: [1_200],
      }),
      is_exact: Type.Boolean({ description: 'False if there are more than were counted.' }),
    },
    { description: 'How far the list of contacts of a deleted segment is removed. The contacts themselves are kept.' },
  ),
)

const operation = declareOperations(CONSOLE)

export const segmentRemovalRoutes: Routes<AudienceContext> = async (app, { context }) => {
  const { orphanedMembers } = context.repositories

  app.get(
    '/segments/:segment_id/removal',
    operation({
      id: 'segments.removal.retrieve',
      summary: 'Retrieve the removal of a segment',
      description: 'Returns how many contacts are still to be removed from the list of a deleted segment.',
      access: 'member',
      scope: 'segments:read',
      audit: 'never',
      allowsUnknown: true,
      params: SegmentParams,
      reply: { 200: SegmentRemoval },
      example: { reply: { object: 'segment_removal', id: SEGMENTS.example.id, contacts_left: 1_200, is_exact: true } },
    }),
    async ({ teamId, params }) => {
      const id = params.segment_id.toLowerCase()
      const counted = await orphanedMembers.countOfSegment(teamId, id, LEFT_COUNTED_MAX)
      return {
        ...{ object: 'segment_removal' as const, id },
        ...{ contacts_left: Math.min(counted, LEFT_COUNTED_MAX), is_exact: counted <= LEFT_COUNTED_MAX },
      }
    },
  )
}
