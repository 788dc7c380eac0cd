// Whether the database answers, and its clock; in SQL, because it reads no table.
import type { Database } from './database.ts'

export function healthRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Whether the database answers. */
    async answers(): Promise<boolean> {
      return execute('select 1').then(
        () => true,
        () => false,
      )
    },

    /** What time it is for the database. */
    async now(): Promise<Date | null> {
      const [row] = await execute<{ now: Date }>('select clock_timestamp() as now')
      return row?.now ?? null
    },
  }
}
