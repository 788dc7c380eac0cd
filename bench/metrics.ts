import pg from 'pg'
import { openDatabase } from '../src/db/database.ts'
import { createPartition } from '../src/db/partitions/daily-partitions.ts'
import { DAY_MS } from '../src/lib/clock.ts'
import { countChangeRepository } from '../src/modules/metrics/count-changes.repository.ts'
import { measureSmall } from './deliver.ts'
import { generateLoad } from './load.ts'
import { createDatabase, dropDatabase, environmentOf, type Place, query, startService, TOKEN } from './place.ts'
import { startCountingSink } from './sink.ts'
import { atLeast, atMost, mean, perSecond, type Row } from './table.ts'

const FULL = { events: 10_000_000, changes: 100_000, seconds: 3 }
const QUICK = { events: 100_000, changes: 5_000, seconds: 1 }
const DOMAINS = 20
const DAYS = 30
const EVENTS_PER_EMAIL = 3
const ANSWER_MS_MAX = 100
/** Several times what the engine delivers on the same machine, and each delivery is two events. */
const ADDED_PER_SECOND_MIN = 20_000
const COST_RATIO_MIN = 0.95
/** The rates of one machine differ by a tenth from one minute to the next. */
const COST_TURNS = 3

/** Answers from ten million events, how fast events are added up, and what counting costs delivery. */
export async function measureMetrics(place: Place): Promise<Row[]> {
  return [...(await measureAnswers(place)), ...(await measureCost(place))]
}

const ANSWERS: Record<string, string> = {
  'totals of 30 days': '',
  '30 days by day': '&dimensions=period',
  '30 days by day in Kathmandu': '&dimensions=period&timezone=Asia/Kathmandu',
  '30 days by hour': '&dimensions=period&granularity=hourly',
  '30 days by domain and day': '&dimensions=period,domain',
}

async function measureAnswers(place: Place): Promise<Row[]> {
  const { events, changes, seconds } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_metrics')
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  await fillEvents(databaseUrl, events)
  const start = new Date(Date.now() - DAYS * DAY_MS).toISOString()
  const rows: Row[] = []
  async function answer(what: string, more: string): Promise<void> {
    const url = `${service.url}/emails/metrics?start_date=${start}${more}`
    await check(url)
    const { p50, p99 } = await generateLoad({ url, connections: 1, seconds, method: 'GET' })
    rows.push({
      what: `metrics: ${what} of ${events.toLocaleString('en')} events`,
      result: `${p50.toFixed(1)} ms`,
      p50,
      p99,
      wanted: atMost(p50, ANSWER_MS_MAX, `under ${ANSWER_MS_MAX} ms`),
    })
  }
  for (const [what, more] of Object.entries(ANSWERS)) await answer(what, more)
  const ids = await query<{ id: string }>(databaseUrl, 'select id from emails order by id desc limit 100')
  await answer('100 emails', `&dimensions=email&email_id=${ids.map(({ id }) => id).join(',')}`)
  rows.push(await measureAddingUp(databaseUrl, changes))
  await service.stop()
  await dropDatabase(place, 'bench_metrics')
  return rows
}

/** Spread evenly over the days, the domains, and the partitions of the events; counted as the trigger and the worker count them. */
async function fillEvents(databaseUrl: string, events: number): Promise<void> {
  await query(databaseUrl, 'alter table notifications disable trigger count_notifications')
  await makeDays(databaseUrl)
  const age = `make_interval(secs => -(i::float8 / $1 * ${(DAYS - 1) * 86_400}))`
  await query(
    databaseUrl,
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", subject, created_at)
     select uuidv7(${age}), k.team_id, k.id, 'queued', 'delivered', 'd' || i % ${DOMAINS} || '.example', 'f', 's', now() + ${age}
     from generate_series(1, $1::int) i, (select * from api_keys order by id limit 1) k`,
    [Math.floor(events / EVENTS_PER_EMAIL)],
  )
  for (const type of ['sent', 'delivered', 'opened'].slice(0, EVENTS_PER_EMAIL))
    await query(
      databaseUrl,
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(created_at - now()), team_id, 'email.${type}', id, '{"to": ["customer@example.org"], "detail": {"is_machine": false}}', created_at from emails`,
    )
  await query(
    databaseUrl,
    `insert into email_counts (team_id, bucket, domain, broadcast_id, received, sent, delivered, opened)
     select team_id, email_count_bucket(created_at), from_domain, '00000000-0000-0000-0000-000000000000', count(*), count(*), count(*), count(*) from emails group by 1, 2, 3`,
  )
  await query(databaseUrl, 'alter table notifications enable trigger count_notifications')
  for (const table of ['emails', 'notifications', 'email_counts']) await query(databaseUrl, `vacuum analyze ${table}`)
}

/** The service has made yesterday and the days after it. */
async function makeDays(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  for (let back = 2; back <= DAYS; back += 1) await createPartition(client, 'notifications', new Date(today - back * DAY_MS))
  await client.end()
}

/** Each change as small as it can be: one event. */
async function measureAddingUp(databaseUrl: string, changes: number): Promise<Row> {
  await query(
    databaseUrl,
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select k.team_id, email_count_bucket(now()), 'd' || i % ${DOMAINS} || '.example', '00000000-0000-0000-0000-000000000000', 'sent', 1
     from generate_series(1, $1::int) i, (select * from api_keys order by id limit 1) k`,
    [changes],
  )
  const database = openDatabase({ databaseUrl, onError: () => {} })
  const { addUpAcrossTeams } = countChangeRepository(database)
  const begun = performance.now()
  while ((await addUpAcrossTeams())?.isFull);
  const rate = (changes * 1_000) / (performance.now() - begun)
  await database.close()
  return { what: 'metrics: changes added up', result: perSecond(rate), wanted: atLeast(rate, ADDED_PER_SECOND_MIN) }
}

async function check(url: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
  const { totals } = (await response.json()) as { totals?: { delivered?: number } }
  if (!totals?.delivered) throw new Error(`${url} answered ${response.status} without deliveries`)
}

/** Backlogs delivered with counting and without, in turns. */
async function measureCost(place: Place): Promise<Row[]> {
  const sink = await startCountingSink()
  const uncounted = (databaseUrl: string) => query(databaseUrl, 'alter table notifications disable trigger count_notifications')
  const [counted, plain]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < COST_TURNS; turn += 1) {
    counted.push(await measureSmall(place, sink))
    plain.push(await measureSmall(place, sink, uncounted))
  }
  await sink.close()
  const ratio = mean(counted) / mean(plain)
  return [
    { what: `metrics: ${COST_TURNS} backlogs delivered, not counted`, result: perSecond(mean(plain)) },
    {
      what: 'metrics: the same, counted',
      result: perSecond(mean(counted)),
      ratio,
      wanted: atLeast(ratio, COST_RATIO_MIN, `ratio at least ${COST_RATIO_MIN}`),
    },
  ]
}
