// Whom a broadcast reaches: counted as its emails will be made, so the number shown before it is sent is the number that is sent.

import type { PlatformContext } from '../../http/platform.context.ts'
import { idBound, LOWEST_ID } from '../../lib/ids.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { BoundedAudienceCounts } from '../audience/segments/audience-counts.repository.ts'
import type { MetricsContext } from '../metrics/metrics.context.ts'
import type { BroadcastReach } from './broadcast-reaches.repository.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { BroadcastRow } from './broadcasts.repository.ts'

type Context = PlatformContext & AudienceContext & MetricsContext & BroadcastsContext

/** `excluded`: null once it is being sent, because who was passed over is not kept. */
export type BroadcastAudienceCounts = {
  recipients: number
  excluded: { unsubscribed: number; notInTopic: number; suppressed: number } | null
  isAll: boolean
}

/** @throws Failure if too many audiences are being counted already */
export async function countAudience(
  { repositories, clock }: Pick<Context, 'repositories' | 'clock'>,
  teamId: string,
  broadcast: Pick<BroadcastRow, 'id' | 'status' | 'segmentId' | 'topicId'>,
): Promise<BroadcastAudienceCounts> {
  const { id, status } = broadcast
  if (status === 'draft' || status === 'scheduled') {
    const { recipients, isAll, ...excluded } = await countContacts(repositories, teamId, broadcast, {})
    return { recipients, excluded, isAll }
  }
  const reach = await repositories.broadcastReaches.find(teamId, id)
  const made = reach?.recipientCount ?? 0
  const suppressed = made === 0 ? 0 : ((await repositories.emailCounts.ofBroadcast(teamId, id, clock.now())).suppressed ?? 0)
  const isComing = (status === 'queued' || status === 'paused') && !reach?.isFannedOut
  const rest = isComing ? await countContacts(repositories, teamId, broadcast, reach ? placeOf(reach) : {}) : NO_ONE
  return { recipients: made - suppressed + rest.recipients, excluded: null, isAll: rest.isAll }
}

/** A contact that was added after the start gets no email of it. */
const placeOf = ({ startedAt, reachedContactId }: BroadcastReach) => ({
  after: reachedContactId ?? LOWEST_ID,
  upTo: idBound(startedAt.getTime() + 1),
})

const NO_ONE: BoundedAudienceCounts = { contacts: 0, recipients: 0, unsubscribed: 0, notInTopic: 0, suppressed: 0, isAll: true }

/** No one gets it if its segment or its topic was deleted. */
async function countContacts(
  { segments, topics, audienceCounts }: Context['repositories'],
  teamId: string,
  { segmentId, topicId }: Pick<BroadcastRow, 'segmentId' | 'topicId'>,
  place: { after?: string; upTo?: string },
): Promise<BoundedAudienceCounts> {
  const [segment, topic] = await Promise.all([segments.find(teamId, segmentId), topicId === null ? null : topics.find(teamId, topicId)])
  if (!segment || (topicId !== null && !topic)) return NO_ONE
  return audienceCounts.countSoon(teamId, { segment, topic, ...place })
}
