// From each schema that installations may have: a row in every table, and then everything that came later.
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { storedTables } from '../../../src/db/backup/backup-tables.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { fillEmptyTables } from '../../support/builders/backups.ts'
import { schemaDrift } from '../../support/builders/schema.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

/** The first migration that each schema lacks. A release adds a line: the first migration that comes after it. */
const FIRST_MISSING = ['0035_automations', '0062_narrow_emails', '0072_restored_queue']

/** What migrations remove on purpose. */
const REMOVED = ['sessions', 'operator_links', 'operator_sessions']

let database: TestDatabase
let pool: pg.Pool
beforeEach(async () => {
  database = await createEmptyDatabase()
  pool = new pg.Pool({ connectionString: database.url })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

async function counts(): Promise<Map<string, number>> {
  const client = await pool.connect()
  try {
    const found = new Map<string, number>()
    for (const { name } of (await storedTables(client)).filter(({ of }) => of === 'service')) {
      const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from "${name}"`)
      found.set(name, rows[0]?.count ?? 0)
    }
    return found
  } finally {
    client.release()
  }
}

it.each(FIRST_MISSING)('a database from before %s keeps its rows, and gets the tables of the models', async (name) => {
  await migrateUntilBefore(name, { databaseUrl: database.url, pool })
  await fillEmptyTables(database.url)
  const before = await counts()
  expect([...before.values()].filter((count) => count > 0).length).toBeGreaterThan(15)

  await migrate({ databaseUrl: database.url, log })

  const after = await counts()
  const lost = [...before].filter(([table, count]) => !REMOVED.includes(table) && (after.get(table) ?? 0) < count)
  expect(lost).toEqual([])
  expect(await schemaDrift(database.url)).toBe('')
})
