// A backup of a service that runs, kills in the middle, and what a restored service does before someone has said that it may send.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Ended, launch } from '../cli/run-command.ts'
import { rowsOf } from '../support/builders/backups.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { createPreparedPlace } from '../support/processes/places.ts'
import { createPlace, type Place, queryEmbedded } from '../support/processes/processes.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/servers/postgres.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'
import { OF_THIS_DATABASE } from '../support/servers/statements.ts'

let folder: string
const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-restore-'))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

const EMAILS = 30
const { run } = useSharedCommands()

it('sends what waited once, and not before it is told to', async () => {
  const sink = await startSmtpSink()
  closing.push(() => sink.close())
  const environment = { SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` }
  const first = await createPreparedPlace(environment)
  closing.push(() => first.close())
  const service = await first.start({ environment: { ROLES: 'api' } })
  const load = startLoad({ url: () => service.url, token: first.token, count: EMAILS })
  await load.done
  const backup = join(folder, 'backup')
  expect(await command(['backup', backup], first)).toMatchObject({ status: 0 })
  await service.signal('SIGKILL')

  const second = await createPlace(environment)
  closing.push(() => second.close())
  expect(await command(['restore', backup], second)).toMatchObject({ status: 0 })
  const restored = await second.start()
  const parked = () =>
    queryEmbedded<{ count: string }>(second.dataDir, `select count(*) from deliveries where due_at = 'infinity' and not is_ready`)
  await until(async () => expect(await parked()).toEqual([{ count: String(EMAILS) }]))

  expect(sink.messages).toEqual([])
  await until(() =>
    expect(restored.output()).toMatch(
      /^ {2}Queue {6}held since the restore of a backup of .+ UTC: nothing is sent until `queue resume --all`$/m,
    ),
  )
  const ready = await fetch(`${restored.url}/health/ready`)
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { status: 'ok', checks: { queue: expect.stringContaining('held since') } },
  ])
  expect((await command(['queue', 'list'], second)).out).toMatch(
    /Paused:\n {2}the queue, since .+, because it was restored from a backup of/,
  )
  const late = startLoad({ url: () => restored.url, token: second.token, count: 1 })
  await late.done

  expect((await command(['queue', 'resume', '--all'], second)).out).toContain('Resumed: the queue.')
  await until(() => expect(new Set(arrivedIds(sink.messages)).size).toBe(EMAILS + 1))
  await until(async () => expect(await queryEmbedded(second.dataDir, 'select from deliveries')).toEqual([]))
  expect(arrivedIds(sink.messages).sort()).toEqual([...load.accepted, ...late.accepted].sort())
  const after = await fetch(`${restored.url}/health/ready`)
  expect(await after.json()).toEqual({
    status: 'ok',
    checks: { database: 'ok', disk: 'ok', worker: 'ok', partitions: 'ok' },
    schema: expect.any(String),
  })
})

it('a backup that was killed is never taken for one, and the next one takes its place', async () => {
  const service = await testService()
  const backup = join(folder, 'backup')
  const environment = environmentOf(service)
  const holder = await connected(service.config.databaseUrl ?? '')
  await holder.query('begin; lock table emails in access exclusive mode')
  const child = launch(['backup', backup], { folder, environment })
  await until(() => expect(existsSync(`${backup}.unfinished`)).toBe(true))
  child.kill('SIGKILL')
  await holder.query('rollback')

  expect(existsSync(backup)).toBe(false)
  expect(
    await run(['restore', `${backup}.unfinished`], { folder, environment: { ...environment, DATA_DIR: join(folder, 'data') } }),
  ).toMatchObject({
    status: 1,
    errors: expect.stringContaining('is no backup, or one that was not finished'),
  })
  await until(async () => expect(await run(['backup', backup], { folder, environment })).toMatchObject({ status: 0 }))
  expect(readdirSync(folder).sort()).toEqual(['backup'])
})

it('a restore that was killed keeps services from starting, and is run again', async () => {
  const service = await testService()
  await sendEmail(service)
  const backup = join(folder, 'backup')
  expect(await run(['backup', backup], { folder, environment: environmentOf(service) })).toMatchObject({ status: 0 })
  const target: TestDatabase = await createEmptyDatabase()
  closing.push(() => target.drop())
  const environment = { DATABASE_URL: target.url, DATA_DIR: join(folder, 'data'), PORT: '0', INBOUND_PORT: '0' }

  const holder = await connected(target.url)
  // The lock of migrations: the restore begins, and makes no tables before all is prepared for the kill.
  await holder.query('select pg_advisory_lock(7407, 1)')
  const child = launch(['restore', backup], { folder, environment })
  await until(async () => {
    await holder.query('begin')
    // The transaction that loads the rows writes this at its end.
    await holder
      .query('lock table unfinished_restore in share mode')
      .catch((error) => holder.query('rollback').then(() => Promise.reject(error)))
  })
  await holder.query('select pg_advisory_unlock(7407, 1)')
  await until(async () => {
    const { rows } = await holder.query(
      `select from pg_locks where not granted and relation = 'unfinished_restore'::regclass and ${OF_THIS_DATABASE}`,
    )
    expect(rows).toHaveLength(1)
  })
  child.kill('SIGKILL')
  await holder.query('rollback')

  const unfinished = expect.stringContaining('A restore into this database was not finished: run `restore` again with the same backup')
  for (const args of [['start'], ['migrate'], ['queue', 'list']])
    expect(await run(args, { folder, environment })).toMatchObject({ status: 1, errors: unfinished })
  const other = join(folder, 'other')
  expect(await run(['backup', other], { folder, environment: environmentOf(service) })).toMatchObject({ status: 0 })
  // PostgreSQL may notice a little later that the session of the killed one has ended.
  await until(async () =>
    expect(await run(['restore', other], { folder, environment })).toMatchObject({
      status: 1,
      errors: expect.stringContaining('The restore of another backup into this database was not finished'),
    }),
  )

  const again = await run(['restore', backup], { folder, environment })
  expect(again).toMatchObject({
    status: 0,
    errors: expect.stringContaining('An earlier restore of this backup was not finished. It is continued.'),
  })
  const [{ emails, deliveries }, before] = await Promise.all([rowsOf(target.url), rowsOf(service.config.databaseUrl ?? '')])
  expect({ emails, deliveries }).toEqual({ emails: before.emails, deliveries: before.deliveries })
  expect(emails).toHaveLength(1)
  expect(await run(['queue', 'list'], { folder, environment })).toMatchObject({ status: 0 })
})

const command = (args: string[], { dataDir }: Place): Promise<Ended> => run(args, { folder, environment: { DATA_DIR: dataDir } })

async function testService(): Promise<TestService> {
  const service = await startTestService()
  closing.push(() => service.close())
  return service
}

const environmentOf = ({ config }: TestService): Record<string, string> => ({
  DATABASE_URL: config.databaseUrl ?? '',
  DATA_DIR: config.dataDir,
})

async function connected(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  closing.push(() => client.end())
  return client
}
