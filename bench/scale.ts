// What more processes of each role give on this machine, and what they wait for: from this follows how larger machines are planned.
import type { ChildProcess } from 'node:child_process'
import { CONNECTIONS, email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, type Service, startService } from './place.ts'
import { pause, run, stop, until } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { machineMs, type Sink, startCountingSink } from './sink.ts'
import { mean, perSecond, type Row } from './table.ts'

const LOAD_CONNECTIONS = 48
const FULL = { rounds: 3, seconds: 10 }
const QUICK = { rounds: 1, seconds: 1 }
const LIMIT_MS = 120_000
const SAMPLE_MS = 50
const WAITS_SHOWN = 4

type Shape = { apis: number; workers: number }
const SHAPES: Shape[] = [
  { apis: 1, workers: 1 },
  { apis: 2, workers: 1 },
  { apis: 1, workers: 2 },
  { apis: 2, workers: 2 },
]

/** The costs of one email, and what the connections of the service did, in shares of the samples in which they were busy. */
type Round = {
  acceptedPerSecond: number
  perSecond: number
  nodeUs: number
  postgresUs: number
  walBytes: number
  waits: Map<string, number>
}
type Fleet = { apis: Service[]; workers: ChildProcess[] }
type Side = Shape & { databaseUrl: string; databaseName: string; sink: Sink; rounds: Round[] }

/** One process of each role, two of one of them, two of each: all on one PostgreSQL, in turns. */
export async function measureScale(place: Place): Promise<Row[]> {
  const { rounds, seconds } = place.isQuick ? QUICK : FULL
  const sides: Side[] = []
  for (const shape of SHAPES) {
    const databaseName = `bench_scale_${shape.apis}_${shape.workers}`
    sides.push({
      ...shape,
      databaseName,
      databaseUrl: await createDatabase(place, databaseName),
      sink: await startCountingSink(),
      rounds: [],
    })
  }
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.rounds.push(await runRound(place, side, seconds))
  for (const { sink, databaseName } of sides) {
    await sink.close()
    await dropDatabase(place, databaseName)
  }
  return sides.flatMap((side) => rowsOf(side, sides[0] ?? side))
}

/** Its processes run for its round only: those of the others would ask the database meanwhile. */
async function runRound(place: Place, side: Side, seconds: number): Promise<Round> {
  const fleet = await startFleet(place, side)
  await pass(place, side, fleet, Math.ceil(seconds / 3))
  const round = await pass(place, side, fleet, seconds)
  await Promise.all([...fleet.apis.map((api) => api.stop()), ...fleet.workers.map(stop)])
  return round
}

async function startFleet(place: Place, side: Side): Promise<Fleet> {
  const environment = {
    ...environmentOf(place, side.databaseUrl),
    DATA_DIR: `${place.dataDir}/${side.databaseName}`,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${side.sink.port}`,
    // As many connections together, however many workers share them.
    SMTP_RELAY_CONNECTIONS: String(Math.ceil(CONNECTIONS / side.workers)),
  }
  const apis: Service[] = []
  // One after the other: the first one makes the tables.
  for (let index = 0; index < side.apis; index += 1) apis.push(await startService({ ...environment, ROLES: 'api' }))
  const workers = Array.from({ length: side.workers }, () =>
    run('posthaste.js', ['start'], { environment: { ...environment, ROLES: 'worker' } }),
  )
  return { apis, workers }
}

/** The time from the first request until everything is delivered. */
async function pass(
  { dataDir }: Place,
  { databaseUrl, databaseName, sink }: Side,
  { apis, workers }: Fleet,
  seconds: number,
): Promise<Round> {
  const processes = [...apis.map(({ child }) => child), ...workers]
  const read = async () => ({
    ms: machineMs(),
    delivered: sink.count(),
    nodeMs: processes.reduce((sum, { pid }) => sum + processCpuMs(pid ?? 0), 0),
    postgresMs: postgresCpuMs(dataDir),
    wal: (await query<{ wal: number }>(databaseUrl, `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal`))[0]?.wal ?? 0,
  })
  const before = await read()
  const stopWatching = watchWaits(databaseUrl, databaseName)
  const loads = await Promise.all(
    apis.map(({ url }) => generateLoad({ url: `${url}/emails`, connections: LOAD_CONNECTIONS / apis.length, body: email(0), seconds })),
  )
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The queue did not become empty',
    LIMIT_MS,
  )
  const waits = await stopWatching()
  const after = await read()
  const emails = after.delivered - before.delivered
  return {
    acceptedPerSecond: loads.reduce((sum, load) => sum + load.perSecond, 0),
    perSecond: (emails / (after.ms - before.ms)) * 1_000,
    nodeUs: ((after.nodeMs - before.nodeMs) / emails) * 1_000,
    postgresUs: ((after.postgresMs - before.postgresMs) / emails) * 1_000,
    walBytes: (after.wal - before.wal) / emails,
    waits,
  }
}

/** Looks at what the connections to a database do now and then. @returns what stops it, and tells how often each was seen */
function watchWaits(databaseUrl: string, databaseName: string): () => Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      const rows = await query<{ wait: string }>(
        databaseUrl,
        `select coalesce(wait_event_type || ' ' || wait_event, 'running') as wait from pg_stat_activity
         where datname = $1 and state = 'active' and pid <> pg_backend_pid()`,
        [databaseName],
      )
      for (const { wait } of rows) seen.set(wait, (seen.get(wait) ?? 0) + 1)
      await pause(SAMPLE_MS)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    return seen
  }
}

function rowsOf({ apis, workers, rounds }: Side, first: Side): Row[] {
  const meanOf = (of: Round[], what: 'acceptedPerSecond' | 'perSecond' | 'nodeUs' | 'postgresUs' | 'walBytes') =>
    mean(of.map((one) => one[what]))
  const name = `scale: ${apis} api, ${workers} worker${workers === 1 ? '' : 's'}`
  const ratio = (what: 'acceptedPerSecond' | 'perSecond' | 'postgresUs') => meanOf(rounds, what) / meanOf(first.rounds, what)
  return [
    { what: `${name}, accepted`, result: perSecond(meanOf(rounds, 'acceptedPerSecond')), ratio: ratio('acceptedPerSecond') },
    { what: `${name}, accepted and delivered`, result: perSecond(meanOf(rounds, 'perSecond')), ratio: ratio('perSecond') },
    { what: `${name}, services for one`, result: `${Math.round(meanOf(rounds, 'nodeUs'))} µs` },
    { what: `${name}, PostgreSQL for one`, result: `${Math.round(meanOf(rounds, 'postgresUs'))} µs`, ratio: ratio('postgresUs') },
    { what: `${name}, write-ahead log for one`, result: `${Math.round(meanOf(rounds, 'walBytes')).toLocaleString('en')} bytes` },
    { what: `${name}, seen`, result: waitsText(rounds) },
  ]
}

function waitsText(rounds: Round[]): string {
  const sums = new Map<string, number>()
  for (const { waits } of rounds) for (const [wait, count] of waits) sums.set(wait, (sums.get(wait) ?? 0) + count)
  const all = [...sums.values()].reduce((sum, count) => sum + count, 0)
  return [...sums]
    .sort(([, one], [, other]) => other - one)
    .slice(0, WAITS_SHOWN)
    .map(([wait, count]) => `${wait} ${Math.round((count / all) * 100)} %`)
    .join(', ')
}
