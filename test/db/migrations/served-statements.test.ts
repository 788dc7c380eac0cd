// The statements of the version before are valid beside the new tables, wherever a migration says so.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyMigration, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { readMigrations, servedBy } from '../../../src/db/migrations/migration-history.ts'
import { declaredIn } from '../../../src/db/migrations/statement-effects.ts'
import { keptSchema, takenAway } from '../../support/builders/schema.ts'
import { migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const LOCK_WAIT_MAX_MS = 10_000

let database: TestDatabase
let session: pg.Client
async function open(opened: TestDatabase): Promise<void> {
  database = opened
  session = new pg.Client({ connectionString: database.url })
  await session.connect()
}
afterEach(async () => {
  await session.end()
  await database.drop()
})

describe('what a migration takes away is seen', () => {
  beforeEach(async () => open(await createTestDatabase()))

  it.each([
    ['alter table domains drop column name', /^column gone: domains\.name$/m],
    ['alter table domains rename to zones', /^column gone: domains\.name$/m],
    ['alter table domains alter column name type varchar(9)', /^type changed: domains\.name$/m],
    ['alter table domains add column later text not null', /^value demanded: domains\.later$/m],
    [
      'alter table domains add column later text default $$x$$ not null; alter table domains alter column later drop default',
      /^value demanded: domains\.later$/m,
    ],
    [`alter table domains add check (name <> '')`, /^rows refused: domains CHECK/m],
    [`alter table domains add check (name in ('a', 'b')) not valid`, /^first words: domains\.name$/m],
    [
      `alter table domains drop constraint domains_tls_check, add check (tls in ('opportunistic', 'required'))`,
      /^word refused: domains\.tls enforced$/m,
    ],
    ['create unique index on domains (lower(name), name)', /^rows refused: domains unique/m],
    ['create table zones (team_id uuid references teams (id))', /^rows refused: zones FOREIGN KEY/m],
    ['alter table teams drop constraint teams_pkey cascade', /^unique index gone: teams btree \(id\)$/m],
  ])('%s', async (sql, expected) => {
    const before = await keptSchema(session)
    await session.query(sql)
    expect(takenAway(before, await keptSchema(session)).join('\n')).toMatch(expected)
  })

  it.each([
    'alter table domains add column later text',
    'alter table domains add column later int not null default 0 check (later >= 0)',
    `alter table domains drop constraint domains_tls_check, add check (tls = any ('{opportunistic,enforced,required}')) not valid`,
    'create index on domains (name)',
    'create table zones (id uuid primary key, team_id uuid not null references teams (id) on delete cascade)',
  ])('nothing by %s', async (sql) => {
    const before = await keptSchema(session)
    await session.query(sql)
    expect(takenAway(before, await keptSchema(session))).toEqual([])
  })
})

it('each migration since the last published one that says it serves earlier programs takes nothing away from their statements', async () => {
  await open(await createEmptyDatabase())
  const published = readFileSync(join(schemaFolder, 'migrations/SHA256SUMS'), 'utf8')
  const since = readMigrations(join(schemaFolder, 'migrations')).filter(({ name }) => !published.includes(name))
  const pool = new pg.Pool({ connectionString: database.url })
  await migrateUntilBefore(since[0]?.name ?? 'none', { databaseUrl: database.url, pool })
  await pool.end()

  const { rows: tables } = await session.query<{ name: string }>(`select relname as name from pg_class where relkind = 'r'`)
  const publishedTables = new Set(tables.map(({ name }) => name))
  /** No published version adds rows to a table that it does not have. */
  const isOfUnpublished = (line: string): boolean => {
    const [, table] = /^value demanded: (\w+)\./.exec(line) ?? []
    return table !== undefined && !publishedTables.has(table)
  }
  const found: Record<string, string[]> = {}
  for (const migration of since) {
    const before = await keptSchema(session)
    await applyMigration(session, migration, LOCK_WAIT_MAX_MS)
    const refused = takenAway(before, await keptSchema(session)).filter((line) => !isOfUnpublished(line))
    const taken = declaredIn(migration.sql, 'words') === null ? refused : refused.filter((line) => !line.startsWith('first words: '))
    if (servedBy(migration.sql) === 'earlier' && taken.length > 0) found[migration.name] = taken
  }

  expect(found).toEqual({})
})
