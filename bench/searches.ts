// What people look for in the console among very many records: each filter of the list of emails, alone and as people combine them, each other list,
// and what the console asks besides. By the operations of the API, with the session of a person.
import pg from 'pg'
import { createDatabase, dropDatabase, environmentOf, type Place, type Service, startService, TOKEN } from './place.ts'
import { postgresCpuMs, processCpuMs } from './processor-time.ts'
import { AUTOMATION, DAYS, fillEmails, fillLists, SOME_BROADCAST, type Team } from './search-rows.ts'
import { atMost, percentile, type Row } from './table.ts'

const FULL = { emails: 10_000_000, others: 1_000_000, runs: 7 }
const QUICK = { emails: 20_000, others: 1_000, runs: 1 }
const SEARCH_MS_MAX = 200
const LIST_MS_MAX = 100
const DATABASE = 'bench_searches'
const DAY_MS = 24 * 60 * 60 * 1_000

export async function measureSearches(place: Place): Promise<Row[]> {
  const { emails: wanted, others, runs } = place.isQuick ? QUICK : FULL
  const databaseUrl = await createDatabase(place, DATABASE)
  // It makes the tables and the first team.
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<Team>('select team_id as id, id as "keyId" from api_keys order by id limit 1')
    const [team] = rows
    if (!team) throw new Error('The service made no team')
    await fillLists(client, team, others)
    const emails = await fillEmails(client, team, wanted)
    const visitor = { visit: await signIn(service), cpuMs: () => processCpuMs(service.child.pid ?? 0) + postgresCpuMs(place.dataDir) }
    return [
      ...(await measureAll(visitor, SEARCHES, {
        runs,
        msMax: SEARCH_MS_MAX,
        among: `${emails.toLocaleString('en')} emails`,
        hasNextPage: true,
      })),
      ...(await measureAll(visitor, LISTS, { runs, msMax: LIST_MS_MAX, among: others.toLocaleString('en'), hasNextPage: false })),
      ...(await measureAll(visitor, await detailPages(visitor), {
        ...{ runs, msMax: LIST_MS_MAX, among: others.toLocaleString('en'), hasNextPage: false },
      })),
    ]
  } finally {
    await client.end()
    await service.stop()
    await dropDatabase(place, DATABASE)
  }
}

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const someDay = { start_date: dayBefore(DAYS / 2), end_date: dayBefore(DAYS / 2) }

/** What is asked of the list of emails. */
const EMAIL_QUERIES: [name: string, query: Record<string, string>][] = [
  ['words that many have', { subject: 'receipt' }],
  ['words that none has', { subject: 'nothing like it' }],
  ['a usual state', { status: 'delivered' }],
  ['a rare state', { status: 'complained' }],
  ['an address', { to: 'customer77@example.org' }],
  ['an address that got much', { to: 'many@example.org' }],
  ['a broadcast', { broadcast_id: SOME_BROADCAST }],
  ['a template that none has', { template_id: SOME_BROADCAST }],
  ['a domain', { from: 'news.example.com' }],
  ['a domain that none has', { from: 'example.net' }],
  ['a tag', { tag: 'kind:receipt' }],
  ['a day', someDay],
  ['a day and a rare state', { ...someDay, status: 'bounced' }],
  ['a day and words that none has', { ...someDay, subject: 'nothing like it' }],
  ['an address and a rare state', { to: 'many@example.org', status: 'bounced' }],
  ['a broadcast and a rare state', { broadcast_id: SOME_BROADCAST, status: 'bounced' }],
  ['a broadcast and an address', { broadcast_id: SOME_BROADCAST, to: 'many@example.org' }],
]
const SEARCHES: Page[] = EMAIL_QUERIES.map(([name, query]) => ({ name, path: `/emails?${new URLSearchParams(query)}` }))

type Page = { name: string; path: string }

/** Each list, the searches that these have, and what the console asks besides. */
const LISTS: Page[] = [
  ...[
    '/overview',
    '/emails',
    '/emails/receiving',
    '/broadcasts',
    '/automations',
    '/templates',
    '/domains',
    '/suppressions',
    '/saved-views',
  ],
  ...['/contacts', '/segments', '/topics', '/contacts/imports', '/api-keys', '/logs', '/events', '/webhooks', '/oauth/grants', '/usage'],
  ...['/emails/metrics', '/emails/metrics/breakdown?by=provider', '/contacts/metrics', '/logs/metrics', '/segments/metrics'],
  ...[
    '/contacts?search=customer77',
    '/contacts?search=nobody',
    '/contacts?search=customer77%40example.org',
    '/contacts/customer77%40example.org/timeline',
    '/contacts/customer77%40example.org/deliverability',
    '/suppressions?search=nobody',
    '/suppressions?search=customer77',
    '/emails/receiving?to=b%40example.com',
    '/emails/receiving?to=nobody%40example.com',
    '/emails/receiving?from=nobody%40example.org',
    `/broadcasts?topic_id=${SOME_BROADCAST}`,
  ],
  ...[
    '/logs?path=%2Fcontacts',
    '/logs?path=%2Fnothing',
    '/logs?status=422',
    '/search?q=customer77',
    '/search?q=customer77%40example.org',
    '/search?q=News',
    '/search?q=nothing%20like%20it',
    `/automations/${AUTOMATION}`,
    `/automations/${AUTOMATION}/runs`,
  ],
].map((path) => ({ name: path.slice(1), path }))

/** The lists whose records can be read one by one. */
const DETAILS = [
  ...['emails', 'emails/receiving', 'broadcasts', 'automations', 'templates', 'domains'],
  ...['contacts', 'segments', 'topics', 'contacts/imports', 'logs', 'events', 'webhooks'],
]

/** The record that each list names first. */
async function detailPages({ visit }: Visitor): Promise<Page[]> {
  const pages: Page[] = []
  for (const section of DETAILS) {
    const { first } = await visit(`/${section}`)
    if (first !== null) pages.push({ name: `one of ${section}`, path: `/${section}/${first}` })
  }
  return pages
}

/** `first`: the id of the first record of a list; null if there is none. `next`: the address of its next page. */
type Visit = (path: string) => Promise<{ ms: number; next: string | null; first: string | null }>

type Listed = { data?: { id?: string }[]; has_more?: boolean; searched_to?: string }

/** `cpuMs`: what the service and PostgreSQL have used so far. */
type Visitor = { visit: Visit; cpuMs: () => number }

async function signIn({ url }: Service): Promise<Visit> {
  const send = (path: string, form: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', redirect: 'manual', headers: { origin: url }, body: new URLSearchParams(form) })
  const led = await send('/console/sign-in/key', { api_key: TOKEN })
  const signedIn = await send(led.headers.get('location') ?? '', { email: 'owner@people.example', name: 'Owner' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const headers = { cookie, 'posthaste-console': '1' }
  return async (path) => {
    const beganMs = performance.now()
    const answer = await fetch(`${url}${path}`, { headers })
    const text = await answer.text()
    const ms = performance.now() - beganMs
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, ERROR_LENGTH_MAX)}`)
    const { data = [], has_more: hasMore, searched_to: searchedTo } = JSON.parse(text) as Listed
    const after = hasMore ? (searchedTo ?? data.at(-1)?.id ?? null) : null
    const next = after === null ? null : `${path}${path.includes('?') ? '&' : '?'}after=${after}`
    return { ms, next, first: data[0]?.id ?? null }
  }
}
const ERROR_LENGTH_MAX = 200

type Measured = { runs: number; msMax: number; among: string; hasNextPage: boolean }

async function measureAll(visitor: Visitor, pages: Page[], { runs, msMax, among, hasNextPage }: Measured): Promise<Row[]> {
  const rows: Row[] = []
  for (const { name, path } of pages) {
    const { row, next } = await measure(visitor, path, { runs, msMax, what: `searches: ${name}, among ${among}` })
    rows.push(row)
    if (hasNextPage && next !== null)
      rows.push((await measure(visitor, next, { runs, msMax, what: `searches: ${name}, the next page` })).row)
  }
  return rows
}

/** The first time is when PostgreSQL reads from the disk. The target is for processor time, because it does not depend on what else the machine does. */
async function measure(
  { visit, cpuMs }: Visitor,
  path: string,
  { runs, msMax, what }: { runs: number; msMax: number; what: string },
): Promise<{ row: Row; next: string | null }> {
  const first = await visit(path)
  const times: number[] = []
  const beganMs = cpuMs()
  for (let run = 0; run < runs; run += 1) times.push((await visit(path)).ms)
  const usedMs = (cpuMs() - beganMs) / runs
  const result = `${Math.round(usedMs)} ms of processor time, first answer in ${Math.round(first.ms)} ms`
  return { row: { what, result, p50: percentile(times, 0.5), wanted: atMost(usedMs, msMax, `at most ${msMax} ms`) }, next: first.next }
}
