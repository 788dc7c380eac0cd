import { email } from './email.ts'
import { generateLoad, type Load } from './load.ts'
import { countRows, createDatabase, dropDatabase, environmentOf, memoryRow, type Place, type Service, startService } from './place.ts'
import { atLeast, atMost, mean, perSecond, type Row } from './table.ts'

const CONNECTIONS = 50
const SECONDS = { warmUp: 4, measured: 8 }
const QUICK_SECONDS = { warmUp: 1, measured: 2 }
const P99_MS_MAX = 25
const GAIN_MIN = 1.2

/** POST /emails with everything on, compared with the same without group commit, and with what Fastify alone can do. */
export async function measureAccepting(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_accept')
  const environment = { ...environmentOf(place, databaseUrl), ROLES: 'api' }
  const peaks: number[] = []

  async function measure(service: Service): Promise<Load> {
    const { warmUp, measured } = place.isQuick ? QUICK_SECONDS : SECONDS
    const request = { url: `${service.url}/emails`, connections: CONNECTIONS, body: email(0) }
    const before = await generateLoad({ ...request, seconds: warmUp })
    await service.rest()
    const load = await generateLoad({ ...request, seconds: measured })
    await service.stop()
    return { ...load, answered: before.answered + load.answered }
  }

  async function measureOwn(script?: string): Promise<Load> {
    const stored = await countStored(databaseUrl)
    const service = await startService(environment, script)
    const load = await measure(service)
    if (script === undefined) peaks.push(service.memory.peakAboveRest())
    checkStored({ added: await addedSince(databaseUrl, stored), answered: load.answered })
    return load
  }

  const first = await measureOwn()
  const ungrouped = await measureOwn('bench/ungrouped-service.ts')
  const bare = await measure(await startService({}, 'bench/bare-server.ts'))
  const inserting = await measure(await startService({ DATABASE_URL: databaseUrl }, 'bench/bare-server.ts'))
  const again = await measureOwn()
  await dropDatabase(place, 'bench_accept')

  const rate = mean([first.perSecond, again.perSecond])
  const p99 = mean([first.p99, again.p99])
  const against = (what: string, other: Load): Row => ({ ...row(what, other), ratio: rate / other.perSecond })
  return [
    row('accept: POST /emails', first),
    {
      ...against('accept: the same without group commit', ungrouped),
      wanted: atLeast(rate / ungrouped.perSecond, GAIN_MIN, `ratio at least ${GAIN_MIN}`),
    },
    against('accept: bare Fastify, nothing stored', bare),
    against('accept: Fastify and one INSERT', inserting),
    row('accept: POST /emails again', again),
    {
      what: 'accept: POST /emails, mean',
      result: perSecond(rate),
      p50: mean([first.p50, again.p50]),
      p99,
      wanted: atMost(p99, P99_MS_MAX, `p99 under ${P99_MS_MAX} ms`),
    },
    memoryRow('accept', peaks),
  ]
}

const row = (what: string, { perSecond: rate, p50, p99 }: Load): Row => ({ what, result: perSecond(rate), p50, p99 })

type Stored = { emails: number; deliveries: number; keys: number; logs: number }

/** The first start makes the tables. */
async function countStored(databaseUrl: string): Promise<Stored> {
  const hasTables = (await countRows(databaseUrl, `pg_class where relname = 'emails'`)) > 0
  if (!hasTables) return { emails: 0, deliveries: 0, keys: 0, logs: 0 }
  return {
    emails: await countRows(databaseUrl, 'emails'),
    deliveries: await countRows(databaseUrl, 'deliveries'),
    keys: await countRows(databaseUrl, 'idempotency_keys'),
    logs: await countRows(databaseUrl, 'request_logs'),
  }
}

async function addedSince(databaseUrl: string, before: Stored): Promise<Stored> {
  const after = await countStored(databaseUrl)
  return {
    emails: after.emails - before.emails,
    deliveries: after.deliveries - before.deliveries,
    keys: after.keys - before.keys,
    logs: after.logs - before.logs,
  }
}

/** Everything that was answered is stored, and besides it only requests that were in progress when the generator ended, twice. */
function checkStored({ added, answered }: { added: Stored; answered: number }): void {
  const isRight = (count: number) => count >= answered && count <= answered + 2 * CONNECTIONS
  const counts = [added.emails, added.deliveries, added.keys, added.logs]
  if (!counts.every(isRight)) throw new Error(`${answered} requests were answered, but stored were ${JSON.stringify(added)}`)
}
