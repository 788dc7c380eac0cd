// Remembers the hashes of bodies, because all recipients of an email get the same one.
import { LRUCache } from 'lru-cache'

export type BodyHashes = {
  /** The hash known by this key, or else what `compute` finds, which runs once for all who ask meanwhile. A failure is not remembered. */
  of(key: string, compute: () => Promise<string>): Promise<string>
}

/** More emails than a process delivers at once. Each takes about 200 bytes. */
const BODY_HASHES_MAX = 5_000

export function createBodyHashes(): BodyHashes {
  const known = new LRUCache<string, Promise<string>>({ max: BODY_HASHES_MAX })
  return {
    of(key, compute) {
      const found = known.get(key)
      if (found !== undefined) return found
      const computing = compute()
      known.set(key, computing)
      computing.catch(() => {
        if (known.get(key) === computing) known.delete(key)
      })
      return computing
    },
  }
}
