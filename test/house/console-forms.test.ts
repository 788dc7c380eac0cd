// Every form of every page of the console: without the origin of our own, from another site, twice at once, and again; and every address that takes
// a form, with what no page of ours sends.
import { beforeAll, describe, expect, it } from 'vitest'
import { actName } from '../../src/console/session/form-acts.ts'
import { LOWEST_ID } from '../../src/lib/ids.ts'
import { createOperatorLink } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { consoleRoutesOf, filledRoute } from '../browser/pages-of-routes.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { formsOf, type PageForm, signIn, visit } from '../support/clients/console.ts'
import { create } from '../support/records/record-builder.ts'
import { recordsOf } from '../support/records/records.ts'
import { shared, startTestService } from '../support/servers/service.ts'

type Place = PageForm & { page: string }

let cookie: string
/** The addresses of the console that take a form, with ids. */
let addresses: string[]
let places: Place[]
/** The address of the contact. */
let contact: string

const service = shared(() => startTestService(), 120_000)
beforeAll(async () => {
  const ids = await recordsOf(service).oneOfEach()
  // The one that is claimed is that of another team.
  ids.set('domain_id', await create(service, '/domains', { name: 'walk.example.com' }))
  contact = ((await service.call('GET', `/contacts/${ids.get('contact_id')}`)).body as { email: string }).email
  cookie = `${await signIn(service)}; ${await operatorCookie()}`
  const app = service.service.app
  if (!app) throw new Error('The service has no pages')
  const paths = consoleRoutesOf(app).flatMap((route) => filledRoute(route, ids) ?? [])
  addresses = consoleRoutesOf(app, 'POST').map((route) => filledRoute(route, ids) ?? route.replaceAll(/:\w+/g, UNKNOWN_ID))
  const found = new Map<string, Place>()
  for (const page of [...paths, '/console/sign-in'])
    for (const form of formsOf((await open(page)).text, fill)) if (!found.has(form.action)) found.set(form.action, { ...form, page })
  places = [...found.values()].sort((one, other) => rank(one.action) - rank(other.action))
}, 120_000)

async function operatorCookie(): Promise<string> {
  const link = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 })).pathname
  return (await visit(service, 'POST', link)).cookie?.split(';', 1)[0] ?? ''
}

/** They have tests of their own: a key works only until a team has its first owner, and a device fills the form of a passkey in. */
const OF_THEIR_OWN = new Set(['/console/sign-in/key', '/console/sign-in/passkey/verify'])

const open = (path: string) => visit(service, 'GET', path, { cookie })

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}|msg_\w+/g

/** What changes something comes first, and what ends it last, so that each has something to act on. */
const ORDER = [/\/edit$/, /\/remove$/, /\/(?:delete|erase|end|end-others|revoke|stop|cancel|disable)$/, /\/sign-(?:in|out)$/]
/** All others come after the first of these. */
const rank = (action: string): number => {
  const found = ORDER.findIndex((pattern) => pattern.test(action))
  return found === -1 ? 0.5 : found
}
const nameOf = ({ action }: Pick<PageForm, 'action'>): string => action.replaceAll(ID, ':id')

const FILLED: Record<string, string> = {
  email: 'walk@example.com',
  to: 'delivered@simulator.test',
  from: 'walk@example.com',
  endpoint: 'https://walk.example/hook',
  url: 'https://walk.example/hook',
  name: 'walk.example',
  key: 'walk',
  subject: 'Walk',
}
const fill = (name: string): string => FILLED[name] ?? ''

function post(path: string, { isUpload, fields }: Pick<PageForm, 'isUpload' | 'fields'>, origin: string | null = service.url) {
  const form = isUpload ? new FormData() : new URLSearchParams(fields)
  if (form instanceof FormData) form.append('file', new Blob(['email\nwalk@example.com\n']), 'people.csv')
  return fetch(`${service.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, ...(origin !== null && { origin }) },
    body: form,
  })
}

/** How many rows each table has, and how many jobs wait. What tells of requests, of acts and of changes is not counted. */
const UNCOUNTED = /^(?:request_logs|audit_|notifications|metric|email_count|worker_|sweep|scheduled_jobs|_)/
async function counts(): Promise<Record<string, number>> {
  const tables = await service.database.execute<{ name: string }>(
    "select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by 1",
  )
  const counted = tables.filter(({ name }) => !UNCOUNTED.test(name))
  const sql = counted.map(({ name }) => `(select count(*) from "${name}") as "${name}"`).join(', ')
  const jobs = '(select count(*) from graphile_worker._private_jobs) as jobs'
  const [row = {}] = await service.database.execute<Record<string, string>>(`select ${sql}, ${jobs}`)
  return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)]))
}

/** Tables that have more rows than before. */
const grown = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.keys(after).filter((name) => (after[name] ?? 0) > (before[name] ?? 0))

/** The form as its page has it now; as it was, if that shows it no longer. */
async function fresh(place: Place): Promise<PageForm> {
  return formsOf((await open(place.page)).text, fill).find(({ action }) => action === place.action) ?? place
}

it('finds the forms, at addresses that take them', () => {
  expect(places.length).toBeGreaterThan(30)
  expect(addresses.length).toBeGreaterThan(40)
  const patterns = addresses.map((address) => new RegExp(`^${address.replaceAll(ID, '[^/]+')}$`))
  expect(
    places.map(({ action }) => action).filter((action) => !patterns.some((pattern) => pattern.test(action.split('?', 1)[0] ?? ''))),
  ).toEqual([])
})

it('takes no form without its origin, or from another site, wherever one is taken', { timeout: 300_000 }, async () => {
  const before = await counts()
  const forms = [...places, ...addresses.map((action) => ({ action, isUpload: false, fields: [] as [string, string][] }))]
  const taken: object[] = []
  for (const form of forms)
    for (const origin of [null, 'null', 'https://evil.example', `${service.url}.evil.example`]) {
      const { status } = await post(form.action, form, origin)
      if (status !== 403) taken.push({ action: form.action, origin, status })
    }
  expect(taken).toEqual([])
  expect(grown(before, await counts())).toEqual([])
})

const newestAct = async () => (await service.database.execute<{ id: string }>('select id from audit_log order by id desc limit 1'))[0]

/** Forms that change nothing here, those of no one who is known, and one that has another name. */
const NAMED_OTHERWISE = {
  ...{ '/console/imports/upload': '', '/console/webhooks/:id/replay': '', '/console/webhooks/:id/secret': '' },
  ...{ '/console/sign-in': '', '/console/operation/sign-out': '', '/console/sign-out': 'console.sign-out' },
}

/** What the audit log of the team has got since. */
const actsAfter = async (id: string): Promise<string[]> =>
  (
    await service.database.execute<{ act: string }>('select act from audit_log where team_id = $1 and id > $2 order by id', [
      service.teamId,
      id,
    ])
  ).map(({ act }) => act)

/** What a person would choose and type beside what the form holds, by the address. */
const TYPED: Record<string, () => Record<string, string>> = {
  '/console/broadcasts': () => ({ text: 'Walk' }),
  '/console/operation/pause': () => ({ team: service.teamId }),
  '/console/suppressions/import': () => ({ list: 'listed@example.com' }),
  '/console/webhooks': () => ({ 'email.delivered': 'on' }),
  '/console/emails/:id/reschedule': () => ({ scheduled_at: 'in 2 hours' }),
  '/console/contacts/:id/erase': () => ({ address: contact }),
}

function typed(form: PageForm): PageForm {
  const more = TYPED[nameOf(form)]?.() ?? {}
  return { ...form, fields: [...form.fields.filter(([name]) => !(name in more)), ...Object.entries(more)] }
}

describe('a form that is sent twice', () => {
  it('is taken the first time, answered without an error of its own, and makes nothing else: no record, no email, no job', {
    timeout: 300_000,
  }, async () => {
    const refused: Record<string, number> = {}
    const failed: object[] = []
    const repeated: Record<string, string[]> = {}
    const acts: Record<string, string> = {}
    for (const place of places.filter(({ action }) => !OF_THEIR_OWN.has(action))) {
      const name = nameOf(place)
      const form = typed(await fresh(place))
      const last = (await newestAct())?.id ?? LOWEST_ID
      const first = await post(place.action, form)
      // A person without a session is asked to sign in.
      const isAsked = first.headers.get('location')?.startsWith('/console/sign-in') && !name.endsWith('/sign-out')
      if (first.status >= 400 || isAsked) refused[name] = first.status
      const once = await counts()
      acts[name] = (await actsAfter(last)).join(' ')
      const again = await Promise.all([post(place.action, form), post(place.action, form)])
      const statuses = [first, ...again].map(({ status }) => status)
      if (statuses.some((status) => status >= 500)) failed.push({ action: place.action, statuses })
      const more = grown(once, await counts())
      if (more.length > 0) repeated[name] = more
      if (/sign-(?:in|out)|end-others/.test(place.action)) cookie = `${await signIn(service)}; ${await operatorCookie()}`
    }
    expect(failed).toEqual([])
    expect(refused).toEqual({})
    // Another code is mailed whenever someone asks.
    expect(repeated).toEqual({ '/console/confirm/code': ['installation_mails'] })
    // The audit log has each that changed something, by the name that follows from its address.
    const others = Object.entries(acts).filter(([name, said]) => said !== actName(name))
    expect(Object.fromEntries(others)).toEqual(NAMED_OTHERWISE)
  })
})

it('answers hostile forms without an error of its own, wherever one is taken', { timeout: 300_000 }, async () => {
  const failed: object[] = []
  // Signing out, and ending sessions, would end the walk.
  for (const path of addresses.filter((address) => !/sign-out|end-others/.test(address)))
    for (const [name, { type, body }] of Object.entries(HOSTILE)) {
      const { status } = await fetch(`${service.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin: service.url, ...(type !== null && { 'content-type': type }) },
        body,
      })
      if (status >= 500) failed.push({ path, name, status })
    }
  expect(failed).toEqual([])
  expect((await open('/console/emails')).status).toBe(200)
})

const FORM = 'application/x-www-form-urlencoded'
const HOSTILE: Record<string, { type: string | null; body: string | Uint8Array<ArrayBuffer> }> = {
  nothing: { type: FORM, body: '' },
  'no type': { type: null, body: new Uint8Array([1, 2, 3]) },
  JSON: { type: 'application/json', body: '{"name":"x"}' },
  'an object of a prototype': { type: FORM, body: '__proto__[x]=1&constructor=1&__proto__=1&toString=1' },
  'fields twice and in lists': { type: FORM, body: 'name=a&name=b&name[]=c&id=1&id=2&email=a&email=b' },
  'characters that cannot be stored': { type: FORM, body: 'name=%00&email=%00&id=%00&subject=%ED%A0%80&to=%FF%FE&key=%00' },
  'broken escapes': { type: FORM, body: 'name=%&email=%zz&=&&&%=%' },
  'long texts': { type: FORM, body: `name=${'x'.repeat(12_000)}` },
  'too much': { type: FORM, body: `name=${'%41'.repeat(1_000_000)}` },
  'broken parts': { type: 'multipart/form-data; boundary=x', body: '--x\r\nContent-Disposition: form-data; name="file"; filename="a' },
  'markup and numbers': { type: FORM, body: 'name=<script>&id=<b>&type=<b>&rules=%5B%5D&limit=-1&version=1e999&at=9999999999999&day=x' },
}
