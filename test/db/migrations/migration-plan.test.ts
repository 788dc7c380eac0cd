// What `migrate --plan` says, compared with what PostgreSQL does.
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { readMigrations } from '../../../src/db/migrations/migration-history.ts'
import { type PlannedMigration, planAll, planLines, planMigrations, readTables } from '../../../src/db/migrations/migration-plan.ts'
import { LOCK_MODES } from '../../../src/db/migrations/statement-effects.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const GIB = 1024 ** 3

describe('a plan of a table of 1 GB', () => {
  const there = {
    bytes: new Map([
      ['emails', GIB],
      ['teams', 8192],
    ]),
    tableOf: new Map([['emails_to_idx', 'emails']]),
  }
  const linesOf = (sql: string): string[] => planLines(planAll([{ name: '0001_it', sql }], there), { isNew: false }).slice(2, -2)
  /** Without what it says of the version before. */
  const plan = (sql: string): string[] => linesOf(sql).slice(0, -1)
  const held = (mode: string, meaning: string, time: string) => `  locks emails (1,024 MB) in ${mode}: ${meaning}, ${time}`

  it.each([
    ['create index emails_x on emails (x)', 'builds the index emails_x of emails', 'SHARE: writing waits, about a minute'],
    ['create index concurrently x on emails (x)', 'builds the index x of emails', 'SHARE UPDATE EXCLUSIVE: no email waits, about a minute'],
    [
      'drop index if exists "emails_to_idx"',
      'drops the index emails_to_idx',
      'ACCESS EXCLUSIVE: reading and writing wait, less than a second',
    ],
    [
      "alter table emails add column x text not null default 'a;b'",
      'adds the column emails.x',
      'ACCESS EXCLUSIVE: reading and writing wait, less than a second',
    ],
    [
      'alter table emails add column x uuid default gen_random_uuid()',
      'rewrites emails for the column x',
      'ACCESS EXCLUSIVE: reading and writing wait, about ten minutes',
    ],
    [
      'alter table emails alter x type bigint, alter y type bigint',
      'rewrites emails for the type of x',
      'ACCESS EXCLUSIVE: reading and writing wait, about ten minutes',
    ],
    [
      'alter table emails alter column x set not null',
      'reads emails to see that x is never null',
      'ACCESS EXCLUSIVE: reading and writing wait, about a minute',
    ],
    [
      'alter table emails add constraint c check (x > 0)',
      'adds the check c to emails, for which it reads all rows',
      'ACCESS EXCLUSIVE: reading and writing wait, about a minute',
    ],
    [
      'alter table emails add constraint c check (x > 0) not valid',
      'adds the check c to emails',
      'ACCESS EXCLUSIVE: reading and writing wait, less than a second',
    ],
    ['alter table emails validate constraint c', 'reads emails to check c', 'SHARE UPDATE EXCLUSIVE: no email waits, about a minute'],
    ['alter table emails set (fillfactor = 50)', 'sets how emails is stored', 'SHARE UPDATE EXCLUSIVE: no email waits, less than a second'],
    [
      'alter index emails_to_idx rename to x',
      'renames the index emails_to_idx to x',
      'SHARE UPDATE EXCLUSIVE: no email waits, less than a second',
    ],
    ['update emails set x = 1 where y', 'changes rows of emails', 'ROW EXCLUSIVE: changes of the same rows wait, about ten minutes'],
  ])('%s', (sql, does, lock) => {
    const [first, step, ...rest] = plan(`-- Why.\n${sql};`)
    expect([first?.startsWith('0001_it: '), step, rest.at(-1)]).toEqual([true, `  ${does}`, `  locks emails (1,024 MB) in ${lock}`])
  })

  it('adds up what a lock waits for: what follows in the same transaction', () => {
    expect(plan(`alter table emails add column x int; create index x on emails (x); insert into teams select * from emails`)).toEqual([
      '0001_it: about a minute',
      '  adds the column emails.x',
      '  builds the index x of emails',
      '  adds rows to teams',
      held('ACCESS EXCLUSIVE', 'reading and writing wait', 'about a minute'),
      '  locks teams (1 MB) in ROW EXCLUSIVE: changes of the same rows wait, about a minute',
    ])
  })

  it('counts nothing of what it makes itself, also under its new name', () => {
    const sql = `create table a (id int); create index a_idx on a (id); insert into a values (1); drop index a_idx;
      alter table a rename to b; create index b_idx on b (id)`
    expect(plan(sql)).toEqual(['0001_it: less than a second', '  creates a'])
  })

  it('says what it does not know, unless a comment of the migration says what that does', () => {
    const block = 'do $$ begin perform 1; end $$'
    expect(plan(`create index x on teams (id); ${block};`)).toEqual([
      '0001_it: not known',
      '  builds the index x of teams',
      "  not known: do ''",
      '  locks teams (1 MB) in SHARE: writing waits, less than a second, or longer',
      '  may lock more than that',
    ])
    expect(plan(`-- plan: reads one row\n${block};`)).toEqual(['0001_it: less than a second', '  reads one row'])
  })
})

describe('a plan of the migrations that there are', () => {
  let database: TestDatabase
  let pool: pg.Pool
  beforeEach(async () => {
    database = await createEmptyDatabase()
    pool = new pg.Pool({ connectionString: database.url, max: 1 })
  })
  afterEach(async () => {
    await pool.end()
    await database.drop()
  })

  const strengthOf = (mode: string) => LOCK_MODES.map(String).indexOf(mode)
  /** Existing tables, as PostgreSQL names them, without the blanks. */
  const WAITED_FOR: Record<string, string> = {
    ShareLock: 'share',
    ShareRowExclusiveLock: 'share row exclusive',
    AccessExclusiveLock: 'access exclusive',
  }

  it('names every table that they lock or write anew, and knows of a lock at least as strong', { timeout: 300_000 }, async () => {
    const client = await pool.connect()
    const missed: string[] = []
    let compared = 0
    for (const migration of readMigrations(`${schemaFolder}/migrations`)) {
      const there = await readTables(client)
      const [plan]: (PlannedMigration | undefined)[] = planAll([migration], there)
      const files = async () =>
        (
          await client.query<{ name: string; file: string }>(
            `select relname as name, pg_relation_filenode(oid)::text as file from pg_class where relkind = 'r'`,
          )
        ).rows
      const before = new Map((await files()).map(({ name, file }) => [name, file]))
      await client.query('begin')
      await client.query(migration.sql)
      const { rows: locks } = await client.query<{ name: string; mode: string }>(
        `select c.relname as name, l.mode from pg_locks l join pg_class c on c.oid = l.relation
         where l.pid = pg_backend_pid() and c.relkind in ('r', 'p') and l.mode = any($1)`,
        [Object.keys(WAITED_FOR)],
      )
      const rewritten = (await files()).filter(({ name, file }) => before.has(name) && before.get(name) !== file)
      await client.query('commit')
      if (plan === undefined || plan.unknown.length > 0) continue
      for (const { name, mode } of locks.filter(({ name: table }) => before.has(table) || there.bytes.has(table))) {
        compared += 1
        const planned = plan.locks.find(({ table }) => table === (there.tableOf.get(name) ?? name))
        if (planned === undefined || strengthOf(planned.mode) < strengthOf(WAITED_FOR[mode] ?? ''))
          missed.push(`${migration.name}: ${name} in ${mode}, planned ${planned?.mode}`)
      }
      for (const { name } of rewritten)
        if (!plan.steps.some((step) => step.startsWith(`rewrites ${name} `))) missed.push(`${migration.name}: rewrites ${name}`)
    }
    client.release()
    expect(missed).toEqual([])
    expect(compared).toBeGreaterThan(40)
  })

  it('leaves the database as it is, and ends where nothing is pending', async () => {
    expect(await planMigrations(database.url)).toEqual([
      expect.stringMatching(/^The database is new: \d+ migrations would create its tables/),
    ])
    await migrateUntilBefore('0067_answers_of_emails', { databaseUrl: database.url, pool })
    const lines = await planMigrations(database.url)
    expect(lines).toContain('  builds the index received_emails_answers_idx of received_emails')
    expect(lines).toContain('  locks recipients (1 MB) in ACCESS EXCLUSIVE: reading and writing wait, less than a second')
    expect(await planMigrations(database.url)).toEqual(lines)
    await migrate({ databaseUrl: database.url, log })
    expect(await planMigrations(database.url)).toEqual(['No migration is pending.'])
  })
})
