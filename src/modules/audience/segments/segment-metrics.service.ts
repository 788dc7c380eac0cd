// How many contacts the team and its segments have, counted for all who ask.
import { isCanceled } from '../../../db/database-errors.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { createCachedAnswers } from '../../../lib/cache.ts'
import { Failure } from '../../../lib/failure.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { CountedSegments, MemberCounts } from './segment-members.repository.ts'
import type { SegmentToCount } from './segments.repository.ts'

/** Segments that are counted, the newest first. */
export const METRICS_SEGMENTS_MAX = 100

/** The greatest age of the counts. */
export const METRICS_CACHE_MS = 60_000

/** Time that counting may take. Segments that are not reached by then are not counted. */
export const METRICS_MS_MAX = 20_000

/** Teams whose counts are remembered. */
export const METRICS_TEAMS_MAX = 1_000

type Dependencies = Pick<PlatformContext & AudienceContext, 'repositories' | 'clock'>

/** Counts again after a minute. If several requests of a team arrive at once, one counts and the others wait for it. */
export function createSegmentMetrics({ repositories, clock }: Dependencies): (teamId: string) => Promise<CountedSegments> {
  const { contacts, segments, segmentMembers } = repositories

  async function count(teamId: string): Promise<CountedSegments> {
    const countedAt = clock.now()
    const deadlineMs = clock.monotonicMs() + METRICS_MS_MAX
    const totals = await contacts.count(teamId)
    const newest = await segments.newestToCount(teamId, METRICS_SEGMENTS_MAX + 1)
    const counted: CountedSegments['segments'] = []
    for (const segment of newest.slice(0, METRICS_SEGMENTS_MAX)) {
      const counts = clock.monotonicMs() < deadlineMs ? await countMembers(teamId, segment) : null
      counted.push({ id: segment.id, name: segment.name, counts })
    }
    return { totals, segments: counted, hasMore: newest.length > METRICS_SEGMENTS_MAX, countedAt }
  }

  /** Null if it takes longer than a filter, or any statement, may. */
  async function countMembers(teamId: string, segment: SegmentToCount): Promise<MemberCounts | null> {
    try {
      return await segmentMembers.count(teamId, segment)
    } catch (error) {
      if (isTooSlow(error)) return null
      throw error
    }
  }

  return createCachedAnswers(count, { entriesMax: METRICS_TEAMS_MAX, lifetimeMs: METRICS_CACHE_MS, clock })
}

/** A count that has no turn at the moment is not too slow. In that case the whole request has to be retried. */
const isTooSlow = (error: unknown): boolean => (error instanceof Failure && error.kind === 'validation') || isCanceled(error)
