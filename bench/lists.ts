import { generateLoad, type Load } from './load.ts'
import { createDatabase, dropDatabase, environmentOf, memoryRow, type Place, query, type Service, startService, TOKEN } from './place.ts'
import { atMost, mean, perSecond, type Row } from './table.ts'

const SMALL = 1_000
const FULL = { large: 1_000_000, warmUp: 3, seconds: 5 }
const QUICK = { large: 20_000, warmUp: 1, seconds: 1 }
const PAGE = 20
const CONNECTIONS = 10
const RATIO_MAX = 1.3

type Shelf = { databaseUrl: string; service: Service; middle: string }

/** GET /emails, the first page and one in the middle, of very many emails and of few. */
export async function measureLists(place: Place): Promise<Row[]> {
  const { large: count, warmUp, seconds } = place.isQuick ? QUICK : FULL
  const large = await fillShelf(place, 'bench_lists_large', count)
  const small = await fillShelf(place, 'bench_lists_small', SMALL)
  const pages = { 'page 1': () => '', 'a page in the middle': ({ middle }: Shelf) => `&after=${middle}` }
  const rows: Row[] = []

  async function measure({ service }: Shelf, more: string, of: number): Promise<Load> {
    const url = `${service.url}/emails?limit=${PAGE}${more}`
    await checkPage(url)
    const load = await generateLoad({ url, connections: CONNECTIONS, seconds: of, method: 'GET' })
    return load
  }

  for (const shelf of [large, small]) for (const page of Object.values(pages)) await measure(shelf, page(shelf), warmUp)
  await large.service.rest()
  for (const [name, page] of Object.entries(pages)) {
    const first = await measure(large, page(large), seconds)
    const few = await measure(small, page(small), seconds)
    const again = await measure(large, page(large), seconds)
    const slower = few.perSecond / mean([first.perSecond, again.perSecond])
    const row = (what: string, { perSecond: rate, p50, p99 }: Load): Row => ({ what, result: perSecond(rate), p50, p99 })
    rows.push(
      row(`lists: ${name} of ${count.toLocaleString('en')}`, first),
      {
        ...row(`lists: ${name} of ${SMALL.toLocaleString('en')}`, few),
        ratio: slower,
        wanted: atMost(slower, RATIO_MAX, `ratio at most ${RATIO_MAX}`),
      },
      row(`lists: ${name} of ${count.toLocaleString('en')} again`, again),
    )
  }
  rows.push(memoryRow('lists', [large.service.memory.peakAboveRest()]))
  for (const { service } of [large, small]) await service.stop()
  for (const name of ['bench_lists_large', 'bench_lists_small']) await dropDatabase(place, name)
  return rows
}

async function fillShelf(place: Place, name: string, count: number): Promise<Shelf> {
  const databaseUrl = await createDatabase(place, name)
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  // One millisecond apart, the last one now.
  await query(
    databaseUrl,
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, html, text, content_bytes, created_at)
     select uuidv7(age), k.team_id, k.id, 'queued', 'delivered', 'example.com', 'Acme <hello@example.com>', array['customer' || i || '@example.org'],
       '{}', '{}', '{}', 'Your receipt number ' || i, repeat('<p>Thank you.</p>', 20), null, 340, now() + age
     from (select i, make_interval(secs => (i - $1::int) / 1000.0) as age from generate_series(1, $1::int) i) numbered, (select * from api_keys order by id limit 1) k`,
    [count],
  )
  await query(databaseUrl, 'vacuum analyze emails')
  const [middle] = await query<{ id: string }>(databaseUrl, 'select id from emails order by id desc offset $1 limit 1', [
    Math.floor(count / 2),
  ])
  if (!middle) throw new Error('No emails were inserted')
  return { databaseUrl, service, middle: middle.id }
}

async function checkPage(url: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })
  const { data, has_more: hasMore } = (await response.json()) as { data?: unknown[]; has_more?: boolean }
  if (data?.length !== PAGE || hasMore !== true) throw new Error(`${url} answered ${response.status} with ${data?.length} emails`)
}
