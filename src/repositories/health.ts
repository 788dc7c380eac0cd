// Whether the database answers, its clock, and the version of its tables; in SQL, because it reads no table of the models.
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

    /** The last migration of the tables, which may be newer than this program. */
    async schema(): Promise<string | null> {
      const [row] = await execute<{ name: string }>(
        'select migration_name as name from _prisma_migrations where finished_at is not null order by migration_name desc limit 1',
      )
      return row?.name ?? null
    },

    /** What time it is for the database. */
    async now(): Promise<Date | null> {
      const [row] = await execute<{ now: Date }>('select clock_timestamp() as now')
      return row?.now ?? null
    },
  }
}
