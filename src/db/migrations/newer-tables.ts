// Whether a newer version has changed the tables so that this one cannot work with them.
import { join } from 'node:path'
import type pg from 'pg'
import { schemaFolder } from './migrate.ts'
import { isServed, readMigrations } from './migration-history.ts'

/** `find`: the first such migration; null: there is none. Looks at the same time share one answer. `knows`: the last migration of this version. */
export function createNewerTables(
  pool: Pick<pg.Pool, 'query'>,
  folder = schemaFolder,
): { find: () => Promise<string | null>; knows: string } {
  const names = readMigrations(join(folder, 'migrations')).map(({ name }) => name)
  const known = new Set(names)
  let looking: Promise<string | null> | null = null

  async function look(): Promise<string | null> {
    const { rows } = await pool.query<{ name: string; serves: string | null }>(
      `select migration_name as name, to_jsonb(m) ->> 'serves' as serves from _prisma_migrations m
       where finished_at is not null and rolled_back_at is null and migration_name <> all($1::text[]) order by started_at`,
      [[...known]],
    )
    return rows.find(({ serves }) => !isServed(serves, known))?.name ?? null
  }

  return {
    knows: names.at(-1) ?? '',
    find() {
      looking ??= look().finally(() => {
        looking = null
      })
      return looking
    },
  }
}
