// What one email costs from its request to its delivery: processor time, write-ahead log, disk. With --beside the same of another checkout, in turns.
import { resolve } from 'node:path'
import { CONNECTIONS, email } from './email.ts'
import { generateLoad } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, type Place, query, type Service, startService } from './place.ts'
import { until } from './processes.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { machineMs, type Sink, startCountingSink } from './sink.ts'
import { atLeast, atMost, mean, microseconds, perSecond, type Row } from './table.ts'

const FULL = { rounds: 3, seconds: 10 }
const QUICK = { rounds: 1, seconds: 1 }
const LOAD_CONNECTIONS = 50
const LIMIT_MS = 120_000
const RATIO_MIN = 1.4
const WAL_BYTES_MAX = 5 * 1024

/** What one email costs. */
type Costs = { perSecond: number; nodeUs: number; postgresUs: number; walBytes: number; diskBytes: number }
type Side = { service: Service; databaseUrl: string; databaseName: string; sink: Sink; rounds: Costs[] }

/** Accepted and delivered in one process, as fast as it goes. */
export async function measureCosts(place: Place): Promise<Row[]> {
  const { rounds, seconds } = place.isQuick ? QUICK : FULL
  const here = await startSide(place, 'bench_costs')
  const beside = place.besideFolder === undefined ? null : await startSide(place, 'bench_costs_beside', place.besideFolder)
  const sides = beside ? [here, beside] : [here]
  for (const side of sides) await runRound(place, side, seconds)
  for (const side of sides) side.rounds = []
  for (let round = 0; round < rounds; round += 1)
    // The other one first in every second round, so that neither always follows the other.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) side.rounds.push(await runRound(place, side, seconds))
  for (const { service, sink, databaseName } of sides) {
    await service.stop()
    await sink.close()
    await dropDatabase(place, databaseName)
  }
  return rowsOf(here, beside)
}

async function startSide(place: Place, databaseName: string, folder = ''): Promise<Side> {
  const databaseUrl = await createDatabase(place, databaseName)
  const sink = await startCountingSink()
  const environment = {
    ...environmentOf(place, databaseUrl),
    DATA_DIR: `${place.dataDir}/${databaseName}`,
    SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
    SMTP_RELAY_CONNECTIONS: String(CONNECTIONS),
  }
  return { service: await startService(environment, resolve(folder, 'posthaste.js')), databaseUrl, databaseName, sink, rounds: [] }
}

async function runRound({ dataDir }: Place, { service, databaseUrl, sink }: Side, seconds: number): Promise<Costs> {
  const read = async () => ({
    ms: machineMs(),
    delivered: sink.count(),
    nodeMs: processCpuMs(service.child.pid ?? 0),
    postgresMs: postgresCpuMs(dataDir),
    ...(await sizesOf(databaseUrl)),
  })
  const before = await read()
  await generateLoad({ url: `${service.url}/emails`, connections: LOAD_CONNECTIONS, body: email(0), seconds })
  await until(
    async () => (await countRows(databaseUrl, 'deliveries')) === 0,
    () => 'The queue did not become empty',
    LIMIT_MS,
  )
  const after = await read()
  const emails = after.delivered - before.delivered
  const each = (of: 'nodeMs' | 'postgresMs' | 'wal' | 'disk') => (after[of] - before[of]) / emails
  return {
    perSecond: (emails / (after.ms - before.ms)) * 1_000,
    nodeUs: each('nodeMs') * 1_000,
    postgresUs: each('postgresMs') * 1_000,
    walBytes: each('wal'),
    diskBytes: each('disk'),
  }
}

async function sizesOf(databaseUrl: string): Promise<{ wal: number; disk: number }> {
  const [row] = await query<{ wal: number; disk: number }>(
    databaseUrl,
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as disk`,
  )
  return row ?? { wal: 0, disk: 0 }
}

function rowsOf(here: Side, beside: Side | null): Row[] {
  const meanOf = ({ rounds }: Side, of: keyof Costs) => mean(rounds.map((one) => one[of]))
  const bytes = (value: number) => `${Math.round(value).toLocaleString('en')} bytes`
  const lines: {
    what: string
    of: keyof Costs
    text: (value: number) => string
    wanted?: (value: number) => NonNullable<Row['wanted']>
  }[] = [
    { what: 'accepted and delivered', of: 'perSecond', text: perSecond },
    { what: 'processor time of the service for one', of: 'nodeUs', text: microseconds },
    { what: 'processor time of PostgreSQL for one', of: 'postgresUs', text: microseconds },
    { what: 'write-ahead log of one', of: 'walBytes', text: bytes, wanted: (value) => atMost(value, WAL_BYTES_MAX, 'at most 5 KB') },
    { what: 'disk that one takes', of: 'diskBytes', text: bytes },
  ]
  return lines.flatMap(({ what, of, text, wanted }) => {
    const value = meanOf(here, of)
    const first: Row = { what: `costs: ${what}`, result: text(value), ...(wanted && { wanted: wanted(value) }) }
    if (beside === null) return [first]
    const ratio = value / meanOf(beside, of)
    const compared = of === 'perSecond' ? { wanted: atLeast(ratio, RATIO_MIN, `ratio at least ${RATIO_MIN}`) } : {}
    return [first, { what: 'costs: the same of the other checkout', result: text(meanOf(beside, of)), ratio, ...compared }]
  })
}
