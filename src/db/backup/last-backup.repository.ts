// When the last backup began that is whole; in SQL, because its age is by the database's clock. It belongs to the installation, not to a team.
import type { Database } from '../database.ts'

export function lastBackupRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** A backup that took this many seconds is whole. */
    async record(seconds: number): Promise<void> {
      await execute(
        `insert into last_backup (taken_at) values (clock_timestamp() - make_interval(secs => $1))
         on conflict (id) do update set taken_at = excluded.taken_at`,
        [seconds],
      )
    },

    /** Null: there was none. */
    async ageSeconds(): Promise<number | null> {
      const [row] = await execute<{ seconds: number }>(
        'select extract(epoch from clock_timestamp() - taken_at)::float8 as seconds from last_backup',
      )
      return row?.seconds ?? null
    },
  }
}
