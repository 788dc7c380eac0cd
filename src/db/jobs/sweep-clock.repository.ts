// Tells whether the clock can be trusted when old records are removed; in SQL, because one statement reads and writes it. A clock that is a year ahead by mistake makes everything look old.
import type { Database } from '../database.ts'

/** Sweeps run every hour. A service that was off for longer than this looks the same as a clock that was set. */
const GAP_HOURS_MAX = 25
/** A clock that is set back by less was only corrected. */
const BACK_HOURS_MAX = 1
/** Time for an operator to see the warning and to correct the clock. */
const WAIT_HOURS = 24

/** What the last check found: `waitsUntil` is null if sweeps may remove what is old, `hasJumped` is true for the check that found the jump. */
export type SweepClock = { waitsUntil: Date | null; hasJumped: boolean }

export function sweepClockRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Records the time in one statement, because several processes may check at once. */
    async lookAcrossTeams(now: Date): Promise<SweepClock> {
      const [row] = await execute<SweepClock>(LOOK, [now])
      if (!row) throw new Error('The row of the sweep clock is written by the statement that reads it')
      return row
    },
  }
}

const LOOK = `
with earlier as (
  select seen_at, waits_until, $1 < seen_at - interval '${BACK_HOURS_MAX} hours' or $1 > seen_at + interval '${GAP_HOURS_MAX} hours' as has_jumped from sweep_clock
), written as (
  insert into sweep_clock (seen_at, waits_until) values ($1, null)
  on conflict (id) do update set seen_at = excluded.seen_at, waits_until = case
    when (select has_jumped from earlier) then excluded.seen_at + interval '${WAIT_HOURS} hours'
    when sweep_clock.waits_until > excluded.seen_at then sweep_clock.waits_until
  end
  returning waits_until
)
select waits_until as "waitsUntil", coalesce((select has_jumped from earlier), false) as "hasJumped" from written`
