// A database into which a backup is being restored has a table that says so. No service uses it before that is done, on whichever machine it starts.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createId } from '../../lib/ids.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { RESTORE_MARKER as TABLE } from '../held.ts'
import type { Log } from '../session/database-session.ts'

// Which processes of the service are alive, for a migration that they cannot live with: those whose counters rise while we look.

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

// A migration that waits for a lock makes everyone wait who comes after it: they queue for the same table. So it waits briefly, lets them pass, and
// tries again a limited number of times.

export type LockWaits = {
  /** The limit for each lock. A migration that takes several may wait as long for each. */
  waitMaxMs: number
  /** A pause lets other sessions take their turn. */
  pauseMs: number
  triesMax: number
}

/** Mail waits for three seconds of eight, for less than three minutes. */
export const LOCK_WAITS: LockWaits = { waitMaxMs: 3_000, pauseMs: 5_000, triesMax: 20 }

/**
 * Runs `act` until it gets its locks. It must set `lock_timeout` itself, and leave nothing where it fails.
 * @throws StartupProblem when the last try has failed.
 */
export async function withLockRetries<Result>(
  { what, session, log, waits }: { what: string; session: pg.ClientBase; log: Log; waits: LockWaits },
  act: () => Promise<Result>,
): Promise<Result> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await act()
    } catch (error) {
      if (!isWithoutLock(error)) throw error
      if (tried >= waits.triesMax)
        throw new StartupProblem(
          `${what} got no lock in ${tried} tries, and was rolled back: something else holds a table. ${await oldestTransaction(session)}Run \`migrate\`, or start again, when that has ended.`,
          { cause: error },
        )
      log.warn({ migration: what, tried }, 'migration got no lock, and is tried again')
      await sleep(waits.pauseMs)
    }
  }
}

/** `lock_not_available`, and `deadlock_detected`, in which the migration is the one that is ended. */
export const isWithoutLock = (error: unknown): boolean => error instanceof pg.DatabaseError && WITHOUT_LOCK.has(error.code ?? '')

const WITHOUT_LOCK: ReadonlySet<string> = new Set(['55P03', '40P01'])

/** The likely cause, as a sentence. The server tells a role of its own transactions only. */
async function oldestTransaction(session: pg.ClientBase): Promise<string> {
  const { rows } = await session.query<{ pid: number; program: string; seconds: number }>(
    `select pid, application_name as program, extract(epoch from clock_timestamp() - xact_start)::int as seconds from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null order by xact_start limit 1`,
  )
  const [oldest] = rows
  return oldest ? `The oldest transaction is that of process ${oldest.pid} (${oldest.program || 'no name'}), ${oldest.seconds} s old. ` : ''
}

/** @throws StartupProblem */
export async function refuseUnfinishedRestore(session: pg.ClientBase): Promise<void> {
  if (await isBeingRestored(session))
    throw new StartupProblem(
      'A restore into this database was not finished: run `restore` again with the same backup, or use another database (DATABASE_URL, DATA_DIR).',
    )
}

/** How far a restore of this backup is: its marker is made if there is none. Null: another backup is being restored. */
export async function beginRestore(session: pg.ClientBase, backupSha256: string): Promise<'begun' | 'loaded' | null> {
  if (!(await isBeingRestored(session))) {
    await session.query(`begin; create table ${TABLE} (backup_sha256 text not null, is_loaded boolean not null)`)
    await session.query(`insert into ${TABLE} values ($1, false)`, [backupSha256])
    await session.query('commit')
    return 'begun'
  }
  const { rows } = await session.query<{ sha256: string; isLoaded: boolean }>(
    `select backup_sha256 as sha256, is_loaded as "isLoaded" from ${TABLE}`,
  )
  const [row] = rows
  if (row?.sha256 !== backupSha256) return null
  return row.isLoaded ? 'loaded' : 'begun'
}

/** Runs in the transaction that loads the rows. */
export async function markLoaded(session: pg.ClientBase): Promise<void> {
  await session.query(`update ${TABLE} set is_loaded = true`)
}

export type Hold = { backupAt: Date; now: Date }

/**
 * Nothing is sent until the queue is resumed. It is part of the transaction that makes the rows visible. The tables of an older version cannot say it: there
 * the marker alone keeps workers away, until the tables are brought up to date.
 */
export async function holdQueue(session: pg.ClientBase, { backupAt, now }: Hold): Promise<void> {
  const { rowCount } = await session.query(
    `select from pg_attribute where attrelid = to_regclass('queue_pauses') and attname = 'backup_at' and not attisdropped`,
  )
  if (rowCount === 0) return
  await session.query(
    `insert into queue_pauses (id, created_at, backup_at) select $1::uuid, $2::timestamptz, $3::timestamptz
     where not exists (select from queue_pauses where backup_at = $3::timestamptz)`,
    [createId(), now, backupAt],
  )
}

/** A service may use the database from now on. The queue is paused before the marker is gone. */
export async function finishRestore(session: pg.ClientBase, hold: Hold): Promise<void> {
  await holdQueue(session, hold)
  await session.query(`drop table ${TABLE}`)
}

/** Whether a restore into it was begun and has not ended. */
export async function isBeingRestored(session: pg.ClientBase): Promise<boolean> {
  const { rows } = await session.query<{ exists: boolean }>(`select to_regclass('${TABLE}') is not null as exists`)
  return rows[0]?.exists === true
}
