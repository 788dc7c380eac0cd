// A restored database is not the one that was backed up: neither may remove the files of the other (src/storage-owner.ts).
import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** Returns its new id, for the mark beside its files. */
export async function ownStorage(session: pg.ClientBase): Promise<string> {
  const owner = randomUUID()
  await session.query(
    `insert into storage_owner (owner, is_marked) values ($1, true) on conflict (id) do update set owner = excluded.owner, is_marked = true`,
    [owner],
  )
  return owner
}
