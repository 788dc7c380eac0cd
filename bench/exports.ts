// A file of all contacts of a large team, as a client takes it: how fast it comes, and what the service holds of it meanwhile.
import { createDatabase, dropDatabase, environmentOf, growthRow, memoryRow, type Place, query, startService, TOKEN } from './place.ts'
import { atMost, perSecond, type Row } from './table.ts'

const FULL = { rows: 1_000_000, warmUp: 20_000 }
const QUICK = { rows: 20_000, warmUp: 2_000 }
const LIMIT_SECONDS = 180
const MS = 1_000

export async function measureExports(place: Place): Promise<Row[]> {
  const { rows: count, warmUp } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, 'bench_exports')
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  await addContacts(databaseUrl, warmUp)
  await takeFile(service.url, warmUp)
  await addContacts(databaseUrl, count - warmUp)
  await service.rest()
  const { seconds, firstMs } = await takeFile(service.url, count)
  const name = `exports: ${count.toLocaleString('en')} contacts as CSV`
  const rows = [
    { what: name, result: perSecond(count / seconds), wanted: atMost(seconds, LIMIT_SECONDS, `at most ${LIMIT_SECONDS} s`) },
    { what: `${name}, first row`, result: `${Math.round(firstMs)} ms`, wanted: atMost(firstMs, MS, `at most 1 s`) },
    memoryRow('exports', [service.memory.peakAboveRest()]),
    growthRow('exports', service.memory.growth()),
  ]
  await service.stop()
  await dropDatabase(place, 'bench_exports')
  return rows
}

/** Some of their names begin as a formula does. */
async function addContacts(databaseUrl: string, count: number): Promise<void> {
  const [team] = await query<{ id: string }>(databaseUrl, 'select id from teams order by id limit 1')
  await query(
    databaseUrl,
    `insert into contacts (id, team_id, email, address_hash, first_name, last_name, unsubscribed, properties, created_at, updated_at)
     select uuidv7(), $1, email, md5(email), case when i % 10 = 0 then '=' else '' end || 'Ada ' || i, 'Lovelace', i % 50 = 0, '{}', now(), now()
     from generate_series(1, $2::int) as i, lateral (select 'customer.' || i || '.of.' || $2 || '@example' || i % 1000 || '.com') as e(email)`,
    [team?.id, count],
  )
  await query(databaseUrl, 'vacuum analyze contacts')
}

/** Reads it to its end and keeps nothing. */
async function takeFile(url: string, expected: number): Promise<{ seconds: number; firstMs: number }> {
  const startMs = performance.now()
  let firstMs = 0
  let lines = 0
  const response = await fetch(`${url}/contacts/export`, { headers: { authorization: `Bearer ${TOKEN}` } })
  if (!response.ok || response.body === null) throw new Error(`The file was not given: ${response.status}`)
  for await (const chunk of response.body) {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1
    // The first line is the header.
    if (firstMs === 0 && lines > 1) firstMs = performance.now() - startMs
  }
  if (lines - 1 !== expected) throw new Error(`${lines - 1} of ${expected} contacts were in the file`)
  return { seconds: (performance.now() - startMs) / MS, firstMs }
}
const LINE_FEED = 10
