import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { declaredIn, readEffects, readStatements } from './statement-effects.ts'

// Whether programs of an earlier version can work with the tables that a migration leaves. Only additions can be seen to be harmless; everything else
// says so itself: `-- serves: earlier`, or `-- serves: NAME` for programs that know the migration NAME. `-- serves: none` takes it back.

/** `earlier`: programs that lack this migration alone. A name: programs that know that migration. Null: none but those that know this one. */
export function servedBy(sql: string): string | null {
  const declared = declaredIn(sql, 'serves')
  if (declared !== null) return declared === 'none' ? null : declared
  return onlyAdds(sql) ? EARLIER : null
}

const EARLIER = 'earlier'

/** Says whether a migration that the program does not know serves it. */
export const isServed = (serves: string | null, known: ReadonlySet<string>): boolean =>
  serves !== null && (serves === EARLIER || known.has(serves))

/** Says whether a migration serves a running program that has all migrations up to `lastKnown`; null: nothing is known of it. */
export const servesProgram = (serves: string | null, lastKnown: string | null): boolean =>
  serves !== null && (serves === EARLIER || (lastKnown !== null && serves <= lastKnown))

function onlyAdds(sql: string): boolean {
  const made = new Set<string>()
  return readStatements(sql)
    .flatMap(readEffects)
    .every(({ makes, locks, isServing }) => {
      if (makes !== undefined) made.add(makes)
      return isServing || (locks.length > 0 && locks.every(({ table }) => made.has(table)))
    })
}

export type Migration = { name: string; sql: string; checksum: string }

/** A row of Prisma's table `_prisma_migrations` that was not rolled back. */
export type MigrationRecord = {
  name: string
  checksum: string
  isFinished: boolean
  hasFailed: boolean
  /** Which earlier programs can work with what it left (`servedBy`). */
  serves: string | null
}

/** Reads `<folder>/<name>/migration.sql`, in the order of their names. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/** The migrations that the database records; empty for a new database. */
export async function readMigrationRecords(session: pg.ClientBase): Promise<MigrationRecord[]> {
  const table = await session.query<{ exists: boolean }>(`select to_regclass('_prisma_migrations') is not null as exists`)
  if (!table.rows[0]?.exists) return []
  const { rows } = await session.query<MigrationRecord>(
    `select migration_name as name, checksum, finished_at is not null as "isFinished", coalesce(logs, '') <> '' as "hasFailed",
       to_jsonb(m) ->> 'serves' as serves
     from _prisma_migrations m where rolled_back_at is null order by started_at`,
  )
  return rows
}

/**
 * Compares the two. `pending` are to be applied. `interrupted` are those of them that a killed process had begun: a migration is one transaction,
 * so nothing of them stayed. `newer` are unknown here, and serve this program. Throws a StartupProblem that names a migration that failed, was edited, or
 * is unknown and does not serve it.
 */
export function compareHistory(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): { pending: string[]; interrupted: string[]; newer: string[] } {
  const known = new Set(migrations.map(({ name }) => name))
  const recordOf = new Map(records.map((record) => [record.name, record]))
  for (const record of records) {
    const migration = migrations.find(({ name }) => name === record.name)
    if (!migration) {
      if (record.isFinished && isServed(record.serves, known)) continue
      throw new StartupProblem(
        `The database has the migration ${record.name}, which this Posthaste does not know: start the newer version that made it, or restore a backup.`,
      )
    }
    if (record.hasFailed && !record.isFinished)
      throw new StartupProblem(
        `The migration ${record.name} failed earlier and left nothing but its row in _prisma_migrations: fix what its column logs says, delete that row, and start again.`,
      )
    if (record.isFinished && record.checksum !== migration.checksum)
      throw new StartupProblem(
        `The migration ${record.name} was edited after it was applied: restore prisma/migrations/${record.name}/migration.sql, and put the change into a new migration.`,
      )
  }
  const pending = migrations.filter(({ name }) => !recordOf.get(name)?.isFinished).map(({ name }) => name)
  const newer = records.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (pending.length > 0 && newer.length > 0)
    throw new StartupProblem(
      `The database has the migration ${newer[0]}, which this Posthaste does not know, and lacks ${pending[0]}: start the newer version that made it.`,
    )
  return { pending, interrupted: records.filter(({ isFinished }) => !isFinished).map(({ name }) => name), newer }
}
