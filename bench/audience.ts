import { createBoundedQueries } from '../src/db/bounded-queries.ts'
import { type Database, type Execute, openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/migrations/migrate.ts'
import { createId } from '../src/lib/ids.ts'
import type { PageRequest } from '../src/lib/page-request.ts'
import { type Audience, audienceRepository } from '../src/modules/audience/segments/audience.repository.ts'
import type { StoredRule } from '../src/modules/audience/segments/filters/segment-rules.ts'
import { type SegmentToRead, segmentMemberRepository } from '../src/modules/audience/segments/segment-members.repository.ts'
import { fillAudience, LISTS, PROPERTIES, TEAM } from './audience-rows.ts'
import { watchMemory } from './memory-watch.ts'
import { createDatabase, dropDatabase, type Place } from './place.ts'
import { pause } from './processes.ts'
import { atMost, megabytes, percentile, type Row } from './table.ts'

const FULL = 1_000_000
const QUICK = 20_000
const RUNS = 7
const STATIC_MS_MAX = 10
const FILTER_MS_MAX = 300
const RESOLVE_MS_MAX = 5_000
/** Batches are garbage until they are collected. */
const MEMORY_BYTES_MAX = 150 * 1024 * 1024
const REST_MS = 1_500
const FIRST_PAGE: PageRequest = { limit: 20, after: null, before: null }

/** Contacts of a segment that they were added to, and of several whose filters find them; and who in a segment would get a broadcast. */
export async function measureAudience(place: Place): Promise<Row[]> {
  const count = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_audience')
  const quiet = () => {}
  await migrate({ databaseUrl, log: { debug: quiet, info: quiet, warn: quiet, error: quiet } })
  await fillAudience(databaseUrl, count)
  const database = openDatabase({ databaseUrl, onError: () => {} })
  try {
    return [...(await staticPages(database, count)), ...(await filterPages(database)), ...(await resolving(database, count))]
  } finally {
    await database.close()
    await dropDatabase(place, 'bench_audience')
  }
}

async function staticPages(database: Database, count: number): Promise<Row[]> {
  const spent: number[] = []
  const members = segmentMemberRepository(
    { execute: explaining(database.execute, spent) },
    { filterQueries: createBoundedQueries(database) },
  )
  const idAt = async (offset: number): Promise<string> => {
    const [row] = await database.execute<{ id: string }>('select id from contacts order by id desc offset $1 limit 1', [offset])
    return row?.id ?? ''
  }
  const pages: [string, PageRequest][] = [
    ['first page', FIRST_PAGE],
    ['a page in the middle', { ...FIRST_PAGE, after: await idAt(Math.floor(count / 2)) }],
    ['the last page', { ...FIRST_PAGE, after: await idAt(count - 21) }],
    ['a page backward', { limit: 100, after: null, before: await idAt(Math.floor(count / 2)) }],
  ]
  const rows: Row[] = []
  for (const [name, request] of pages) {
    spent.length = 0
    for (let run = 0; run < RUNS; run++) {
      const { rows: found } = await members.list(TEAM, { id: LISTS.everybody, filter: null }, request)
      if (found.length !== request.limit) throw new Error(`${name} has ${found.length} contacts`)
    }
    const slowest = Math.max(...spent)
    rows.push({
      what: `audience: ${name} of ${count.toLocaleString('en')} in a segment`,
      result: `${slowest.toFixed(2)} ms`,
      p50: percentile(spent, 0.5),
      wanted: atMost(slowest, STATIC_MS_MAX, `at most ${STATIC_MS_MAX} ms in the database`),
    })
  }
  return rows
}

/** Runs each statement after measuring what it takes in the database alone. */
const explaining =
  (execute: Execute, spent: number[]): Execute =>
  async (sql, values) => {
    const plan = await execute<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${String(sql)}`, values)
    const line = plan.map((row) => row['QUERY PLAN']).find((text) => text.startsWith('Execution Time'))
    spent.push(Number.parseFloat(line?.slice('Execution Time: '.length) ?? 'NaN'))
    return execute(sql, values)
  }

const text = (property: number, operator: 'equals' | 'contains' | 'starts_with', value: string): StoredRule => ({
  property,
  type: 'string',
  operator,
  value,
})
const veteran = text(PROPERTIES.since, 'equals', 'veteran')
const otherNine: StoredRule[] = [
  { field: 'unsubscribed', operator: 'equals', value: false },
  { field: 'email', operator: 'contains', value: 'example' },
  { not: { field: 'last_name', operator: 'equals', value: 'Name 3' } },
  { field: 'first_name', operator: 'not_equals', value: 'Alan' },
  text(PROPERTIES.company, 'starts_with', 'company'),
  { property: PROPERTIES.score, type: 'number', operator: 'greater_than', value: 10 },
  { topic: LISTS.news, subscription: 'opt_in', default: 'opt_in' },
  { segment: LISTS.everybody, member: true },
  { segment: LISTS.tenth, member: false },
]
const FILTERS: [string, StoredRule, 'matches' | 'nobody'][] = [
  ['a hundredth, spread', { property: PROPERTIES.score, type: 'number', operator: 'less_than', value: 10 }, 'matches'],
  ['a hundredth, the oldest', veteran, 'matches'],
  ['a hundredth by segment, the oldest', { segment: LISTS.oldest, member: true }, 'matches'],
  ['10 rules, spread', { all: [text(PROPERTIES.plan, 'equals', 'pro'), ...otherNine] }, 'matches'],
  ['10 rules, the oldest', { all: [veteran, ...otherNine] }, 'matches'],
  [
    'one of 10 rules, the oldest',
    {
      any: [
        veteran,
        { segment: LISTS.oldest, member: true },
        ...Array.from({ length: 8 }, (_, index) => text(PROPERTIES.company, 'contains', `nothing ${index}`)),
      ],
    },
    'matches',
  ],
  [
    'one of 10 rules on 7 fields, the oldest',
    {
      any: [
        veteran,
        { field: 'email', operator: 'ends_with', value: '@nowhere.example' },
        { field: 'first_name', operator: 'contains', value: 'nobody' },
        { field: 'last_name', operator: 'starts_with', value: 'nobody' },
        text(PROPERTIES.company, 'contains', 'nothing'),
        text(PROPERTIES.plan, 'equals', 'none'),
        ...[5_000, 6_000].map((value): StoredRule => ({ property: PROPERTIES.score, type: 'number', operator: 'equals', value })),
        { property: PROPERTIES.score, type: 'number', operator: 'greater_than', value: 7_000 },
        { segment: LISTS.oldest, member: true },
      ],
    },
    'matches',
  ],
  ['nobody', text(PROPERTIES.company, 'equals', 'nothing'), 'nobody'],
]

async function filterPages(database: Database): Promise<Row[]> {
  const members = segmentMemberRepository(database, { filterQueries: createBoundedQueries(database) })
  const rows: Row[] = []
  for (const [name, filter, expected] of FILTERS) {
    const segment: SegmentToRead = { id: createId(), filter }
    const spent: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const startedMs = performance.now()
      const { rows: found } = await members.list(TEAM, segment, FIRST_PAGE)
      spent.push(performance.now() - startedMs)
      if (found.length !== (expected === 'matches' ? FIRST_PAGE.limit : 0)) throw new Error(`${name}: ${found.length} contacts`)
    }
    const usual = percentile(spent, 0.5)
    rows.push({
      what: `audience: first page of a filter, ${name}`,
      result: `${usual.toFixed(0)} ms`,
      p50: usual,
      p99: Math.max(...spent),
      ...(expected === 'matches' && { wanted: atMost(usual, FILTER_MS_MAX, `at most ${FILTER_MS_MAX} ms`) }),
    })
  }
  return rows
}

async function resolving(database: Database, count: number): Promise<Row[]> {
  const topic = { id: LISTS.news, defaultSubscription: 'opt_in' } as const
  const audiences: [string, Audience][] = [
    ['a segment and a topic', { segment: { id: LISTS.everybody, filter: null }, topic }],
    ['a filter and a topic', { segment: { id: createId(), filter: { all: otherNine.slice(1, 6) } }, topic }],
    ['a tenth of all', { segment: { id: LISTS.tenth, filter: null }, topic: null }],
  ]
  // The first batches make room for batches, and every later one uses it again.
  for (const [, audience] of audiences) await resolveAll(database, audience)
  const memory = watchMemory(process.pid)
  const rows: Row[] = []
  for (const [name, audience] of audiences) {
    await pause(REST_MS)
    memory.rest()
    const startedMs = performance.now()
    const found = await resolveAll(database, audience)
    const tookMs = performance.now() - startedMs
    const grownBytes = Math.max(0, memory.peakAboveRest())
    rows.push(
      {
        what: `audience: resolving ${name}, ${found.toLocaleString('en')} of ${count.toLocaleString('en')}`,
        result: `${(tookMs / 1_000).toFixed(2)} s`,
        wanted: atMost(tookMs, RESOLVE_MS_MAX, `at most ${RESOLVE_MS_MAX / 1_000} s`),
      },
      {
        what: 'audience: memory above rest meanwhile',
        result: megabytes(grownBytes),
        wanted: atMost(grownBytes, MEMORY_BYTES_MAX, `at most ${megabytes(MEMORY_BYTES_MAX)}`),
      },
    )
  }
  memory.stop()
  return rows
}

async function resolveAll(database: Database, audience: Audience): Promise<number> {
  let found = 0
  for await (const { contacts } of audienceRepository(database).resolve(TEAM, audience)) found += contacts.length
  return found
}
