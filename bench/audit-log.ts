// The audit log of a team with very many entries: its list by each filter, alone and with others, at both ends and in the middle.
import pg from 'pg'
import { createDatabase, dropDatabase, environmentOf, type Place, startService, TOKEN } from './place.ts'
import { dropIndexes, withoutLog } from './search-rows.ts'
import { atMost, percentile, type Row } from './table.ts'

const FULL = { entries: 10_000_000, runs: 50 }
const QUICK = { entries: 20_000, runs: 5 }
const MS_MAX = 20
const DATABASE = 'bench_audit_log'
const SLICE = 250_000
/** The entries are of these days, the last one now. */
const DAYS = 400
const DAY_MS = 24 * 60 * 60 * 1_000
const PAGE = 20

export async function measureAuditLog(place: Place): Promise<Row[]> {
  const { entries: usual, runs } = place.isQuick ? QUICK : FULL
  const entries = place.auditEntries ?? usual
  const databaseUrl = await createDatabase(place, DATABASE)
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api', RATE_LIMIT_PER_SECOND: '0' })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await fill(client, entries)
    const among = `of ${entries.toLocaleString('en')}`
    const rows: Row[] = []
    for (const [name, query] of Object.entries(await queriesOf(client, entries))) {
      const times = await timesOf(`${service.url}/audit-log?${new URLSearchParams({ limit: String(PAGE), ...query })}`, runs)
      const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
      rows.push({
        what: `audit-log: ${name} ${among}`,
        result: `${p50.toFixed(1)} ms`,
        p50,
        p99,
        wanted: atMost(p50, MS_MAX, `at most ${MS_MAX} ms`),
      })
    }
    return rows
  } finally {
    await client.end()
    await service.stop()
    await dropDatabase(place, DATABASE)
  }
}

/** One in three is of an operation that is called often, one in 100,000 of the operator; each record has some entries, and one very many. */
async function fill(client: pg.Client, entries: number): Promise<void> {
  await withoutLog(client, ['audit_log'])
  const indexes = await dropIndexes(client, ['audit_log'])
  for (let from = 1; from <= entries; from += SLICE) await client.query(ENTRIES, [from, Math.min(entries, from + SLICE - 1), entries])
  for (const index of indexes) await client.query(index)
  await client.query('vacuum analyze audit_log')
}

const ENTRIES = `
insert into audit_log (id, team_id, created_at, actor_kind, actor_id, actor_name, address, user_agent, act, target_type, target_id, details, salt,
  details_digest, seq, key_version, hash)
select uuidv7(age), t.id, now() + age, case when i % 100000 = 7 then 'operator' when i % 10 = 0 then 'key' else 'person' end,
  case when i % 100000 = 7 then null else ('00000000-0000-7000-8000-' || lpad((i % 50)::text, 12, '0'))::uuid end, 'person' || i % 50 || '@example.com',
  '192.0.2.' || i % 250, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  case when i % 50000 = 11 then 'teams.suspend' when i % 3 = 0 then 'contacts.update' else 'act.number-' || i % 60 end, 'contact',
  ('00000000-0000-7000-9000-' || lpad((case when i % 100 = 1 then 1 else i % 1000000 end)::text, 12, '0'))::uuid,
  jsonb_build_object('before', jsonb_build_object('first_name', 'Ada ' || i), 'after', jsonb_build_object('first_name', 'Grace ' || i)), gen_random_uuid(),
  sha256(i::text::bytea), i, 1, sha256((i + 1)::text::bytea)
from (select i, make_interval(secs => (i - $3::int) * ${DAYS * 24 * 3_600}.0 / $3::int) as age from generate_series($1::int, $2::int) i) numbered,
  (select id from teams order by id limit 1) t`

async function queriesOf(client: pg.Client, entries: number): Promise<Record<string, Record<string, string>>> {
  const { rows } = await client.query<{ id: string }>('select id from audit_log where seq = $1', [Math.floor(entries / 2)])
  const middle = rows[0]?.id ?? ''
  const day = (before: number): string => new Date(Date.now() - before * DAY_MS).toISOString()
  const person = '00000000-0000-7000-8000-000000000008'
  const record = (number: number) => `00000000-0000-7000-9000-${String(number).padStart(12, '0')}`
  const someDay = { start_date: day(DAYS / 2), end_date: day(DAYS / 2 - 1) }
  return {
    'page 1': {},
    'a page in the middle': { after: middle },
    'the page before that': { before: middle },
    'a usual kind of actor': { actor_type: 'person' },
    'a rare kind of actor': { actor_type: 'operator' },
    'a kind that none has': { actor_type: 'automation' },
    'a person': { actor_id: person },
    'a usual act': { action: 'contacts.update' },
    'a rare act': { action: 'teams.suspend' },
    'an act that none has': { action: 'no.such' },
    'a record': { target_id: record(77) },
    'a record with very many': { target_id: record(1) },
    'a day': someDay,
    'a day and a rare act': { ...someDay, action: 'teams.suspend' },
    'a person and an act that they never did': { actor_id: person, action: 'no.such' },
    'a person and a rare act': { actor_id: person, action: 'teams.suspend' },
    'a record with very many and a rare kind': { target_id: record(1), actor_type: 'operator' },
  }
}

/** Milliseconds from the request to the whole answer, one after the other. The first answers warm up what a service that runs has warm. */
async function timesOf(url: string, runs: number): Promise<number[]> {
  const times: number[] = []
  for (let run = -Math.ceil(runs / 10); run < runs; run += 1) {
    const begunMs = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`)
    if (run >= 0) times.push(performance.now() - begunMs)
  }
  return times
}
