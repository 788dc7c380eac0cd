// Keeps a pool of sessions for each route. All pools share one limit of connections, and a set of MX hosts has its own.
import type { Clock } from '../../lib/clock.ts'
import type { DestinationLimit } from '../../mail/destination-limits.ts'
import type { DirectConnector, DirectRoute } from './direct-connection.ts'
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
  clock: Clock
}

type RoutePool = { pool: SessionPool; route: DirectRoute }

export function createDirectPools({ connector, connectionsMax, clock, waitMsMax, idleMsMax }: DirectPoolsOptions): DirectPools {
  /** In the order of use, the least recently used first. */
  const pools = new Map<string, RoutePool & { setKey: string }>()
  /** Pools with waiters but no room: in which set, or in none. */
  const wanting = new Map<SessionPool, string | null>()
  const countPerSet = new Map<string, number>()
  let count = 0
  let isClosing = false

  const countIn = (setKey: string) => countPerSet.get(setKey) ?? 0

  function add(setKey: string, change: 1 | -1): void {
    count += change
    const inSet = countIn(setKey) + change
    if (inSet === 0) countPerSet.delete(setKey)
    else countPerSet.set(setKey, inSet)
  }

  /** Closes an idle session to make room: of any pool, or of one in the full set. It counts until it is closed. */
  function dropSomebodysIdle(fullSet: string | null): void {
    for (const { pool, setKey } of pools.values()) if ((fullSet === null || fullSet === setKey) && pool.dropOldestIdle()) return
  }

  function wakeWanting(): void {
    for (const pool of [...wanting.keys()]) {
      if (count >= connectionsMax) return
      wanting.delete(pool)
      pool.wake()
    }
  }

  function createPool(key: string, limit: DestinationLimit, entry: { route: DirectRoute; setKey: string }): SessionPool {
    const { setKey } = entry
    const pool: SessionPool = createSessionPool({
      open: () => connector.open(entry.route, () => isClosing),
      sessionsMax: limit.connectionsMax,
      transactionsMax: limit.messagesPerConnectionMax,
      clock,
      isCautious: true,
      waitMsMax,
      ...(idleMsMax !== undefined && { idleMsMax }),
      room: {
        take() {
          const isSetFull = countIn(setKey) >= limit.connectionsMax
          if (isSetFull || count >= connectionsMax) {
            const fullSet = isSetFull ? setKey : null
            wanting.set(pool, fullSet)
            dropSomebodysIdle(fullSet)
            return false
          }
          add(setKey, 1)
          return true
        },
        giveBack() {
          add(setKey, -1)
          wakeWanting()
        },
      },
      onIdle() {
        for (const fullSet of wanting.values()) if (fullSet === null || fullSet === setKey) return void pool.dropOldestIdle()
      },
      onUnused() {
        wanting.delete(pool)
        if (pools.get(key)?.pool === pool) pools.delete(key)
      },
    })
    return pool
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
      const entry = { route, setKey: route.setKey }
      const pool = createPool(key, limit, entry)
      if (isClosing) void pool.close(0)
      pools.set(key, Object.assign(entry, { pool }))
      return pool
    },

    async close(graceMs) {
      isClosing = true
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
