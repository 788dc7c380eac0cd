// Rows of the queue without their emails, made by one statement, for tests that need many or unusual ones.

import type { Lane } from '../../../src/lib/engine/lanes.ts'
import { createId } from '../../../src/lib/ids.ts'
import type { Database } from '../../../src/repositories/database.ts'

export type QueuedRow = Lane & { dueAt?: Date; isReady?: boolean; claims?: number; leasedBy?: string | null }

/** Ready unless stated otherwise. Returns their ids, in order. */
export async function queueRows({ execute }: Pick<Database, 'execute'>, rows: QueuedRow[]): Promise<string[]> {
  const given = rows.map((row) => ({ id: createId(), dueAt: new Date(), isReady: true, claims: 0, leasedBy: null, ...row }))
  await execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready, claims, leased_by)
     select id, "teamId", class, destination, gen_random_uuid(), "dueAt", "isReady", claims, "leasedBy"
     from jsonb_to_recordset($1::jsonb) as r(id uuid, "teamId" uuid, class text, destination text, "dueAt" timestamptz, "isReady" boolean, claims int, "leasedBy" uuid)`,
    [JSON.stringify(given)],
  )
  return given.map(({ id }) => id)
}
