// The recipients of a broadcast by what became of their mail, as a segment: for those who did not open it, or whose mail bounced.
import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure, invalid, notFound } from '../../../lib/failure.ts'
import { Id, Named, OptionalNullable, oneGiven } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import { toContactJob } from '../../audience/jobs/contact-jobs.routes.ts'
import { CONTACT_JOBS, ContactJob, recipientGroup } from '../../audience/jobs/contact-jobs.schema.ts'
import { enqueueContactJob } from '../../audience/jobs/contact-jobs.service.ts'
import { SEGMENTS, SegmentName } from '../../audience/segments/segments.schema.ts'
import { createSegment, deleteSegment } from '../../audience/segments/segments.service.ts'
import type { BroadcastsContext } from '../broadcasts.context.ts'
import { BROADCASTS, BroadcastParams } from '../broadcasts.schema.ts'

type Context = PlatformContext & AudienceContext & BroadcastsContext

const RecipientSegmentCreate = Named(
  'RecipientSegmentCreate',
  Type.Object(
    {
      recipients: recipientGroup,
      name: OptionalNullable(SegmentName, { description: 'Name of a new segment.' }),
      segment_id: OptionalNullable(Id('Id of a segment without a filter, to which they are added.')),
    },
    { description: 'Recipients of a broadcast, and the segment that they are added to.', ...oneGiven('name', 'segment_id') },
  ),
)

const operation = declareOperations(BROADCASTS)

export const recipientSegmentRoutes: Routes<Context> = async (app, { context }) => {
  const { broadcasts, segments } = context.repositories

  /** The segment that the job fills. @throws Failure if it cannot */
  async function findOrCreate(teamId: string, name: string | null, segmentId: string): Promise<{ id: string; isNew: boolean }> {
    if (name !== null) return { ...(await createSegment(context, teamId, { name, filter: null })), isNew: true }
    const found = await segments.find(teamId, segmentId)
    if (!found) throw invalid('The `segment_id` field is not the id of one of your segments.')
    if (found.filter !== null) throw invalid('The `segment_id` field names a segment with a filter. Name a segment without one.')
    return { id: found.id, isNew: false }
  }

  app.post(
    '/broadcasts/:broadcast_id/segments',
    operation({
      id: 'broadcasts.segments.create',
      summary: 'Make a segment of recipients',
      description:
        'Adds recipients of a broadcast to a new segment, or to one that exists: those who did not open it, for example. A contact job does it in the background, which the response is; `act.segment_id` is the segment. Recipients who are no longer contacts are left out, and so is what happens later.',
      access: 'full',
      changes: ['contacts', 'segments'],
      audit: 'always',
      params: BroadcastParams,
      body: RecipientSegmentCreate,
      reply: { 201: ContactJob },
      example: {
        body: { recipients: 'not_opened', name: 'Did not open the November news' },
        reply: {
          ...CONTACT_JOBS.example,
          status: 'queued',
          contacts: { ...CONTACT_JOBS.example.contacts, all: false, broadcast_id: BROADCASTS.example.id, recipients: 'not_opened' },
          act: { type: 'add_to_segment', segment_id: SEGMENTS.example.id, topic_id: null, property: null, value: null },
          counts: { total: 0, changed: 0, unchanged: 0, refused: 0 },
        },
      },
    }),
    async ({ teamId, params, body }) => {
      const broadcast = await broadcasts.find(teamId, params.broadcast_id)
      if (!broadcast) throw notFound(BROADCASTS.noun)
      const { recipients, name = null, segment_id: segmentId } = body
      const segment = await findOrCreate(teamId, name, segmentId ?? '')
      const selection = { kind: 'broadcast' as const, broadcastId: broadcast.id, recipients }
      const act = { type: 'add_to_segment' as const, segmentId: segment.id }
      const job = await enqueueContactJob(context, teamId, { selection, contactIds: [], act }).catch(async (error) => {
        if (segment.isNew && error instanceof Failure) await deleteSegment(context, teamId, segment.id)
        throw error
      })
      return toContactJob(job)
    },
  )
}
