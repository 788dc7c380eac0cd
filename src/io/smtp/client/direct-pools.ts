// Keeps a pool of sessions for each route. All pools share one limit of connections, and a set of MX hosts has its own.

import { createExpiringCache } from '../../../lib/cache.ts'
import { type Clock, DAY_MS } from '../../../lib/clock.ts'
import { createKeyCounts } from '../../../lib/limits/counts.ts'
import type { DestinationLimit } from './destination-limits.ts'
import type { DirectConnector, DirectRoute } from './direct-connection.ts'
import { createSilentHosts } from './silent-hosts.ts'
import type { OpenedSession } from './smtp-session.ts'
import { createSessionPool, type SessionPool } from './smtp-session-pool.ts'

export type DirectPools = {
  /** The pool for the route's hosts; the same one if only their addresses changed. Call it each time, because an unused pool is forgotten. */
  of(route: DirectRoute & { setKey: string }, limit: DestinationLimit): SessionPool
  close(graceMs: number): Promise<void>
}

export type DirectPoolsOptions = {
  connector: DirectConnector
  connectionsMax: number
  idleMsMax?: number
  waitMsMax: number
  silentAfterMs: number
  clock: Clock
}

/** While a set has taken no connection yet, it shares this part of all with others like it. The rest is for those that have. */
const SHARE_OF_NEW_SETS = 3 / 4

/** How long a set counts as one that takes connections. */
const PROVEN_MS = DAY_MS
const PROVEN_MAX = 10_000

/** Messages that wait for silent hosts: a quarter of those that the delivery engine has in progress, and of its memory. Others are tried again later. */
export const SILENT_WAITERS_MAX = 250
const SILENT_WAITERS_BYTES_MAX = 4 * 1024 * 1024

type RoutePool = { pool: SessionPool; route: DirectRoute }

export function createDirectPools(options: DirectPoolsOptions): DirectPools {
  const { connector, connectionsMax, clock, waitMsMax, idleMsMax, silentAfterMs } = options
  const silentHostsOf = createSilentHosts({ connectionsMax, silentAfterMs })
  /** Pools whose host is silent and that have no session. */
  const silent = new Set<SessionPool>()
  const proven = createExpiringCache<true>({ entriesMax: PROVEN_MAX, clock })
  const openingToNewMax = Math.ceil(connectionsMax * SHARE_OF_NEW_SETS)
  let openingToNew = 0
  /** Pools of new sets with waiters, but no room for a new set. */
  const wantingAsNew = new Set<SessionPool>()
  /** In the order of use, the least recently used first. */
  const pools = new Map<string, RoutePool & { setKey: string }>()
  /** Pools with waiters but no room: in which set, or in none. */
  const wanting = new Map<SessionPool, string | null>()
  const counts = createKeyCounts()
  let isClosing = false

  /** Closes an idle session to make room: of any pool, or of one in the full set. It counts until it is closed. */
  function dropSomebodysIdle(fullSet: string | null): void {
    for (const { pool, setKey } of pools.values()) if ((fullSet === null || fullSet === setKey) && pool.dropOldestIdle()) return
  }

  function wakeWanting(): void {
    for (const pool of [...wanting.keys()]) {
      if (counts.total >= connectionsMax) return
      wanting.delete(pool)
      pool.wake()
    }
  }

  /** Messages that wait for silent hosts are bounded: the last ones of this pool are refused. One may wait however large it is, so that a slow host gets it. */
  function boundSilentWaiters(pool: SessionPool): void {
    if (!silent.has(pool)) return
    const isTooMuch = () => {
      const waiting = [...silent].map((each) => each.waiting())
      const count = waiting.reduce((sum, one) => sum + one.count, 0)
      const bytes = waiting.reduce((sum, one) => sum + one.bytes, 0)
      return count > SILENT_WAITERS_MAX || (count > 1 && bytes > SILENT_WAITERS_BYTES_MAX)
    }
    while (isTooMuch() && pool.refuseLastWaiter());
  }

  async function openFor(entry: RoutePool & { setKey: string }, limit: DestinationLimit): Promise<OpenedSession> {
    const { pool, route, setKey } = entry
    const isNew = proven.get(setKey) === undefined
    if (isNew) openingToNew += 1
    const onSilent = () => {
      silent.add(pool)
      boundSilentWaiters(pool)
    }
    const opened = await connector.open(route, silentHostsOf({ setKey, connectionsMax: limit.connectionsMax, onSilent }))
    silent.delete(pool)
    if ('session' in opened) proven.set(setKey, true, PROVEN_MS)
    if (isNew) {
      openingToNew -= 1
      wakeNew()
    }
    return opened
  }

  function wakeNew(): void {
    for (const pool of [...wantingAsNew]) {
      if (openingToNew >= openingToNewMax) return
      wantingAsNew.delete(pool)
      pool.wake()
    }
  }

  function createPool(
    key: string,
    limit: DestinationLimit,
    { route, setKey }: { route: DirectRoute; setKey: string },
  ): RoutePool & { setKey: string } {
    const pool: SessionPool = createSessionPool({
      open: () => openFor(entry, limit),
      onWait: () => boundSilentWaiters(pool),
      sessionsMax: limit.connectionsMax,
      transactionsMax: limit.messagesPerConnectionMax,
      clock,
      isCautious: true,
      waitMsMax,
      ...(idleMsMax !== undefined && { idleMsMax }),
      room: {
        take() {
          if (openingToNew >= openingToNewMax && proven.get(setKey) === undefined) {
            wantingAsNew.add(pool)
            return false
          }
          const isSetFull = counts.of(setKey) >= limit.connectionsMax
          if (isSetFull || counts.total >= connectionsMax) {
            const fullSet = isSetFull ? setKey : null
            wanting.set(pool, fullSet)
            dropSomebodysIdle(fullSet)
            return false
          }
          counts.add(setKey)
          return true
        },
        giveBack() {
          counts.takeAway(setKey)
          wakeWanting()
        },
      },
      onIdle() {
        for (const fullSet of wanting.values()) if (fullSet === null || fullSet === setKey) return void pool.dropOldestIdle()
      },
      onUnused() {
        wanting.delete(pool)
        wantingAsNew.delete(pool)
        if (pools.get(key)?.pool === pool) pools.delete(key)
      },
    })
    const entry = { pool, route, setKey }
    return entry
  }

  return {
    of(route, limit) {
      const key = keyOf(route)
      const known = pools.get(key)
      if (known !== undefined) {
        known.route = route
        pools.delete(key)
        pools.set(key, known)
        return known.pool
      }
      const entry = createPool(key, limit, { route, setKey: route.setKey })
      if (isClosing) void entry.pool.close(0)
      pools.set(key, entry)
      return entry.pool
    },

    async close(graceMs) {
      isClosing = true
      connector.stop()
      await Promise.all([...pools.values()].map(({ pool }) => pool.close(graceMs)))
    },
  }
}

/** Routes with equal names in equal order share a key, whatever their preference numbers. */
function keyOf({ hosts, tls }: DirectRoute): string {
  const preferences = [...new Set(hosts.map(({ preference }) => preference))].sort((a, b) => a - b)
  const places = hosts.map(({ name, preference }) => `${preferences.indexOf(preference)}:${name}`)
  return [tls, ...places].join(' ')
}
