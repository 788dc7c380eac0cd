// What became of a large broadcast: pages of its recipients, its links and its counts, while many of its readers opened it and followed its links.
import { shortId } from '../src/lib/ids.ts'
import { RECIPIENT_TYPES, type RecipientType } from '../src/modules/broadcasts/recipients/broadcast-recipients.schema.ts'
import { query } from './place.ts'
import { pause } from './processes.ts'
import { atMost, percentile, type Row } from './table.ts'

const PAGE = 100
/** Asked for of each list, at each place. */
const PAGES = 5
const TURNS = 15
const PAGE_MS_MAX = 20
/** One of ten recipients opens the email and follows two of these links. */
const READER = 10
const LINKS = 10_000
const READERS_AT_ONCE = 5_000
/** To one of so many each of these happens, spread evenly. */
const RARE = 40
const FATES = ['bounced', 'complained', 'unsubscribed', 'failed', 'canceled'] as const

type Call = <Body>(path: string) => Promise<Body>

/** By the notifications that all this writes, so that everything that follows them does. */
export async function readByMany(databaseUrl: string, broadcastId: string): Promise<void> {
  const emails = await query<{ id: string }>(
    databaseUrl,
    `select id from emails where broadcast_id = $1 and last_event = 'delivered' order by id`,
    [broadcastId],
  )
  const every = (count: number, from: number) => emails.flatMap(({ id }, at) => (at % count === from ? [id] : []))
  await inParts(every(READER, 0), (ids) =>
    query(
      databaseUrl,
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       select uuidv7(), e.team_id, 'email.' || type, e.id, jsonb_build_object('to', e."to", 'firstOf', 'email', 'detail',
         case type when 'clicked' then jsonb_build_object('click', jsonb_build_object('link', 'https://shop.example.com/' || ((hashtext(e.id::text) & 65535) + place) % ${LINKS})) else '{}' end), now()
       from emails e, (values ('opened', 0), ('clicked', 1), ('clicked', 2)) t(type, place) where e.id = any($1::uuid[])`,
      [ids],
    ),
  )
  for (const [place, fate] of FATES.entries())
    await inParts(every(RARE, place + 1), async (ids) => {
      if (fate !== 'unsubscribed')
        await query(
          databaseUrl,
          `update emails set last_event = $2, state = case $2 when 'canceled' then 'canceled' else state end where id = any($1::uuid[])`,
          [ids, fate],
        )
      await query(
        databaseUrl,
        `insert into notifications (id, team_id, type, subject_id, data, created_at)
         select uuidv7(), e.team_id, 'email.' || $2, e.id, jsonb_build_object('to', e."to"), now() from emails e where e.id = any($1::uuid[])`,
        [ids, fate],
      )
    })
  await query(databaseUrl, 'vacuum analyze')
}

async function inParts(ids: string[], act: (part: string[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < ids.length; from += READERS_AT_ONCE) await act(ids.slice(from, from + READERS_AT_ONCE))
}

export async function measureLists(call: Call, databaseUrl: string, broadcastId: string): Promise<Row[]> {
  const times: Record<string, number[]> = {}
  // The service has listed none yet, and code that runs for the first time takes longer.
  for (let turn = 0; turn < PAGES; turn += 1) await call(`/broadcasts/${broadcastId}/recipients?type=sent&limit=${PAGE}`)
  for (const type of RECIPIENT_TYPES) {
    const ids = await listedIds(databaseUrl, broadcastId, type)
    for (const [place, cursors] of Object.entries(placesOf(ids)))
      for (const cursor of cursors) {
        const path = `/broadcasts/${broadcastId}/recipients?type=${type}&limit=${PAGE}${cursor}`
        const { data = [], ms } = await timed(call, path)
        if (data.length !== PAGE) throw new Error(`${path} has ${data.length} rows`)
        times[place] = [...(times[place] ?? []), ms]
      }
  }
  const links = await timeAgain(call, `/broadcasts/${broadcastId}/clicked-links?limit=100`)
  const counts = await timeAgain(call, `/broadcasts/${broadcastId}`)
  return [
    ...Object.entries(times).map(([place, all]) => rowOf(`${place} of the recipients, by all types, slowest of ${all.length}`, all)),
    rowOf(`its links, slowest of ${links.length}`, links),
    rowOf(`its counts, slowest of ${counts.length}`, counts),
  ]
}

/** The emails that a list has, in its order. */
async function listedIds(databaseUrl: string, broadcastId: string, type: RecipientType): Promise<string[]> {
  const lastEvents: Partial<Record<RecipientType, string[]>> = {
    sent: ['delivered', 'bounced', 'complained'],
    delivered: ['delivered', 'complained'],
    canceled: ['canceled'],
  }
  const rows = await query<{ id: string }>(
    databaseUrl,
    `select id from emails where broadcast_id = $1 and last_event = any($3::text[])
     union select email_id from broadcast_acts where broadcast_id = $1 and type = $2 order by id desc`,
    [broadcastId, type, lastEvents[type] ?? []],
  )
  return rows.map(({ id }) => id)
}

/** Where pages are asked for. Each is a full one. */
function placesOf(ids: string[]): Record<string, string[]> {
  const at = (parameter: 'after' | 'before', place: number) => `&${parameter}=${shortId(ids[place] ?? '')}`
  const turns = Array.from({ length: PAGES }, (_, turn) => turn)
  const middle = Math.floor(ids.length / 2)
  return {
    'first pages': turns.map(() => ''),
    'pages in the middle': turns.map((turn) => at('after', middle - turn)),
    'last pages': turns.map((turn) => at('after', ids.length - PAGE - 1 - turn)),
    'pages before one in the middle': turns.map((turn) => at('before', middle + turn)),
  }
}

async function timeAgain(call: Call, path: string): Promise<number[]> {
  await call(path)
  const times: number[] = []
  for (let turn = 0; turn < TURNS; turn += 1) times.push((await timed(call, path)).ms)
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
