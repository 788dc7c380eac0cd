// Whether the limits of a team allow a broadcast. It counts whole, before its first email is made.
import { isCanceled } from '../../db/database-errors.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { Audience } from '../audience/segments/audience.repository.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import type { TeamLimits } from '../limits/limits.schema.ts'
import { quotaFailure } from '../limits/quota-periods.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { DueBroadcast } from './due-broadcasts.repository.ts'

type Context = PlatformContext & AudienceContext & EmailsContext & BroadcastsContext

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'quotas'>

type Counted = { contacts: number; counted: number }
type CountedAudience = Pick<Audience, 'segment' | 'topic'>

const isLimited = ({ emails_per_day, emails_per_month, broadcast_recipients }: TeamLimits): boolean =>
  emails_per_day !== null || emails_per_month !== null || broadcast_recipients !== null

/** What a broadcast that is sent now is refused for; null if nothing is known against it. Nothing is reserved: a worker decides when it begins. */
export async function broadcastRefusal(
  { repositories, config, clock, quotas }: Dependencies,
  teamId: string,
  { segmentId, topicId }: { segmentId: string; topicId: string | null },
): Promise<Failure | null> {
  const limits = await quotas.limitsOf(teamId)
  if (!isLimited(limits)) return null
  const [segment, topic] = await Promise.all([
    repositories.segments.find(teamId, segmentId),
    topicId === null ? null : repositories.topics.find(teamId, topicId),
  ])
  if (!segment) return null
  const at = clock.now()
  const left = await repositories.quotas.left(teamId, at)
  const max = Math.min(limits.broadcast_recipients ?? Number.POSITIVE_INFINITY, ...left.map((quota) => quota.left))
  const found = await count({ repositories, config }, teamId, { segment, topic }, max)
  if (found === null) return null
  const exceeded = left.toReversed().find((quota) => found.counted > quota.left)
  return tooManyRecipients(limits, found) ?? (exceeded ? quotaFailure(exceeded, { count: found.counted, at }) : null)
}

/** Null if a filter takes too long. */
async function count(
  { repositories, config }: Pick<Dependencies, 'repositories' | 'config'>,
  teamId: string,
  audience: CountedAudience,
  max: number,
): Promise<Counted | null> {
  try {
    return await repositories.audience.count(teamId, audience, { max, uncountedDomains: config.simulatorDomains })
  } catch (error) {
    if (isCanceled(error)) return null
    throw error
  }
}

function tooManyRecipients({ broadcast_recipients: max }: TeamLimits, { counted }: Counted): Failure | null {
  if (max === null || counted <= max) return null
  return new Failure(
    'forbidden',
    `A broadcast of your team may have at most ${max.toLocaleString('en')} recipients, and this one has more. Choose a smaller segment, or ask your operator for more.`,
  )
}

/**
 * Reserves for a whole broadcast before its first email is made. Returns how many emails it may make, null without a limit, or what it is refused for: then it has
 * become a draft again.
 */
export async function reserveBroadcast(
  { repositories, config, clock, quotas }: Dependencies,
  { id, teamId, hasBegun }: DueBroadcast,
  audience: CountedAudience,
): Promise<number | null | 'refused' | 'too slow'> {
  const limits = await quotas.limitsOf(teamId)
  if (!isLimited(limits)) return null
  const reserved = await repositories.quotas.ofBroadcast(teamId, id)
  if (reserved || hasBegun) return reserved?.recipients ?? null
  const found = await count({ repositories, config }, teamId, audience, Number.POSITIVE_INFINITY)
  if (found === null) return 'too slow'
  const at = clock.now()
  const taken =
    tooManyRecipients(limits, found) ??
    (await quotas.takeForBroadcast(teamId, { id, recipients: found.contacts, count: found.counted, at }))
  if (!(taken instanceof Failure)) return taken?.recipients ?? null
  await repositories.dueBroadcasts.refuse(teamId, { id, reason: taken.message, now: at })
  return 'refused'
}

/** It makes no more emails: what it has not used returns. Also if the limit was removed meanwhile: it may be set again. */
export async function endBroadcastQuota({ repositories }: Pick<Dependencies, 'repositories'>, { id, teamId }: DueBroadcast): Promise<void> {
  await repositories.quotas.endBroadcast(teamId, id, () => repositories.broadcastWalks.countLimited(teamId, id))
}
