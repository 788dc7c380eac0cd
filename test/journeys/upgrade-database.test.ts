// The embedded database of a former major version of PostgreSQL, with its mail, becomes one of this version: also after a kill in the middle.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { embeddedUrl } from '../../src/db/embedded/embedded-role.ts'
import { type Ended, launch } from '../cli/run-command.ts'
import { rowsOf, type StoredRows } from '../support/builders/backups.ts'
import { arrivedIds, startLoad } from '../support/builders/load.ts'
import { until } from '../support/clocks/until.ts'
import { otherPostgresVersion } from '../support/processes/machine.ts'
import {
  createPlace,
  silentLog as log,
  type Place,
  postgresPidOf,
  queryAt,
  queryEmbedded,
  untilGone,
} from '../support/processes/processes.ts'
import { useSharedCommands } from '../support/processes/shared-commands.ts'
import { debianPrograms, startDebianPostgres } from '../support/servers/other-databases.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'

const EMAILS = 20
const KILL_TRIES = 3
const version = otherPostgresVersion() ?? ''
const commands = useSharedCommands()

let folder: string
const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-upgrade-'))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

it.runIf(process.getuid?.() === 0 && version)(
  'a database of a former PostgreSQL becomes one of this version, after a kill too',
  async () => {
    const sink = await startSmtpSink()
    closing.push(() => sink.close())
    const server = await startDebianPostgres(version)
    closing.push(() => server.stop())
    const place = await createPlace({ SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` })
    closing.push(() => place.close())
    const accepted = await acceptEmails(place, server.url)
    const before = await rowsOf(server.url)
    await queryAt(
      { connectionString: server.url },
      'create table mine (id int); create view seen as select id from mine; create schema other; create table other.kept ()',
    )
    await server.embedIn(place.dataDir)

    expect(await command(['start'], place)).toMatchObject({
      status: 1,
      errors: expect.stringContaining(
        `was made by PostgreSQL ${version}, and this Posthaste includes PostgreSQL 18: stop the service, and run`,
      ),
    })
    await killWhileCopying(place)
    expect([versionIn(place, 'postgres'), existsSync(join(place.dataDir, 'postgres.filling'))]).toEqual([version, true])

    const { status, out, errors } = await command(upgrade, place)

    expect(status, errors).toBe(0)
    expect(out).toContain(`It has ${2 * EMAILS} emails, ${EMAILS} of their deliveries still to do.`)
    expect(errors).toContain('Not copied, because Posthaste did not make it: mine, other.kept, seen.')
    expect(databasesIn(place)).toEqual(['postgres', 'postgres-password', `postgres-${version}`, 'postgres.lock', 'postgres.owner'].sort())
    expect([versionIn(place, 'postgres'), versionIn(place, `postgres-${version}`)]).toEqual(['18', version])
    const ownerOf = (name: string) => statSync(join(place.dataDir, name)).uid
    expect(ownerOf('postgres/PG_VERSION')).toBe(ownerOf(`postgres-${version}/PG_VERSION`))
    expect(asMoved(await rowsNow(place))).toEqual(asMoved(before))
    expect(before.sign_in_links).toHaveLength(1)
    expect(await command(upgrade, place)).toMatchObject({ status: 1, errors: expect.stringContaining('there is nothing to upgrade') })

    const service = await place.start()
    await until(async () => expect(await queryEmbedded(place.dataDir, 'select from deliveries')).toEqual([]))
    const late = startLoad({ url: () => service.url, token: place.token, count: 1 })
    await late.done
    await until(() => expect(new Set(arrivedIds(sink.messages)).size).toBe(2 * EMAILS + 1))
    expect(arrivedIds(sink.messages).sort()).toEqual([...accepted, ...late.accepted].sort())
  },
)

const upgrade = ['upgrade-database', '--programs', debianPrograms(version)]
const command = (args: string[], { dataDir }: Place): Promise<Ended> =>
  commands.run(args, { folder, environment: { DATA_DIR: dataDir, PORT: '0', INBOUND_PORT: '0' } })
const versionIn = ({ dataDir }: Place, name: string) => readFileSync(join(dataDir, name, 'PG_VERSION'), 'utf8').trim()
const databasesIn = ({ dataDir }: Place) => readdirSync(dataDir).filter((name) => name.startsWith('postgres'))

/** Some that are delivered, then as many that wait; and a link to sign in. */
async function acceptEmails(place: Place, databaseUrl: string): Promise<string[]> {
  const environment = { DATABASE_URL: databaseUrl }
  const all: string[] = []
  for (const roles of ['api,worker', 'api']) {
    const service = await place.start({ environment: { ...environment, ROLES: roles } })
    const load = startLoad({ url: () => service.url, token: place.token, count: EMAILS })
    await load.done
    all.push(...load.accepted)
    if (roles !== 'api')
      await until(async () => expect(await queryAt({ connectionString: databaseUrl }, 'select from deliveries')).toEqual([]))
    expect(await service.signal('SIGTERM')).toEqual({ status: 0, signal: null })
  }
  const inPlace = { folder, environment: { ...environment, DATA_DIR: place.dataDir } }
  expect(await commands.run(['console', 'link'], inPlace)).toMatchObject({ status: 0 })
  return all
}

/** While another session keeps the command from reading the rows. One that was not stopped in time is run again on the same database. */
async function killWhileCopying(place: Place): Promise<void> {
  // What a former try has left is no hindrance.
  mkdirSync(join(place.dataDir, 'postgres.upgraded'))
  writeFileSync(join(place.dataDir, 'postgres.upgraded/PG_VERSION'), '18\n')
  const before = join(folder, 'before')
  execFileSync('cp', ['-a', place.dataDir, before])
  for (let triesLeft = KILL_TRIES; !(await isKilledWhileCopying(place)); triesLeft -= 1) {
    if (triesLeft <= 1) throw new Error(`The command was never stopped while it copied, in ${KILL_TRIES} tries`)
    rmSync(place.dataDir, { recursive: true })
    execFileSync('cp', ['-a', before, place.dataDir])
  }
}

async function isKilledWhileCopying(place: Place): Promise<boolean> {
  const child = launch(upgrade, { folder, environment: { DATA_DIR: place.dataDir } })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const holder = await until(async () => (hasEnded() ? null : await lockEmails(place)), { interval: 5 })
  if (holder === null) return false
  const isWaiting = await until(
    async () => {
      if (hasEnded()) return false
      const { rowCount } = await holder.query(`select from pg_locks where not granted and relation = 'emails'::regclass`)
      expect(rowCount).toBe(1)
      return true
    },
    { interval: 5 },
  )
  child.kill('SIGKILL')
  const servers = [postgresPidOf(place.dataDir)].filter((pid) => pid !== null)
  await holder.end().catch(() => {})
  for (const pid of servers) await untilGone(pid)
  return isWaiting
}

async function lockEmails({ dataDir }: Place): Promise<pg.Client> {
  const port = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[3])
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8')
  const client = new pg.Client({ connectionString: embeddedUrl({ port, password }) })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin; lock table emails in access exclusive mode')
    return client
  } catch (error) {
    // The server is still starting, or the tables are not yet those of the role.
    await client.end().catch(() => {})
    throw error
  }
}

async function rowsNow({ dataDir }: Place): Promise<StoredRows> {
  const database = await startEmbeddedPostgres({ dataDir, log, durable: false })
  try {
    return await rowsOf(database.url)
  } finally {
    await database.stop()
  }
}

/** The leases of the former workers are not kept. */
const asMoved = ({ worker_leases: _leases, ...rows }: StoredRows): StoredRows => rows
