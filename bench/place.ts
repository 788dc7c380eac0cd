// Where a run happens: a PostgreSQL of its own with a database for each part, a folder, and services that are started the way a user does.
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { superuserUrl } from '../test/support/servers/postgres.ts'
import { type MemoryWatch, watchMemory } from './memory-watch.ts'
import { freePort, pause, run, stop, until } from './processes.ts'
import { atMost, megabytes, percent, type Row } from './table.ts'

export const TOKEN = 're_bench_0123456789abcdef012345'
const START_MS_MAX = 30_000
/** What the process may hold beside what it holds at rest, and how much more at the end of a long run than at its beginning. */
const MEMORY_BYTES_MAX = 150 * 1024 * 1024
const MEMORY_GROWTH_MAX = 0.05
/** Long enough for the garbage of the warm-up to be collected. */
const REST_MS = 2_500

export type Place = {
  /** A URL of the server's own database. */
  serverUrl: string
  dataDir: string
  /** Small sizes and short times: shows that everything works, and measures nothing. */
  isQuick: boolean
  /** How long the soak takes. */
  soakMinutes: number
  /** How long single emails are sent beside bulk mail, if not for seconds. */
  fairnessMinutes: number | undefined
  /** How many entries the audit log has, if not as many as usual. */
  auditEntries: number | undefined
  /** Where each service leaves a CPU profile when it stops. */
  profileFolder: string | undefined
  /** Another checkout, with its node_modules: what it does is compared. */
  besideFolder: string | undefined
}

export type Service = {
  url: string
  child: ChildProcess
  memory: MemoryWatch
  /** After the warm-up: waits until the process rests, and compares its memory with that from then on. */
  rest(): Promise<void>
  stop(): Promise<void>
}

/** An empty database for one part. */
export async function createDatabase({ serverUrl }: Place, name: string): Promise<string> {
  await query(serverUrl, `drop database if exists ${name}`)
  await query(serverUrl, `create database ${name}`)
  return Object.assign(new URL(serverUrl), { pathname: name }).href
}

/** After its services have stopped. Without `force`, which would also need the right to end autovacuum; a plain drop waits for that. */
export const dropDatabase = ({ serverUrl }: Place, name: string): Promise<unknown> => query(serverUrl, `drop database if exists ${name}`)

export async function query<Row extends pg.QueryResultRow>(databaseUrl: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

export async function countRows(databaseUrl: string, from: string): Promise<number> {
  const [row] = await query<{ count: number }>(databaseUrl, `select count(*)::int as count from ${from}`)
  return row?.count ?? 0
}

/** What was written before is cleaned up and on the disk, and costs nothing meanwhile. */
export async function settle({ serverUrl, dataDir }: Place, databaseUrls: string[]): Promise<void> {
  for (const databaseUrl of databaseUrls) await query(databaseUrl, 'vacuum (analyze)')
  await query(superuserUrl(serverUrl, join(dataDir, 'server')), 'checkpoint')
}

/** Everything on, as a user has it; the limiter counts and sets its headers, but never refuses. */
export const environmentOf = ({ dataDir, profileFolder }: Place, databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  // Each database has files of its own, and does not start with those of another.
  DATA_DIR: join(dataDir, 'service', new URL(databaseUrl).pathname),
  BOOTSTRAP_API_KEY: TOKEN,
  RATE_LIMIT_PER_SECOND: '1000000',
  // A free port: several services run at once.
  INBOUND_PORT: '0',
  ...(profileFolder !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
})

/** Starts Posthaste, or another script that answers on the same paths, and waits until it is ready. */
export async function startService(
  environment: Record<string, string>,
  script = 'posthaste.js',
  args = ['start'],
  startMsMax = START_MS_MAX,
): Promise<Service> {
  const port = await freePort()
  const child = run(script, args, { environment: { ...environment, PORT: String(port) } })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/health/ready`, child, startMsMax)
  const memory = watchMemory(child.pid ?? 0)
  return {
    url,
    child,
    memory,
    async rest() {
      await pause(REST_MS)
      memory.rest()
    },
    async stop() {
      memory.stop()
      await stop(child)
    },
  }
}

/** Resolves when `url` answers with 200. */
export async function untilAnswers(url: string, child: ChildProcess, msMax = START_MS_MAX): Promise<void> {
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode} before it was ready`)
      return (await fetch(url).catch(() => null))?.status === 200
    },
    () => `${url} did not answer within ${msMax / 1_000} s`,
    msMax,
  )
}

/** The largest of several measurements. */
export const memoryRow = (part: string, peaks: number[]): Row => ({
  what: `${part}: memory above rest`,
  result: megabytes(Math.max(...peaks)),
  wanted: atMost(Math.max(...peaks), MEMORY_BYTES_MAX, `at most ${megabytes(MEMORY_BYTES_MAX)}`),
})

/** Growth counts, shrinking does not. */
export const growthRow = (what: string, growth: number): Row => ({
  what: `${what}, last fifth against second`,
  result: percent(growth),
  wanted: atMost(growth, MEMORY_GROWTH_MAX, `at most ${percent(MEMORY_GROWTH_MAX)}`),
})
