// Removes expired idempotency keys; in SQL, because a key that is used again meanwhile must stay, and because it reads the table page by page: an index
// on their expiry would cost every accepted email more than this.
import type { Database } from '../database.ts'

/** Read by one statement: some thousand keys, a few milliseconds. */
const PAGES_AT_ONCE = 100
/** A table of up to this size (80 MB) is read whole by each sweep, and a larger one in parts by sweeps that follow each other. */
const PAGES_MIN = 10_000
const PARTS = 4
const SWEEP_EVERY_MS = 60 * 60 * 1_000
/** Keys are kept a little longer than promised, so that a request which lost to one still finds it. */
const GRACE_MS = 60 * 60 * 1_000

/** @param pagesMin for tests */
export function idempotencyKeyRepository({ execute }: Pick<Database, 'execute'>, { pagesMin = PAGES_MIN } = {}) {
  return {
    /** Removes expired keys, a few pages at a time; returns how many. A key is removed at most five hours after it has expired. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const [size] = await execute<{ pages: number }>(PAGES)
      const { from, to } = size && size.pages > pagesMin ? partOf(size.pages, now) : { from: 0, to: size?.pages ?? 0 }
      const before = new Date(now.getTime() - GRACE_MS)
      let removed = 0
      for (let page = from; page < to; page += PAGES_AT_ONCE)
        removed += (await execute(REMOVE, [`(${page},0)`, `(${Math.min(page + PAGES_AT_ONCE, to)},0)`, before])).length
      return removed
    },
  }
}

function partOf(pages: number, now: Date): { from: number; to: number } {
  const part = Math.floor(now.getTime() / SWEEP_EVERY_MS) % PARTS
  return { from: Math.floor((pages * part) / PARTS), to: Math.floor((pages * (part + 1)) / PARTS) }
}

const PAGES = `select (pg_relation_size('idempotency_keys') / current_setting('block_size')::int)::int as pages`

const REMOVE = 'delete from idempotency_keys where ctid >= $1::tid and ctid < $2::tid and expires_at < $3 returning 1'
