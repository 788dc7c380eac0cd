// The delivery engine: brings due work into its lanes, chooses fairly among them, and claims only what there is room for. Several batches are in
// progress at once, so that one slow destination delays no other.
import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { within } from '../../../lib/clock.ts'
import { createByteBudget } from '../../../lib/limits/bytes.ts'
import { startPollLoop } from '../../../lib/poll-loop.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { LANE_CLASSES } from '../../emails/new-delivery.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import { type Allotment, chooseLanes, NEW_ROUND_ROBIN } from '../lanes.ts'
import type { ClaimedDelivery } from '../queue/deliveries.repository.ts'
import { createLaneCache, createLostClaims } from '../queue/lane-cache.ts'
import type { RecentWork } from '../recent-work.ts'
import { deliverBatch } from './batch.ts'
import { createDestinations } from './destinations.ts'
import { createOutcomes, type OutcomesOptions } from './settling.ts'

type Context = PlatformContext & DomainsContext & SuppressionsContext & AudienceContext & EmailsContext & TrackingContext & DeliveryContext

/** Rows that one statement claims. Smaller batches are begun, sent and settled while larger ones are still loading. */
const CLAIM_MAX = 50
/** Below this, the engine waits for more room: a claim costs the same for one row as for fifty. */
const CLAIM_MIN = 10
const POLL_MS = 1_000
/** Mail that becomes due meanwhile is claimed together. Looking more often costs a statement for each few emails. */
const LOOK_EVERY_MS = 8
/** How often rows that may kill their workers are looked for. */
const SUSPECTS_EVERY_MS = 5_000
/** How long these are handled before other mail has its turn again. */
const SUSPECTS_FOR_MS = 2_000
/** A delivery that has not killed its worker by then is only slow. */
const ALONE_WAIT_MS = 15_000

export type Deliverer = {
  wake(): void
  /** Stops claiming; resolves when what is in progress has ended. */
  drain(): Promise<void>
  /** Stops claiming, waits for what is in progress, and releases what was not begun. */
  stop(): Promise<void>
}

export type DelivererOptions = OutcomesOptions & {
  urgentMail: RecentWork
  recentFanOut: Pick<RecentWork, 'isRecent'>
}

export function startDeliverer(context: Context, lease: Lease, { urgentMail, recentFanOut, ...options }: DelivererOptions): Deliverer {
  const { repositories, clock, log } = context
  const { deliveries } = repositories
  const memory = createByteBudget(context.config.memory.deliveriesBytes)
  const outcomes = createOutcomes(context, lease, options)
  const destinations = createDestinations(context, { lease, urgentMail, recentFanOut, onRoom: () => loop.wake() })
  const book = createLaneCache(context)
  const batches = new Set<Promise<void>>()
  const known = new Set<string>()
  const releaseLostClaims = createLostClaims({
    clock,
    held: () => deliveries.heldBy(lease.id),
    release: (ids) => deliveries.release(lease.id, ids, clock.now()),
    onFound: (count) => log.warn({ count }, 'deliveries released whose claim was not answered'),
  })
  let turns = NEW_ROUND_ROBIN
  let isDraining = false
  let claiming: Promise<boolean> = Promise.resolve(false)
  let suspectsLookedForAtMs = Number.NEGATIVE_INFINITY

  const loop = startPollLoop(async ({ pause, rest }) => {
    claiming = claim().catch((error) => {
      log.warn({ err: error }, 'deliveries not claimed')
      return false
    })
    if (await claiming) return
    // Polling finds all work; a wake-up only finds it sooner. What wakes comes in bursts, and is looked at together.
    await pause(LOOK_EVERY_MS)
    await rest(POLL_MS)
  })
  const { signal, wake } = loop

  /** Claims what there is room for. True if there may be more at once. */
  async function claim(): Promise<boolean> {
    if (isDraining || !lease.isHeld()) return false
    await releaseLostClaims(known)
    if (clock.monotonicMs() - suspectsLookedForAtMs >= SUSPECTS_EVERY_MS) await claimSuspects()
    const mayPromoteMore = await book.promote()
    const room = destinations.room()
    if (room.free < CLAIM_MIN) return false
    const { lanes, mayHaveMore } = await book.lanes()
    const choice = chooseLanes(lanes, { ...room, free: Math.min(room.free, CLAIM_MAX) }, turns)
    turns = choice.turns
    const taken = choice.allotments.length === 0 ? 0 : await take(choice.allotments)
    return (taken > 0 && !book.isEmpty()) || mayPromoteMore || mayHaveMore
  }

  async function take(allotments: Allotment[]): Promise<number> {
    const claimed = await deliveries.claim(lease.id, allotments)
    book.note(allotments, claimed)
    // Mail that people wait for is sent without waiting until bulk mail that was claimed with it is signed.
    for (const kind of LANE_CLASSES) track(claimed.filter((delivery) => delivery.class === kind))
    return claimed.length
  }

  /**
   * Rows that were claimed several times without an outcome may kill their workers. They are claimed alone, so that they take nothing else with
   * them.
   */
  async function claimSuspects(): Promise<void> {
    const startedAtMs = clock.monotonicMs()
    while (!signal.aborted && !isDraining && clock.monotonicMs() - startedAtMs < SUSPECTS_FOR_MS) {
      const claimed = await deliveries.claimSuspect(lease.id, clock.now())
      if (claimed.length === 0) break
      if (!(await untilAlone())) {
        // A slow server holds up another delivery. The suspect waits for that, so that other mail does not wait for the suspect.
        await deliveries.release(
          lease.id,
          claimed.map(({ id }) => id),
          clock.now(),
        )
        break
      }
      track(claimed)
      await untilAlone()
    }
    suspectsLookedForAtMs = clock.monotonicMs()
  }

  /** Whether everything in progress has ended within a bounded time. */
  const untilAlone = (): Promise<boolean> =>
    within(
      ALONE_WAIT_MS,
      Promise.all(batches).then(() => true),
      () => false,
    )

  function track(claimed: ClaimedDelivery[]): void {
    if (claimed.length === 0) return
    for (const delivery of claimed) {
      known.add(delivery.id)
      destinations.begin(delivery)
    }
    const batch = deliverBatch(context, claimed, {
      lease,
      outcomes,
      memory,
      transmit: destinations.transmit,
      urgentMail,
      onEnd(delivery) {
        known.delete(delivery.id)
        destinations.end(delivery)
        wake()
      },
      isStopping: () => signal.aborted,
    }).finally(() => {
      batches.delete(batch)
      wake()
    })
    batches.add(batch)
  }

  return {
    wake,
    async drain() {
      isDraining = true
      // What is being claimed at this moment is in progress too.
      await claiming
      await Promise.all(batches)
    },
    async stop() {
      await loop.stop()
      await Promise.all(batches)
      await destinations.stop()
    },
  }
}
