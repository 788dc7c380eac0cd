// The pace of each set of MX hosts, learned from our own outcomes and shared with the other processes about once a second.

import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import { freeConnections, freshPace, type Pace, type PaceSignal, paceAfter } from './destination-pace.ts'

type Context = PlatformContext & DeliveryContext

/** How often paces are shared. A destination that has slowed down one process is soon throttled by the others. */
const SHARED_EVERY_MS = 1_000
/** Other processes' clocks may be slow, so rows are read again for a while. Reading one twice changes nothing. */
const READ_BACK_MS = 10_000
/** Sets in memory. Beyond that, sets without deliveries in progress are forgotten. */
const SETS_MAX = 10_000

type Entry = {
  pace: Pace
  limit: number
  inFlight: number
  isChanged: boolean
  /** It took a message from this process. */
  hasTaken: boolean
}

export type PaceCache = {
  /** How many more messages may be sent to this set now. */
  room(key: string, limit: number): number
  begin(key: string, limit: number): void
  end(key: string): void
  /** Records what an outcome says about the pace of its set. */
  learn(key: string, signal: PaceSignal): void
  stop(): Promise<void>
}

type Dependencies = Pick<Context, 'repositories' | 'clock' | 'log'>

/** Messages that are prepared for each connection in use. */
const PREPARED_PER_CONNECTION = 2
/** Fewer while a set has taken nothing yet: hundreds of sets that never answer must not take the places of others. */
const PREPARED_PER_NEW_CONNECTION = 1

export function createPaceCache({ repositories, clock, log }: Dependencies, lease: Lease): PaceCache {
  const entries = new Map<string, Entry>()
  let readAt = new Date(clock.now().getTime() - READ_BACK_MS)
  let sharing: Promise<void> | null = null
  const timer = setInterval(() => void share(), SHARED_EVERY_MS)

  function findOrCreateEntry(key: string, limit: number): Entry {
    const entry = entries.get(key) ?? { pace: freshPace(limit), limit, inFlight: 0, isChanged: false, hasTaken: false }
    entry.limit = limit
    entries.set(key, entry)
    return entry
  }

  function share(): Promise<void> {
    sharing ??= exchange()
      .catch((error) => log.warn({ err: error }, 'paces of destinations not shared'))
      .finally(() => {
        sharing = null
      })
    return sharing
  }

  async function exchange(): Promise<void> {
    const now = clock.now()
    const changed = [...entries].filter(([, entry]) => entry.isChanged)
    for (const [, entry] of changed) entry.isChanged = false
    if (changed.length > 0)
      await repositories.destinationPaces.save(
        changed.map(([key, { pace }]) => ({ key, pace })),
        lease.id,
        now,
      )
    for (const { key, pace } of await repositories.destinationPaces.changedSince(readAt, lease.id)) {
      const entry = entries.get(key)
      // A local change since then is newer, and is shared with the next exchange.
      if (entry && !entry.isChanged) entry.pace = pace
      else if (!entry) entries.set(key, { pace, limit: pace.connections, inFlight: 0, isChanged: false, hasTaken: false })
    }
    readAt = new Date(now.getTime() - READ_BACK_MS)
    if (entries.size > SETS_MAX) for (const [key, { inFlight }] of entries) if (inFlight === 0) entries.delete(key)
  }

  return {
    room(key, limit) {
      const { pace, inFlight, hasTaken } = findOrCreateEntry(key, limit)
      const prepared = hasTaken ? PREPARED_PER_CONNECTION : PREPARED_PER_NEW_CONNECTION
      const share = Math.max(1, lease.workerCount())
      const ours = { ...pace, connections: Math.max(1, pace.connections / share) * prepared }
      return freeConnections(ours, { now: clock.now().getTime(), limit: Math.max(1, limit / share) * prepared, inFlight })
    },
    begin(key, limit) {
      findOrCreateEntry(key, limit).inFlight += 1
    },
    end(key) {
      const entry = entries.get(key)
      if (entry) entry.inFlight -= 1
    },
    learn(key, signal) {
      const entry = entries.get(key)
      if (!entry) return
      if (signal === 'taken') entry.hasTaken = true
      const pace = paceAfter(entry.pace, [signal], { now: clock.now().getTime(), random: Math.random, limit: entry.limit })
      const isNews =
        Math.floor(pace.connections) !== Math.floor(entry.pace.connections) ||
        pace.pausedUntilMs !== entry.pace.pausedUntilMs ||
        pace.pauseCount !== entry.pace.pauseCount
      entry.pace = pace
      if (isNews) entry.isChanged = true
    },
    async stop() {
      clearInterval(timer)
      await share()
    },
  }
}
