// Whom a broadcast reaches, before and while it is sent.
import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { notFound } from '../../lib/failure.ts'
import { Id, Kind, Named, Nullable, Ref } from '../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { MetricsContext } from '../metrics/metrics.context.ts'
import { type BroadcastAudienceCounts, countAudience } from './broadcast-audience.service.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import { BROADCASTS, BroadcastParams } from './broadcasts.schema.ts'

type Context = PlatformContext & AudienceContext & MetricsContext & BroadcastsContext

const BroadcastExclusions = Named(
  'BroadcastExclusions',
  Type.Object(
    {
      unsubscribed: Type.Integer({ description: 'Contacts who unsubscribed from all mail of the team.' }),
      not_in_topic: Type.Integer({ description: 'Contacts who are not subscribed to the topic of the broadcast; 0 without a topic.' }),
      suppressed: Type.Integer({ description: 'Contacts whose address is on the suppression list.' }),
    },
    { description: 'Contacts of the segment who do not get a broadcast. Each is counted once, under the first reason that holds.' },
  ),
)
const BroadcastAudienceCount = Named(
  'BroadcastAudienceCount',
  Type.Object(
    {
      object: Kind('broadcast_audience'),
      id: Id('Id of the broadcast.'),
      recipients: Type.Integer({
        description:
          'Contacts to whom the broadcast is sent. Of one that is being sent, these are the emails that were made so far and those to come; of one that has ended, the emails that were made. Addresses on the suppression list are not counted.',
        examples: [996],
      }),
      excluded: Nullable(Ref(BroadcastExclusions), { description: 'Who does not get it, and why; null once the broadcast is being sent.' }),
      is_exact: Type.Boolean({ description: 'False if counting takes too long: there are at least as many.' }),
    },
    { description: 'Whom a broadcast reaches.' },
  ),
)

const toAudienceCount = (id: string, { recipients, excluded, isAll }: BroadcastAudienceCounts): Static<typeof BroadcastAudienceCount> => ({
  object: 'broadcast_audience',
  id,
  recipients,
  excluded: excluded && { unsubscribed: excluded.unsubscribed, not_in_topic: excluded.notInTopic, suppressed: excluded.suppressed },
  is_exact: isAll,
})

const operation = declareOperations(BROADCASTS)

export const broadcastAudienceRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/broadcasts/:broadcast_id/audience',
    operation({
      id: 'broadcasts.audience.retrieve',
      summary: 'Count the audience of a broadcast',
      description:
        'Returns how many contacts get a broadcast and how many do not, and why, counted as they are when it is sent. Contacts who unsubscribe or are added before it is sent change the numbers.',
      access: 'full',
      audit: 'never',
      params: BroadcastParams,
      reply: { 200: BroadcastAudienceCount },
      example: {
        reply: {
          object: 'broadcast_audience',
          id: BROADCASTS.example.id,
          recipients: 996,
          excluded: { unsubscribed: 31, not_in_topic: 12, suppressed: 4 },
          is_exact: true,
        },
      },
    }),
    async ({ teamId, params }) => {
      const broadcast = await context.repositories.broadcasts.find(teamId, params.broadcast_id)
      if (!broadcast) throw notFound(BROADCASTS.noun)
      return toAudienceCount(broadcast.id, await countAudience(context, teamId, broadcast))
    },
  )
}
