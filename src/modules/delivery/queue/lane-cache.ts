// Knows which lanes have work: read from the queue in rounds and kept for a moment, because most lanes last longer than a claim. Lanes of a paused
// part are parked here, so that they are never in the way of a choice.

import type { PlatformContext } from '../../../http/platform.context.ts'
import type { Clock } from '../../../lib/clock.ts'
import { LANE_CLASSES, type LaneClass } from '../../emails/new-delivery.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import { isPaused } from '../../limits/reputation-evaluation.ts'
import type { HeldByGuard } from '../../limits/reputations.repository.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import { type Allotment, covers, LANES_MAX, type Lane, type QueuePart, ROWS_MOVED_MAX, WHOLE_QUEUE } from '../lanes.ts'
import type { ClaimedDelivery } from './deliveries.repository.ts'

type Context = PlatformContext & LimitsContext & DeliveryContext

/** How long found lanes are trusted, unless a claim finds them empty. */
const KEPT_MS = 20
/** How often due rows are looked for; more often only while there are many. */
const PROMOTED_EVERY_MS = 250
/** How long an operator's pause may take to be noticed. */
const PAUSES_READ_EVERY_MS = 1_000
/** A team that was released from a pause of the guard has its turns in so much of the time: a tenth. Many short ones would be filled by what is in progress at their ends. */
const THROTTLED_TURN_MS = 3_000
const THROTTLED_TURNS_EVERY_MS = 30_000

export function createLaneCache({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  let known: Lane[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  /** Whether the lanes of this turn were read in it. What came since an earlier turn is not in them. */
  let areFresh = false
  let promotedAtMs = Number.NEGATIVE_INFINITY
  let pauses: (QueuePart & { id: string })[] = []
  let stopped = new Set<string>()
  /** What the guard has paused or throttled, by team. */
  let guarded = new Map<string, HeldByGuard>()
  let pausesReadAtMs = Number.NEGATIVE_INFINITY
  /** True at the start, because a command that resumed a part may have been stopped before everything was taken back. */
  let isUnparking = true
  /** Where the last round of a class ended, unless it reached the end. */
  const resumeAfter: Record<LaneClass, Lane | null> = { transactional: null, bulk: null }

  async function round(kind: LaneClass): Promise<Lane[]> {
    const lanes = await repositories.lanes.listAcrossTeams(kind, resumeAfter[kind])
    resumeAfter[kind] = lanes.length === LANES_MAX ? (lanes.at(-1) ?? null) : null
    return lanes
  }

  async function readPauses(): Promise<void> {
    if (clock.monotonicMs() - pausesReadAtMs < PAUSES_READ_EVERY_MS) return
    const [found, teamIds, heldByGuard] = await Promise.all([
      repositories.queuePauses.listAcrossTeams(),
      repositories.lanes.stoppedTeamsAcrossTeams(),
      repositories.reputations.heldAcrossTeams(),
    ])
    const present = new Set(found.map(({ id }) => id))
    const stoppedNow = new Set(teamIds)
    const guardedNow = new Map(heldByGuard.map((one) => [one.teamId, one]))
    const isLessGuarded = [...guarded.values()].some(({ teamId, status }) => isPaused(status) && guardedNow.get(teamId)?.status !== status)
    if (pauses.some(({ id }) => !present.has(id)) || !stopped.isSubsetOf(stoppedNow) || isLessGuarded) isUnparking = true
    pauses = found
    stopped = stoppedNow
    guarded = guardedNow
    pausesReadAtMs = clock.monotonicMs()
  }

  const isParked = (lane: Lane): boolean =>
    stopped.has(lane.teamId) || isPausedByGuard(lane, guarded.get(lane.teamId)) || pauses.some((pause) => covers(pause, lane))

  /** Its rows stay where they are until its turn comes. */
  const waitsForTurn = ({ teamId, class: kind }: Lane): boolean => {
    const { throttled = null, throttledUntil = null } = guarded.get(teamId) ?? {}
    if (throttledUntil === null || throttledUntil <= clock.now() || (throttled === 'bulk' && kind !== 'bulk')) return false
    return clock.monotonicMs() % THROTTLED_TURNS_EVERY_MS >= THROTTLED_TURN_MS
  }

  return {
    /** Brings due work into its lanes, and takes back what is no longer paused. True if there may be more of it. */
    async promote(): Promise<boolean> {
      await readPauses()
      if (isUnparking) isUnparking = (await repositories.lanes.unparkAcrossTeams(WHOLE_QUEUE, clock.now())) === ROWS_MOVED_MAX
      if (clock.monotonicMs() - promotedAtMs < PROMOTED_EVERY_MS) return isUnparking
      const isFull = (await repositories.lanes.promoteAcrossTeams(clock.now())) === ROWS_MOVED_MAX
      promotedAtMs = isFull ? Number.NEGATIVE_INFINITY : clock.monotonicMs()
      return isFull || isUnparking
    },

    /** Lanes that may be claimed from. `mayHaveMore` is true if more must be parked before the whole queue has been read. */
    async lanes(): Promise<{ lanes: Lane[]; mayHaveMore: boolean }> {
      areFresh = known.length === 0 || clock.monotonicMs() - readAtMs >= KEPT_MS
      if (!areFresh) return { lanes: known, mayHaveMore: false }
      const found = (await Promise.all(LANE_CLASSES.map(round))).flat()
      const paused = found.filter(isParked)
      const mayHaveMore = paused.length > 0 && (await repositories.lanes.parkAcrossTeams(paused)) === ROWS_MOVED_MAX
      known = found.filter((lane) => !isParked(lane) && !waitsForTurn(lane))
      readAtMs = mayHaveMore ? Number.NEGATIVE_INFINITY : clock.monotonicMs()
      return { lanes: known, mayHaveMore }
    },

    /** A lane that gave less than requested is empty for now. */
    note(allotments: Allotment[], claimed: ClaimedDelivery[]): void {
      const emptied = new Set(allotments.filter((one) => claimed.filter((delivery) => isIn(delivery, one)).length < one.count).map(keyOf))
      if (emptied.size > 0) known = known.filter((lane) => !emptied.has(keyOf(lane)))
    },

    /** Whether all that there is has been claimed, so far as is known: every lane was read in this turn, and gave less than requested. */
    isEmpty: (): boolean => areFresh && known.length === 0 && resumeAfter.transactional === null && resumeAfter.bulk === null,
  }
}

const isPausedByGuard = ({ class: kind }: Lane, held: HeldByGuard | undefined): boolean =>
  held?.status === 'paused' || (held?.status === 'bulk_paused' && kind === 'bulk')

const isIn = (a: Lane, b: Lane): boolean => a.destination === b.destination && a.teamId === b.teamId && a.class === b.class
const keyOf = ({ class: kind, teamId, destination }: Lane): string => `${kind} ${teamId} ${destination}`

// What a worker holds in the database without knowing of it: the answer to a claim can be lost, but not its commit. It would be held as long as the
// worker lives.

const LOOKED_FOR_EVERY_MS = 10_000

export type LostClaimsOptions = {
  clock: Pick<Clock, 'monotonicMs'>
  /** What the database says that this worker holds. */
  held(): Promise<string[]>
  release(ids: string[]): Promise<void>
  onFound(count: number): void
}

/**
 * Looks now and then, and releases what was unknown at two looks: what is unknown at one may be a claim whose answer is on its way.
 *
 * @returns to be called often, with what the worker knows to hold
 */
export function createLostClaims({ clock, held, release, onFound }: LostClaimsOptions): (known: ReadonlySet<string>) => Promise<void> {
  let lookedAtMs = clock.monotonicMs()
  let unknownBefore = new Set<string>()

  return async (known) => {
    if (clock.monotonicMs() - lookedAtMs < LOOKED_FOR_EVERY_MS) return
    lookedAtMs = clock.monotonicMs()
    const unknown = (await held()).filter((id) => !known.has(id))
    const strays = unknown.filter((id) => unknownBefore.has(id))
    unknownBefore = new Set(unknown)
    if (strays.length === 0) return
    await release(strays)
    onFound(strays.length)
  }
}
