// When keys were last used; in SQL, because many keys are written at once, and no time moves back.
import type { Execute } from '../database.ts'

export type LastUse = { id: string; at: Date }

export async function writeLastUses(execute: Execute, uses: LastUse[]): Promise<void> {
  await execute(
    `update api_keys k set last_used_at = u.at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at)
      where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at)],
  )
}
