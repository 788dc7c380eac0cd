// A service that runs while a newer version changes the tables, and one of its version that starts after that: expand, then contract.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectMigrated, migrate, schemaFolder } from '../../../src/db/migrations/migrate.ts'
import { readMigrations, servedBy } from '../../../src/db/migrations/migration-history.ts'
import { openMigratedDatabase } from '../../../src/db/open-database.ts'
import { until } from '../../support/clocks/until.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

describe('a migration', () => {
  it.each([
    ['create table a (id int); create unique index a_idx on a (id); insert into a select 1;', 'earlier'],
    ['create index emails_x on emails (x);', 'earlier'],
    ['alter table emails add column x int, add column y text not null default $$y$$;', 'earlier'],
    ['alter table emails add column x int not null;', null],
    ['create unique index emails_x on emails (x);', null],
    ['alter table emails drop column x;', null],
    ['alter table emails rename to letters;', null],
    ['create table a (team_id uuid references teams (id));', null],
    ['update emails set x = 1;', null],
    ['do $$ begin perform 1; end $$;', null],
    ['-- serves: earlier\nupdate emails set x = 1;', 'earlier'],
    ['-- serves: 0001_init\nalter table emails drop column x;', '0001_init'],
    ['-- serves: none\ncreate table a (id int);', null],
  ])('%s', (sql, serves) => {
    expect(servedBy(sql)).toBe(serves)
  })

  it('names an existing one, when it says which programs it serves', () => {
    const migrations = readMigrations(join(schemaFolder, 'migrations'))
    const names = migrations.map(({ name }) => name)
    const wrong = migrations.filter(({ sql }) => ![null, 'earlier', ...names].includes(servedBy(sql)))
    expect(wrong.map(({ name }) => name)).toEqual([])
  })
})

it('each migration that is not published says which programs it serves, unless it only adds', () => {
  const published = readFileSync(join(schemaFolder, 'migrations/SHA256SUMS'), 'utf8')
  const silent = readMigrations(join(schemaFolder, 'migrations')).filter(
    ({ name, sql }) => !published.includes(name) && servedBy(sql) === null && !/^-- serves: none$/m.test(sql),
  )
  expect(silent.map(({ name }) => name)).toEqual([])
})

describe('beside a newer version', () => {
  let folder: string
  const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthaste-test-newer-'))
    cpSync(join(schemaFolder, 'migrations'), join(folder, 'migrations'), { recursive: true })
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  const databaseUrl = () => service.config.databaseUrl ?? ''
  /** The newer version has one more migration, and starts. */
  function upgradeWith(name: string, sql: string, { force = false } = {}) {
    mkdirSync(join(folder, 'migrations', name), { recursive: true })
    writeFileSync(join(folder, 'migrations', name, 'migration.sql'), sql)
    return migrate({ databaseUrl: databaseUrl(), log, folder, force })
  }
  /** Starts a service of this version in another process. */
  async function startAnother(): Promise<'started'> {
    await (await openMigratedDatabase(service.config, log)).close()
    return 'started'
  }
  async function sendsMail(): Promise<void> {
    const body = { from: 'a@example.com', to: 'b@example.org', subject: 'Hello', text: 'Hello' }
    const { status, body: answer } = await service.call('POST', '/emails', { body })
    expect(status).toBe(200)
    const { id } = Object(answer)
    await until(async () => expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'delivered' }))
  }
  async function answers(): Promise<number[]> {
    const body = { from: 'a@example.com', to: 'b@example.org', subject: 'Hello', text: 'Hello' }
    const sent = await service.call('POST', '/emails', { body })
    const listed = await service.call('GET', '/emails')
    const ready = await service.call('GET', '/health/ready', { token: null })
    return [sent.status, listed.status, ready.status]
  }
  const schema = async () => Object((await service.call('GET', '/health/ready', { token: null })).body).schema

  it('sends mail, starts and runs commands after it has expanded, and answers 503 and ends after it has contracted', async () => {
    expect(await schema()).toBe(
      readdirSync(join(schemaFolder, 'migrations'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
        .at(-1),
    )

    await upgradeWith('9997_expands', 'alter table emails add column later text; create table later_things (id uuid primary key)')
    await sendsMail()
    expect(await startAnother()).toBe('started')
    await expectMigrated({ databaseUrl: databaseUrl() })
    expect(await schema()).toBe('9997_expands')

    // A program that knows 9997_expands no longer uses what 9998_contracts removes.
    const between = join(folder, 'between')
    cpSync(join(folder, 'migrations'), join(between, 'migrations'), { recursive: true })
    const contracting = ['9998_contracts', '-- serves: 9997_expands\nalter table emails rename column subject to title'] as const
    const api = await startTestService({ beside: service })
    const named = await upgradeWith(...contracting).catch((error: Error) => error.message)
    expect(named).toMatch(/^The migration 9998_contracts does not work with the version before, and processes of it are running: /)
    for (const roles of ['api, worker', 'api']) expect(named).toContain(`(${roles}), process ${process.pid} of `)
    expect(named).toContain('--force')
    await api.close()
    await sendsMail()

    expect(await upgradeWith(...contracting, { force: true })).toEqual({ applied: ['9998_contracts'] })
    // At once, before this process has looked at the tables again.
    expect(await answers()).toEqual([503, 503, 503])
    // People get a page that says the same.
    for (const path of ['/console/device', '/unsubscribe/link']) {
      const { status, headers, body } = await service.call('GET', path, { token: null, headers: { accept: 'text/html' } })
      expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([503, '5', 'text/html; charset=utf-8'])
      expect(body).toContain('</html>')
    }
    expect(await service.service.outdated).toBe('9998_contracts')
    expect(await migrate({ databaseUrl: databaseUrl(), log, folder: between })).toEqual({ applied: [] })
    const refused = 'The database has the migration 9998_contracts, which this Posthaste does not know'
    await expect(startAnother()).rejects.toThrow(refused)
    await expect(expectMigrated({ databaseUrl: databaseUrl() })).rejects.toThrow(refused)

    await upgradeWith('9999_ends', 'drop table later_things', { force: true })
    await expect(migrate({ databaseUrl: databaseUrl(), log, folder: between })).rejects.toThrow(
      '9999_ends, which this Posthaste does not know',
    )
  })
})
