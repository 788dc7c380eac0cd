// What became of a large broadcast: pages of its recipients, its links and its counts, while many of its readers opened it and followed its links.
import { query } from './place.ts'
import { pause } from './processes.ts'
import { atMost, percentile, type Row } from './table.ts'

const PAGES = 15
const PAGE_MS_MAX = 20
/** One of ten recipients opens the email and follows two of these links. */
const READER = 10
const LINKS = 10
const READERS_AT_ONCE = 5_000

type Call = <Body>(path: string) => Promise<Body>

/** By the notifications that opens and clicks write, so that everything that follows them does. */
export async function readByMany(databaseUrl: string, broadcastId: string): Promise<void> {
  const readers = await query<{ id: string }>(
    databaseUrl,
    `select id from (select id, row_number() over (order by id) as n from emails where broadcast_id = $1) e where n % ${READER} = 0`,
    [broadcastId],
  )
  for (let from = 0; from < readers.length; from += READERS_AT_ONCE) {
    const ids = readers.slice(from, from + READERS_AT_ONCE).map(({ id }) => id)
    await query(
      databaseUrl,
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), e.team_id, 'email.' || type, e.id, jsonb_build_object('to', e."to", 'firstOf', 'email', 'detail',
         case type when 'clicked' then jsonb_build_object('click', jsonb_build_object('link', 'https://shop.example.com/' || (n + place) % ${LINKS})) else '{}' end), now()
       from (select *, row_number() over (order by id) as n from emails where id = any($1::uuid[])) e,
         (values ('opened', 0), ('clicked', 1), ('clicked', 2)) t(type, place)`,
      [ids],
    )
  }
  await query(databaseUrl, 'vacuum analyze')
}

export async function measureLists(call: Call, broadcastId: string): Promise<Row[]> {
  const recipients: number[] = []
  for (const type of ['sent', 'delivered', 'suppressed', 'opened', 'clicked'])
    recipients.push(...(await timePages(call, `/broadcasts/${broadcastId}/recipients?type=${type}`)))
  const links = await timeAgain(call, `/broadcasts/${broadcastId}/clicked-links?limit=100`)
  const counts = await timeAgain(call, `/broadcasts/${broadcastId}`)
  return [
    rowOf(`pages of the recipients, slowest of ${recipients.length}`, recipients),
    rowOf(`its links, slowest of ${links.length}`, links),
    rowOf(`its counts, slowest of ${counts.length}`, counts),
  ]
}

/** The first ones, and each time further, in milliseconds. */
async function timePages(call: Call, path: string): Promise<number[]> {
  const times: number[] = []
  let after = ''
  await call(path)
  for (let page = 0; page < PAGES; page += 1) {
    const { data, ms } = await timed(call, `${path}&limit=100${after}`)
    times.push(ms)
    const last = data?.at(-1)
    if (last === undefined) break
    after = `&after=${last.id}`
  }
  return times
}

async function timeAgain(call: Call, path: string): Promise<number[]> {
  await call(path)
  const times: number[] = []
  for (let turn = 0; turn < PAGES; turn += 1) times.push((await timed(call, path)).ms)
  return times
}

async function timed(call: Call, path: string): Promise<{ data?: { id: string }[]; ms: number }> {
  await pause(10)
  const beganMs = performance.now()
  const body = await call<{ data?: { id: string }[] }>(path)
  return { ...body, ms: performance.now() - beganMs }
}

function rowOf(what: string, times: number[]): Row {
  const slowest = Math.max(...times)
  return {
    what: `broadcast: ${what}`,
    result: `${slowest.toFixed(1)} ms`,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    wanted: atMost(slowest, PAGE_MS_MAX, `under ${PAGE_MS_MAX} ms`),
  }
}
