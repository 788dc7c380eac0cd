// Removes expired idempotency keys; in SQL, because a key that is used again meanwhile must stay.
import type { Database } from '../database.ts'

/** Rows that one statement removes: few enough not to block other transactions. */
const BATCH_MAX = 1_000
/** Keys are kept a little longer than promised, so that a request which lost to one still finds it. */
const GRACE_MS = 60 * 60 * 1_000

export function idempotencyKeyRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Removes expired keys, a batch at a time; returns how many. */
    async removeExpiredAcrossTeams(now: Date): Promise<number> {
      const rows = await execute(
        `delete from idempotency_keys k using (select team_id, operation, key from idempotency_keys where expires_at < $1 limit ${BATCH_MAX}) old
          where k.team_id = old.team_id and k.operation = old.operation and k.key = old.key and k.expires_at < $1 returning 1`,
        [new Date(now.getTime() - GRACE_MS)],
      )
      return rows.length
    },
  }
}
