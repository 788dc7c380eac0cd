// What this process may still accept of each team with a limit: it takes from what it has reserved, and reserves more once that is used.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { pause } from '../../lib/poll-loop.ts'
import type { teamLimitRepository } from './limits.repository.ts'
import type { TeamLimits } from './limits.schema.ts'
import { dayOf, type Exceeded, quotaFailure } from './quota-periods.ts'
import type { quotaRepository } from './quotas.repository.ts'

/** Addresses of a reservation, for emails that are about to be accepted. */
export type TakenQuota = { reservationId: string; count: number }

export type Quotas = {
  /** The limits of a team, as they were a few seconds ago at most. */
  limitsOf(teamId: string): Promise<TeamLimits>
  /** Null: nothing counts, or the team has no limit. A Failure of the kind `dailyQuotaExceeded` or `monthlyQuotaExceeded` if it would be too many. */
  take(teamId: string, wanted: { count: number; at: Date }): Promise<TakenQuota | null | Failure>
  /**
   * What was taken is `accepted`, `returned` because nothing was, or `lost`, because its reservation was called in. If that is unknown, it is not ended: what was
   * not used returns when the reservation is called in.
   */
  end(teamId: string, taken: TakenQuota, how: 'accepted' | 'returned' | 'lost'): void
  /** Reserves for a whole broadcast. Null without a limit. */
  takeForBroadcast(
    teamId: string,
    broadcast: { id: string; recipients: number; count: number; at: Date },
  ): Promise<{ recipients: number } | null | Failure>
}

type Dependencies = {
  clock: Clock
  repositories: { teamLimits: ReturnType<typeof teamLimitRepository>; quotas: ReturnType<typeof quotaRepository> }
  /** As in service_processes: what a process that has ended had reserved is given back by others. */
  processId: string
}

/** `open`: how many have taken something of it that has not ended. */
type Block = { id: string; day: string; left: number; open: number }
/** Until then, requests for more than is `left` are refused without looking again. */
type Refusal = { exceeded: Exceeded; day: string; untilMs: number }

/** About as long as a commit that accepts emails takes. */
const BUSY_PAUSE_MS = 25
/** Five seconds of pauses: a reservation is busy for one second only (BUSY_MS), so some of others may follow each other. */
const BUSY_TRIES_MAX = 200
/** More than send at once in one process: a kilobyte each at most. A team that is dropped reserves anew. */
const TEAMS_MAX = 10_000
/** Rounds of one request. In each, it has reserved or has waited for another that did: so many may take what it needed before it is told to try again. */
export const TAKE_ROUNDS_MAX = 1_000
/** Requests of a team that has nothing left cost the database little. */
const REFUSED_AGAIN_MS = 1_000

export function createQuotas({ repositories, clock, processId }: Dependencies): Quotas {
  const { teamLimits, quotas } = repositories
  const blocks = new LRUCache<string, Block>({ max: TEAMS_MAX })
  /** Former ones, given back once nothing is being accepted of them. */
  const former = new LRUCache<string, Block[]>({ max: TEAMS_MAX })
  const refusals = new LRUCache<string, Refusal>({ max: TEAMS_MAX })
  /** One reservation of a team at a time: the others wait, and take what it has brought. */
  const reserving = new Map<string, Promise<Failure | 'unlimited' | null>>()

  async function reserve(teamId: string, count: number, at: Date): Promise<Failure | 'unlimited' | null> {
    const block = blocks.get(teamId)
    const earlier = [...(former.get(teamId) ?? []), ...(block ? [block] : [])]
    blocks.delete(teamId)
    former.set(
      teamId,
      earlier.filter(({ open }) => open > 0),
    )
    const before = earlier.flatMap(({ id, open }) => (open === 0 ? [id] : []))
    const reserved = await reserveWhenFree(teamId, { owner: { processId }, count, at, before })
    if (reserved.kind === 'unlimited') return reserved.kind
    if (reserved.kind === 'reserved') {
      blocks.set(teamId, { id: reserved.id, day: dayOf(at), left: reserved.count, open: 0 })
      return null
    }
    refusals.set(teamId, { exceeded: reserved.exceeded, day: dayOf(at), untilMs: clock.monotonicMs() + REFUSED_AGAIN_MS })
    return quotaFailure(reserved.exceeded, { count, at })
  }

  /** Waits while others accept what they have just reserved: it may return. */
  async function reserveWhenFree(
    teamId: string,
    wanted: Parameters<typeof quotas.reserve>[1],
  ): Promise<Exclude<Awaited<ReturnType<typeof quotas.reserve>>, { kind: 'busy' }>> {
    for (let tries = 0; tries < BUSY_TRIES_MAX; tries += 1) {
      const reserved = await quotas.reserve(teamId, wanted)
      if (reserved.kind !== 'busy') return reserved
      await pause(BUSY_PAUSE_MS)
    }
    throw allTaken()
  }

  function refusedBefore(teamId: string, { count, at }: { count: number; at: Date }): Failure | null {
    const refusal = refusals.get(teamId)
    if (!refusal || refusal.day !== dayOf(at) || clock.monotonicMs() >= refusal.untilMs || count <= refusal.exceeded.left) return null
    return quotaFailure(refusal.exceeded, { count, at })
  }

  const isLimited = (limits: TeamLimits): boolean => limits.emails_per_day !== null || limits.emails_per_month !== null

  return {
    limitsOf: (teamId) => teamLimits.of(teamId),

    async take(teamId, { count, at }) {
      if (count === 0 || !isLimited(await teamLimits.of(teamId))) return null
      for (let rounds = 0; rounds < TAKE_ROUNDS_MAX; rounds += 1) {
        const block = blocks.get(teamId)
        if (block && block.day === dayOf(at) && block.left >= count) {
          block.left -= count
          block.open += 1
          return { reservationId: block.id, count }
        }
        const running = reserving.get(teamId)
        if (running) {
          // Its failure is that of its own request.
          await running.catch(() => {})
          continue
        }
        const refused = refusedBefore(teamId, { count, at })
        if (refused) return refused
        const attempt = reserve(teamId, count, at).finally(() => reserving.delete(teamId))
        reserving.set(teamId, attempt)
        const result = await attempt
        if (result === 'unlimited') return null
        if (result !== null) return result
      }
      throw allTaken()
    },

    end(teamId, { reservationId, count }, how) {
      const block = blocks.get(teamId)
      const found = block?.id === reservationId ? block : former.get(teamId)?.find(({ id }) => id === reservationId)
      if (!found) return
      found.open -= 1
      if (how === 'returned') found.left += count
      if (how === 'lost' && found === block) blocks.delete(teamId)
    },

    async takeForBroadcast(teamId, { id, recipients, count, at }) {
      const reserved = await reserveWhenFree(teamId, { owner: { broadcastId: id, recipients }, count, at, before: [] })
      if (reserved.kind === 'unlimited') return null
      return reserved.kind === 'exceeded' ? quotaFailure(reserved.exceeded, { count, at }) : { recipients }
    },
  }
}

const allTaken = (): Failure =>
  new Failure('unavailable', 'The quota of your team is almost used, and others are taking the rest. Please try again.', {
    retryAfterSeconds: 1,
  })
