// Which processes of the service are alive, for a migration that they cannot live with: those whose counters rise while we look.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** A living process beats every 3 seconds; one that is busy may be late. */
const LOOK_MS = 10_000
const LOOK_EVERY_MS = 500

type Beat = { id: string; beat: string; name: string | null; knows: string | null; hasWorker: boolean }

/** `knows`: the last migration of its version; null: not known. */
export type LivingProcess = { name: string; knows: string | null }

/** Each with a name for people. */
export async function livingProcesses(session: pg.ClientBase): Promise<LivingProcess[]> {
  const first = await readBeats(session)
  const alive = new Map<string, Beat>()
  for (let waitedMs = 0; alive.size < first.length && waitedMs < LOOK_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS)
    for (const now of await readBeats(session)) if (first.some(({ id, beat }) => id === now.id && beat !== now.beat)) alive.set(now.id, now)
  }
  const processes = [...alive.values()].flatMap(({ name, ...others }) => (name === null ? [] : { ...others, name }))
  // Each worker has a lease beside. Versions that know no more than that are seen by it alone.
  const leases = alive.size - processes.length
  const unnamed = leases - processes.filter(({ hasWorker }) => hasWorker).length
  return [...processes, ...(unnamed > 0 ? [{ name: `${unnamed} with workers of an earlier version`, knows: null }] : [])]
}

async function readBeats(session: pg.ClientBase): Promise<Beat[]> {
  const { rows: tables } = await session.query<{ processes: boolean; leases: boolean }>(
    `select to_regclass('service_processes') is not null as processes, to_regclass('worker_leases') is not null as leases`,
  )
  const [there] = tables
  const parts = [
    ...(there?.processes
      ? ['select id::text as id, beat::text as beat, name, knows, has_worker as "hasWorker" from service_processes']
      : []),
    ...(there?.leases
      ? [`select id::text as id, beat::text as beat, null as name, null as knows, true as "hasWorker" from worker_leases`]
      : []),
  ]
  return parts.length === 0 ? [] : (await session.query<Beat>(parts.join(' union all '))).rows
}
