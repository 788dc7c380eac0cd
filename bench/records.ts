// What is made, read, changed and removed one by one, over HTTP: contacts and topics. With --beside the same of another checkout, in turns.
import { resolve } from 'node:path'
import { Agent, request } from 'undici'
import { TOPICS_MAX } from '../src/modules/audience/topics/topics.schema.ts'
import { createDatabase, environmentOf, type Place, type Service, startService, TOKEN } from './place.ts'
import { atLeast, percentile, perSecond, type Row } from './table.ts'

const CONNECTIONS = 10
const FULL = { rounds: 5, records: 300 }
const QUICK = { rounds: 1, records: 20 }
/** What Prisma may cost against plain SQL. */
const RATIO_MIN = 0.6

type Kind = { name: string; path: string; recordsMax: number; toCreate: (name: string) => object; toUpdate: (name: string) => object }

const KINDS: Kind[] = [
  {
    name: 'contact',
    path: '/contacts',
    recordsMax: Number.POSITIVE_INFINITY,
    toCreate: (name) => ({ email: `${name}@example.org`, first_name: 'Ada', last_name: 'Lovelace' }),
    toUpdate: (name) => ({ first_name: name, unsubscribed: false }),
  },
  {
    name: 'topic',
    path: '/topics',
    recordsMax: TOPICS_MAX,
    toCreate: (name) => ({ name, default_subscription: 'opt_in' }),
    toUpdate: (name) => ({ description: `About ${name}` }),
  },
]
const OPERATIONS = ['create', 'retrieve', 'update', 'list', 'delete'] as const
type Operation = (typeof OPERATIONS)[number]

/** Milliseconds that each request took, and all of a round together. */
type Times = { each: number[]; rounds: { count: number; ms: number }[] }
type Side = { service: Service; times: Map<string, Times> }

/** Create, retrieve, update, list and delete of single records, ten requests at once. */
export async function measureRecords(place: Place): Promise<Row[]> {
  const { rounds, records } = place.isQuick ? QUICK : FULL
  const here = await startSide(place, 'bench_records')
  const beside = place.besideFolder === undefined ? null : await startSide(place, 'bench_records_beside', place.besideFolder)
  const sides = beside ? [here, beside, here] : [here]
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 })
  const runAll = async (round: number, count: number) => {
    for (const kind of KINDS)
      for (const [turn, side] of sides.entries()) await runRound(agent, side, kind, `${round}-${turn}`, Math.min(count, kind.recordsMax))
  }
  await runAll(0, records)
  for (const { times } of new Set(sides)) times.clear()
  for (let round = 1; round <= rounds; round += 1) await runAll(round, records)

  const rows = KINDS.flatMap(({ name }) => OPERATIONS.flatMap((operation) => rowsOf(`${operation} a ${name}`, here, beside)))
  await agent.close()
  for (const { service } of new Set(sides)) await service.stop()
  return rows
}

async function startSide(place: Place, databaseName: string, folder = ''): Promise<Side> {
  const databaseUrl = await createDatabase(place, databaseName)
  const environment = { ...environmentOf(place, databaseUrl), DATA_DIR: `${place.dataDir}/${databaseName}`, ROLES: 'api' }
  return { service: await startService(environment, resolve(folder, 'posthaste.js')), times: new Map() }
}

async function runRound(agent: Agent, { service, times }: Side, kind: Kind, round: string, count: number): Promise<void> {
  const url = `${service.url}${kind.path}`
  const names = Array.from({ length: count }, (_, index) => `${kind.name}-${round}-${index}`)
  const run = (operation: Operation, send: (index: number) => Promise<string>): Promise<string[]> =>
    timed(times, `${operation} a ${kind.name}`, count, send)
  const ids = await run('create', (index) => call(agent, 'POST', url, kind.toCreate(names[index] ?? '')))
  const idUrl = (index: number) => `${url}/${ids[index]}`
  await run('retrieve', (index) => call(agent, 'GET', idUrl(index)))
  await run('update', (index) => call(agent, 'PATCH', idUrl(index), kind.toUpdate(names[index] ?? '')))
  await run('list', () => call(agent, 'GET', `${url}?limit=20`))
  await run('delete', (index) => call(agent, 'DELETE', idUrl(index)))
}

/** Answers the id in the answer, or an empty text when there is none. @throws when an answer was no success. */
async function call(agent: Agent, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object): Promise<string> {
  const answer = await request(url, {
    dispatcher: agent,
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode}: ${text}`)
  const { id = '' } = JSON.parse(text) as { id?: string }
  return id
}

async function timed(times: Side['times'], what: string, count: number, send: (index: number) => Promise<string>): Promise<string[]> {
  const { each, rounds } = times.get(what) ?? { each: [], rounds: [] }
  times.set(what, { each, rounds })
  const answers: string[] = []
  let next = 0
  const beganMs = performance.now()
  const sendAll = async () => {
    for (let index = next++; index < count; index = next++) {
      const sentMs = performance.now()
      answers[index] = await send(index)
      each.push(performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll))
  rounds.push({ count, ms: performance.now() - beganMs })
  return answers
}

function rowsOf(what: string, here: Side, beside: Side | null): Row[] {
  const row = (side: Side) => {
    const { each, rounds } = side.times.get(what) ?? { each: [], rounds: [] }
    // The usual round: one that something else on the machine held up does not count.
    const rate = percentile(
      rounds.map(({ count, ms }) => (count / ms) * 1_000),
      0.5,
    )
    return { rate, result: perSecond(rate), p50: percentile(each, 0.5), p99: percentile(each, 0.99) }
  }
  const { rate, ...measured } = row(here)
  const first: Row = { what: `records: ${what}`, ...measured }
  if (beside === null) return [first]
  const { rate: rateBeside, ...compared } = row(beside)
  const ratio = rate / rateBeside
  return [first, { what: 'records: the same of the other checkout', ...compared, ratio, wanted: atLeast(ratio, RATIO_MIN) }]
}
