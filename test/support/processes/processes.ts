import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { embeddedUrl } from '../../../src/db/embedded/embedded-role.ts'
import type { Log } from '../../../src/db/session/database-session.ts'
import { until } from '../clocks/until.ts'

/** Compiled code, kept between the hundreds of processes that a run starts. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/posthaste-tests', import.meta.url))
/** A clock that was moved for the whole run (libfaketime) is moved for every process of it. */
const OF_THE_CLOCK = /^(LD_PRELOAD|FAKETIME.*)$/

/** What a process that a test starts gets from this one, beyond what the test gives it. */
export const inheritedEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(process.env).flatMap(([name, value = '']) => (OF_THE_CLOCK.test(name) ? [[name, value]] : []))),
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  // A free port: several services run at once.
  INBOUND_PORT: '0',
})

// Whole services as separate processes, for tests that kill them.

export type Ending = { status: number | null; signal: NodeJS.Signals | null }

export type ServiceProcess = {
  url: string
  pid: number
  ended: Promise<Ending>
  /** Everything that it has written so far. */
  output(): string
  /** Signals the process alone; resolves when it has ended. */
  signal(signal: NodeJS.Signals): Promise<Ending>
  /** Signals the process and everything that it was started with, as a terminal does for Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): Promise<Ending>
}

export type Place = {
  dataDir: string
  token: string
  start(options?: StartOptions): Promise<ServiceProcess>
  /** Without waiting until it runs. */
  spawn(options?: StartOptions): ServiceProcess
  /**
   * Kills what still runs here, and removes the folder.
   * @throws Error about answers that the document does not have
   */
  close(): Promise<void>
}

export type StartOptions = {
  environment?: Record<string, string>
  command?: [string, ...string[]]
  /** A free one if absent. */
  port?: number
}

const ROOT = resolve(import.meta.dirname, '../../..')
const WATCHED_ANSWERS = join(import.meta.dirname, 'watched-answers-process.ts')
const TOKEN = 're_journey_0123456789abcdef0123'
const START_MS_MAX = 90_000

/** A data folder and a port, for one service after another. */
export async function createPlace(environment: Record<string, string> = {}): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthaste-test-journey-'))
  const undeclaredFile = `${dataDir}-undeclared-answers`
  const started: ServiceProcess[] = []

  async function start(options: StartOptions = {}): Promise<ServiceProcess> {
    const service = spawnAt(options.port ?? (await freePort()), options)
    await untilReady(service)
    return service
  }

  function spawnAt(
    port: number,
    { environment: more = {}, command = [process.execPath, 'posthaste.js', 'start'] }: StartOptions,
  ): ServiceProcess {
    const [program, ...args] = command
    const child = spawn(program, program === process.execPath ? ['--import', WATCHED_ANSWERS, ...args] : args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...inheritedEnvironment(),
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        PORT: String(port),
        LOG_LEVEL: 'info',
        RATE_LIMIT_PER_SECOND: '0',
        RATE_LIMIT_BYTES_PER_SECOND: '0',
        BOOTSTRAP_API_KEY: TOKEN,
        UNDECLARED_ANSWERS_FILE: undeclaredFile,
        ...environment,
        ...more,
      },
    })
    const service = serviceOf(child, `http://127.0.0.1:${port}`)
    started.push(service)
    return service
  }

  return {
    dataDir,
    token: TOKEN,
    start,
    spawn: (options = {}) => spawnAt(0, options),
    async close() {
      await Promise.all(started.map((service) => service.signalGroup('SIGKILL')))
      const postgres = postgresPidOf(dataDir)
      if (postgres !== null) await untilGone(postgres)
      const undeclared = takeLines(undeclaredFile)
      rmSync(dataDir, { recursive: true, force: true })
      if (undeclared.length > 0) throw new Error(undeclared.join('\n'))
    },
  }
}

/** The different lines of a file, which is removed; none if there is no file. */
function takeLines(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  rmSync(file)
  return [...new Set(lines)]
}

function serviceOf(child: ChildProcess, url: string): ServiceProcess {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  let ending: Ending | null = null
  const ended = new Promise<Ending>((done) => {
    child.once('close', (status, signal) => {
      ending = { status, signal }
      done(ending)
    })
  })
  const pid = child.pid ?? 0
  const send = (target: number, signal: NodeJS.Signals) => {
    if (ending === null) process.kill(target, signal)
    return ended
  }
  return {
    url,
    pid,
    ended,
    output: () => output,
    signal: (signal) => send(pid, signal),
    signalGroup: (signal) => send(-pid, signal),
  }
}

async function untilReady(service: ServiceProcess): Promise<void> {
  const ended = service.ended.then(({ status, signal }) => {
    throw new Error(`The service ended (${status ?? signal}) before it was ready:\n${service.output()}`)
  })
  const ready = until(
    async () => {
      const { status } = await fetch(`${service.url}/health/ready`)
      if (status !== 200) throw new Error(`The service is not ready (${status}):\n${service.output()}`)
    },
    { timeout: START_MS_MAX, interval: 100 },
  )
  await Promise.race([ready, ended])
}

/**
 * One that no one has at this moment, and that the system gives to no connection that begins before it is used. It stays its own while what listens
 * there is stopped and started again: each test worker has its own range, and gives no port twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FREE_PORT_MIN + RANGE * PORTS_OF_WORKER + randomInt(PORTS_OF_WORKER)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

const FREE_PORT_MIN = 12_000
/** The first one that Linux takes for the near end of a connection. */
const EPHEMERAL_PORT_MIN = 32_768
const WORKERS_MAX = 16
const PORTS_OF_WORKER = Math.floor((EPHEMERAL_PORT_MIN - FREE_PORT_MIN) / WORKERS_MAX)
const RANGE = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS_MAX
const given = new Set<number>()

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })
}

/** The process of the embedded PostgreSQL, according to its own lock file; null if there is none. */
export function postgresPidOf(dataDir: string): number | null {
  const lines = postmasterFile(dataDir)
  return lines === null ? null : Number(lines[0])
}

function postmasterFile(dataDir: string): string[] | null {
  try {
    return readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return null
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export const untilGone = (pid: number): Promise<void> =>
  until(
    () => {
      if (isAlive(pid)) throw new Error(`Process ${pid} is still there`)
    },
    { interval: 20 },
  )

/** By the address of the server: one that is started again has another port. */
const pools = new Map<string, pg.Pool>()

/** Queries the embedded PostgreSQL of a data folder, bypassing the service. A test may ask it often, and a connection costs more than a query. */
export async function queryEmbedded<Row extends pg.QueryResultRow>(dataDir: string, sql: string): Promise<Row[]> {
  const address = embeddedAddress(dataDir)
  const pool = pools.get(address) ?? new pg.Pool({ connectionString: address, max: 1 })
  // The server may be what the test kills.
  if (!pools.has(address)) pools.set(address, pool.on('error', ignore))
  return (await pool.query<Row>(sql)).rows
}

export const embeddedAddress = (dataDir: string): string =>
  embeddedUrl({
    port: Number(postmasterFile(dataDir)?.[3]),
    password: readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim(),
  })

/** Over a separate connection. */
export async function queryAt<Row extends pg.QueryResultRow>(server: pg.ClientConfig, sql: string): Promise<Row[]> {
  const client = new pg.Client(server)
  // The server may be what the test kills.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const ignore = () => {}

/** A log that keeps nothing. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
