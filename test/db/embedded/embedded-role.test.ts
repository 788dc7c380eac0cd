import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { partitionedTables } from '../../../src/db/partitions/daily-partitions.ts'
import { maintainPartitions, missingPartitions } from '../../../src/db/partitions/partitions.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { superuserUrl } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let dataDir: string
let running: EmbeddedPostgres

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-role-'))
  running = await start()
})
afterEach(async () => {
  await running.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = () => startEmbeddedPostgres({ dataDir, log, durable: false })
async function restart(): Promise<void> {
  await running.stop()
  running = await start()
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function withPool<T>(url: string, act: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const database = openTestDatabase(url)
  try {
    return await act(database.pool)
  } finally {
    await database.close()
  }
}

const asSuperuser = (sql: string, database = 'posthaste') => query(superuserUrl(running.url, dataDir, database), sql)

const partitions = { tables: partitionedTables, now: new Date(), retentionDays: 30 }
const DAY_MS = 86_400_000

const FOREIGN = `select relname from pg_class where relnamespace >= 16384 and relowner <> 'posthaste'::regrole and relkind <> 't'
  union all select relname from pg_class where relnamespace = 'public'::regnamespace and relowner <> 'posthaste'::regrole
  union all select proname from pg_proc where oid >= 16384 and proowner <> 'posthaste'::regrole
  union all select typname from pg_type where oid >= 16384 and typowner <> 'posthaste'::regrole
  union all select nspname from pg_namespace where oid >= 16384 and nspowner <> 'posthaste'::regrole and nspname !~ '^pg_'`

describe('the role of the embedded database', () => {
  it('owns its database, and is neither a superuser nor anything else', async () => {
    const [role] = await query(
      running.url,
      `select rolname as name, rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "isMore",
        array(select datname::text from pg_database where datdba = pg_roles.oid) as databases,
        (select count(*)::int from pg_auth_members where member = pg_roles.oid) as memberships
       from pg_roles where rolname = current_user`,
    )
    expect(role).toEqual({ name: 'posthaste', isMore: false, databases: ['posthaste'], memberships: 0 })
  })

  it('may not read files, run programs, change the server, or become a superuser', async () => {
    for (const sql of [
      `select pg_read_file('/etc/hostname')`,
      `copy (select 1) to program 'true'`,
      `alter system set log_statement = 'all'`,
      'set role postgres',
      'alter role posthaste superuser',
    ])
      await expect(query(running.url, sql), sql).rejects.toMatchObject({ code: '42501' })
  })

  it("has a password of its own, which is not the superuser's", async () => {
    const guessed = Object.assign(new URL(superuserUrl(running.url, dataDir)), { password: new URL(running.url).password })
    await expect(query(guessed.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  })
})

describe('a data folder from before there was the role', () => {
  /** As initdb makes it: one role, and its tables in a database of the same name. */
  async function makeOldFolder(): Promise<void> {
    await asSuperuser('drop database posthaste', 'template1')
    await asSuperuser('drop role posthaste', 'template1')
    await asSuperuser('create database postgres', 'template1')
    const url = superuserUrl(running.url, dataDir, 'postgres')
    await migrate({ databaseUrl: url, log })
    await withPool(url, (pool) => maintainPartitions(pool, { ...partitions, now: new Date(partitions.now.getTime() - 60 * DAY_MS) }))
    await query(url, `insert into teams (id, name, created_at) values (gen_random_uuid(), 'Before', now())`)
    await query(url, `create type mood as enum ('fine'); create view names as select name from teams; create sequence of_mine`)
  }

  it('is brought over at the start, with every table, and everything continues under the role', async () => {
    await makeOldFolder()

    await restart()

    expect(await query(running.url, 'select name from teams')).toEqual([{ name: 'Before' }])
    expect(await asSuperuser(FOREIGN)).toEqual([])
    await migrate({ databaseUrl: running.url, log })
    await withPool(running.url, async (pool) => {
      const { dropped } = await maintainPartitions(pool, partitions)
      expect(dropped.length).toBeGreaterThan(0)
      expect(await missingPartitions(pool, partitionedTables, partitions.now)).toEqual([])
    })
    await query(running.url, `select graphile_worker.add_job('any')`)
    await query(running.url, `alter type mood add value 'better'; alter table teams add column motto text; drop view names`)
  })

  it('is brought over by the next start when one was cut short', async () => {
    await makeOldFolder()
    await asSuperuser('alter database postgres rename to posthaste', 'template1')
    await asSuperuser('create role posthaste login')
    await asSuperuser('alter table teams owner to posthaste')

    await restart()

    expect(await query(running.url, 'select name from teams')).toEqual([{ name: 'Before' }])
    expect(await asSuperuser(FOREIGN)).toEqual([])
  })
})

it('gives the role what the superuser has restored into its database meanwhile', async () => {
  await asSuperuser('create table restored (id bigint generated always as identity primary key)')

  await restart()

  await query(running.url, 'alter table restored add column note text')
  expect(await asSuperuser(FOREIGN)).toEqual([])
})
