// Where the mail of a domain is sent, known without waiting. An unknown domain is looked up in the background, and its lane waits meanwhile.
import { LRUCache } from 'lru-cache'
import type { MxDirectory, MxSet } from '../../gateways/smtp/mx-directory.ts'

/** Lookups in progress at once. Other domains are looked up in the next rounds. */
const LOOKUPS_MAX = 100
const DOMAINS_MAX = 10_000
/** The directory keeps its answers by TTL. Here they are only remembered for the choice of lanes. */
const REMEMBERED_MS = 30_000

/** No hosts: every attempt has its outcome without a connection. */
export type Nowhere = { isNowhere: true }

export type MxRoutes = {
  /** Null while the domain is looked up. */
  known(domain: string): MxSet | Nowhere | null
}

export function createMxRoutes(directory: MxDirectory, onKnown: () => void): MxRoutes {
  const routes = new LRUCache<string, MxSet | Nowhere>({ max: DOMAINS_MAX, ttl: REMEMBERED_MS, allowStale: true, noDeleteOnStaleGet: true })
  const running = new Set<string>()

  async function lookUp(domain: string): Promise<void> {
    running.add(domain)
    const found = await directory.lookUp(domain)
    routes.set(domain, 'set' in found ? found.set : { isNowhere: true })
    running.delete(domain)
    onKnown()
  }

  return {
    known(domain) {
      const route = routes.get(domain)
      const isFresh = route !== undefined && routes.getRemainingTTL(domain) > 0
      if (!isFresh && !running.has(domain) && running.size < LOOKUPS_MAX) void lookUp(domain)
      return route ?? null
    },
  }
}
