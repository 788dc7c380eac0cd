// A migration that waits for a lock makes everyone wait who comes after it: they queue for the same table. So it waits briefly, lets them pass, and
// tries again a limited number of times.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../log.ts'

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
          `${what} got no lock in ${tried} tries, and nothing of it stayed: something else holds a table. ${await oldestTransaction(session)}Run \`migrate\`, or start again, when that has ended.`,
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
