// Every address of the console, for those who may not see it: strangers, another team, a session whose key was deleted, and teams at the pages of operators.
import { beforeAll, expect, it } from 'vitest'
import { consoleRoutesOf, filledRoute } from '../browser/pages-of-routes.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../support/clients/console.ts'
import { recordsOf } from '../support/records/records.ts'
import { shared, startTestService } from '../support/servers/service.ts'

type Address = { method: 'GET' | 'POST'; path: string }

/** These pages let in people who are not signed in. A script asks for the token of the documentation, and is answered in JSON. */
const IS_OPEN = /^\/console\/(?:sign-in|connect|device|invitations|sign-out|documentation-token)/
const IS_OF_OPERATORS = /^\/console\/operation/

let addresses: Address[]
let ids: string[]

const service = shared(() => startTestService(), 240_000)
beforeAll(async () => {
  const made = await recordsOf(service).oneOfEach()
  ids = [...made.values()]
  const { app } = service.service
  if (!app) throw new Error('The service has no pages')
  addresses = (['GET', 'POST'] as const).flatMap((method) =>
    consoleRoutesOf(app, method).map((route) => ({ method, path: filledRoute(route, made) ?? route.replaceAll(/:\w+/g, UNKNOWN_ID) })),
  )
}, 240_000)

const closed = () => addresses.filter(({ path }) => !IS_OPEN.test(path) && !IS_OF_OPERATORS.test(path))
const open = ({ method, path }: Address, cookie: string | null): Promise<Seen> =>
  visit(service, method, path, { cookie, ...(method === 'POST' && { form: {} }) })
const isSentToSignIn = ({ status, location }: Seen): boolean => status === 303 && location?.startsWith('/console/sign-in') === true

/** Ids of what the team has; none may go, and none may come. */
async function ours(): Promise<Record<string, string>> {
  const tables = ['emails', 'contacts', 'segments', 'topics', 'broadcasts', 'templates', 'domains', 'webhooks', 'api_keys', 'suppressions']
  const counts = tables.map(
    (table) =>
      `(select md5(string_agg((to_jsonb(t) - 'last_used_at')::text, ' ' order by id)) from ${table} t where team_id = $1) as ${table}`,
  )
  const [row = {}] = await service.database.execute<Record<string, string>>(`select ${counts.join(', ')}`, [service.teamId])
  return row
}

/** Visits all of these, and names those whose answer is not as it must be. */
async function wrongAmong(visited: Address[], cookie: string | null, isRight: (seen: Seen) => boolean): Promise<string[]> {
  const before = await ours()
  const wrong: string[] = []
  for (const address of visited) {
    const seen = await open(address, cookie)
    if (!isRight(seen)) wrong.push(`${address.method} ${address.path}: ${seen.status} ${seen.location ?? ''}`)
  }
  expect(await ours()).toEqual(before)
  return wrong
}

it('finds the addresses', () => {
  expect(closed().length).toBeGreaterThan(100)
  expect(addresses.filter(({ path }) => IS_OF_OPERATORS.test(path)).length).toBeGreaterThan(8)
})

it('asks strangers to sign in', { timeout: 300_000 }, async () => {
  const everywhere = addresses.filter(({ path }) => !IS_OPEN.test(path))
  expect(await wrongAmong(everywhere, null, isSentToSignIn)).toEqual([])
})

it('shows the pages of operators to no team', { timeout: 300_000 }, async () => {
  const pages = addresses.filter(({ path }) => IS_OF_OPERATORS.test(path))
  expect(await wrongAmong(pages, await signIn(service), ({ status }) => status === 303 || status === 404)).toEqual([])
})

it('shows nothing of a team to another one, and changes nothing of it', { timeout: 300_000 }, async () => {
  const theirs = await signIn(service, service.other.token)
  const named = closed().filter(({ path }) => ids.some((id) => path.includes(id)))
  expect(named.length).toBeGreaterThan(60)
  // A page of a list may answer, without what the address names.
  const isNothing = ({ status, text }: Seen) => status === 404 || status === 303 || status === 422 || !ids.some((id) => text.includes(id))
  expect(await wrongAmong(named, theirs, isNothing)).toEqual([])
})

it('ends with the membership', { timeout: 300_000 }, async () => {
  const cookie = await signIn(service, service.token, 'admin')
  const { persons } = service.service.context.repositories
  const admin = await persons.ensureAcrossTeams(`admin-${service.teamId}@people.example`, '')
  await persons.removeMember(service.teamId, admin.id)
  // What is a person's own stays.
  const ofTeams = closed().filter(({ path }) => !/^\/console\/(?:confirm|passkey)/.test(path))
  expect(await wrongAmong(ofTeams, cookie, ({ status }) => status === 403)).toEqual([])
})
