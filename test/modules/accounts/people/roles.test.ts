// Every operation with every role, by each of the ways in which a person reaches it. The operations are those that are registered, so a new one is tested
// at once. What a role may do is read from the table of docs/access.md.

import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../../src/cli/generated/generated-files.ts'
import type { Operation } from '../../../../src/http/operation.ts'
import { MEMBER_ROLES, type MemberRole } from '../../../../src/lib/member-roles.ts'
import { SCOPES_OF_ROLES } from '../../../../src/modules/accounts/people/roles.ts'
import { includesScope, SCOPE_NAMES } from '../../../../src/modules/accounts/scopes.ts'
import { sessionCookieName } from '../../../../src/modules/accounts/sessions/sessions.pages.ts'
import { beginSession, createDocumentationToken } from '../../../../src/modules/accounts/sessions/sessions.service.ts'
import { teamOperations } from '../../../house/openapi-document.ts'
import { send } from '../../../support/builders/emails.ts'
import { authorizeQuery, BUILT_IN_CLIENT, openBrowser, pkce, post, registerClient } from '../../../support/clients/oauth-client.ts'
import { OWN_PAGE } from '../../../support/clients/people.ts'
import { until } from '../../../support/clocks/until.ts'
import { forEvery } from '../../../support/for-every.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

type Security = { oauth?: string[] }[]
type Headers = Record<string, string>

const documented = teamOperations(await describeApi()).map(({ operation }) => operation)
const UNKNOWN = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff'
const WAYS = ['session', 'documentation', 'program', 'command line'] as const

const TABLE = new Map(
  [...readFileSync('docs/access.md', 'utf8').matchAll(/^\| `([\w:-]+)` +\|((?:[ ✓]*\|){6})$/gmu)].map(([, scope = '', cells = '']) => [
    scope,
    MEMBER_ROLES.filter((_role, index) => cells.split('|')[index]?.includes('✓')),
  ]),
)

const WIDER: Record<string, string> = {
  'emails:resend': 'emails:send',
  'contacts:subscriptions': 'contacts:write',
  'suppressions:delete': 'suppressions:write',
  'broadcasts:send': 'emails:send',
}

const has = (role: MemberRole, scope: string): boolean => [scope, WIDER[scope]].some((each) => TABLE.get(each ?? '')?.includes(role))

const isAllowed = (role: MemberRole, security: Security): boolean => security.some(({ oauth }) => oauth?.every((scope) => has(role, scope)))

/** With this header, a request that access lets pass ends there. */
const NO_FURTHER = { 'x-no-further': '1' }

const service = shared(() =>
  startTestService({
    environment: { RATE_LIMIT_PER_SECOND: '0' },
    beforeListening: (listening) =>
      listening.addHook('onRequest', async ({ headers }, reply) => ('x-no-further' in headers ? reply.code(204).send() : undefined)),
  }),
)
const people = new Map<MemberRole, { id: string; ways: Record<(typeof WAYS)[number], Headers> }>()

beforeAll(async () => {
  for (const role of MEMBER_ROLES) people.set(role, await personAs(role))
})

/** Each way was opened by an owner, whose role then became this one: what counts is the role at the time of a request. */
async function personAs(role: MemberRole) {
  const { context } = service.service
  const { persons } = context.repositories
  const { id } = await persons.ensureAcrossTeams(`${role}@matrix.example`, `A ${role}`)
  await persons.addMember(service.teamId, id, 'owner')
  const signedIn = { method: 'link', address: '127.0.0.1', browser: '' } as const
  const session = (await beginSession(context, { personId: id, teamId: service.teamId }, signedIn)) ?? ''
  const documentation = await createDocumentationToken(context, session)
  const ways = {
    session: { cookie: `${sessionCookieName(context.publicUrl)}=${session}`, ...OWN_PAGE },
    documentation: bearer(documentation?.token),
    program: bearer(await tokenOf(session, (await registerClient(service)).client_id ?? '', 'http://127.0.0.1/callback')),
    'command line': bearer(await tokenOf(session, BUILT_IN_CLIENT, 'http://127.0.0.1:1/oauth/callback')),
  }
  await service.database.execute('update sessions set confirmed_at = $2 where person_id = $1', [id, new Date()])
  await persons.changeRole(service.teamId, id, role)
  return { id, ways }
}

const bearer = (token = ''): Headers => ({ authorization: `Bearer ${token}` })

/** An access token that the person of a session allowed, with everything that they may do. */
async function tokenOf(session: string, clientId: string, redirectUri: string): Promise<string> {
  const browser = openBrowser(service)
  browser.cookies.set(sessionCookieName(service.service.context.publicUrl), session)
  const { verifier, challenge } = pkce()
  const query = authorizeQuery(clientId, challenge, { scope: 'full_access', redirect_uri: redirectUri })
  const asked = await browser.go('GET', `/oauth/authorize?${query}`)
  const decided = await browser.go('POST', asked.location, { act: 'allow', team: service.teamId })
  const answered = await browser.go('GET', decided.location)
  const code = new URL(answered.location).searchParams.get('code') ?? ''
  const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri, code_verifier: verifier }
  const { body } = await post(service, '/oauth/token', fields)
  return String(body.access_token)
}

async function ask(method: string, path: string, headers: Headers, payload?: object) {
  const { app } = service.service
  const answer = await app?.inject({ method: method as 'GET', url: path, headers, ...(payload && { payload }) })
  const { name, message } = (answer?.body.startsWith('{') ? answer.json() : {}) as { name?: string; message?: string }
  return { status: answer?.statusCode, name, message, text: answer?.body ?? '' }
}

const headersOf = (role: MemberRole, way: (typeof WAYS)[number] = 'session'): Headers => people.get(role)?.ways[way] ?? {}

const ofEvery = (check: (operation: Operation, security: Security) => unknown): Promise<void> => {
  const operations = new Map(service.service.app?.operations.map((operation) => [operation.id, operation]))
  return forEvery(
    documented,
    ({ operationId, security }) => check(operations.get(operationId) as Operation, security as Security),
    ({ operationId }) => operationId,
  )
}

it('is the table of docs/access.md', () => {
  const scopes = SCOPE_NAMES.filter((scope) => scope !== 'full_access')
  expect(Object.fromEntries(TABLE)).toEqual(
    Object.fromEntries(scopes.map((scope) => [scope, MEMBER_ROLES.filter((role) => includesScope(SCOPES_OF_ROLES[role], scope))])),
  )
})

describe('every operation', () => {
  it.each(MEMBER_ROLES)('is open to the %s as the table says, by each of the four ways', { timeout: 300_000 }, (role) =>
    ofEvery(async ({ method, path }, security) => {
      const answers: Record<string, string> = {}
      for (const way of WAYS) {
        const { status, name } = await ask(method, path.replaceAll(/:\w+/g, UNKNOWN), { ...headersOf(role, way), ...NO_FURTHER })
        // Who may do it is asked to confirm it.
        answers[way] = name === 'confirmation_required' ? '204 undefined' : `${status} ${name}`
      }
      const expected = isAllowed(role, security) ? '204 undefined' : '403 invalid_permission'
      expect(answers).toEqual(Object.fromEntries(WAYS.map((way) => [way, expected])))
    }),
  )
})

/** Stands in everything that a viewer must not see. */
const MARKER = 'xqmarkerqx'

it('shows a viewer no address, name of a person, subject, content or network address', async () => {
  const body = { subject: MARKER, html: `<p>${MARKER}</p>`, from: `${MARKER} <${MARKER}@example.com>` }
  const call = async (path: string, of: object) => {
    const { status, body: answer, text } = await service.call('POST', path, { body: of, headers: { 'user-agent': MARKER } })
    expect(`${status} ${text}`).toMatch(/^20/)
    return (answer as { id: string }).id
  }
  const names = { email: `${MARKER}@example.org`, first_name: MARKER, last_name: MARKER }
  await call('/contact-properties', { key: 'city', type: 'string', fallback_value: MARKER })
  await call('/contacts', { ...names, properties: { city: MARKER } })
  const segment = await call('/segments', { name: 'Customers', filter: { field: 'email', operator: 'contains', value: MARKER } })
  await call('/broadcasts', { name: 'November', segment_id: segment, ...body, reply_to: `${MARKER}@example.net`, preview_text: MARKER })
  await call('/templates', { name: MARKER, ...body })
  await call('/suppressions', { email: `s${MARKER}@example.org` })
  await call('/domains', { name: 'shown.example.com', tracking_subdomain: MARKER })
  await send(service, { ...body, to: `${MARKER}@simulator.test`, tags: [{ name: MARKER, value: MARKER }] })
  const queries = ['', '?dimensions=email,domain', '?dimensions=broadcast', '?dimensions=tag', '?by=provider', '?by=tag', '?limit=100']
  const read: string[] = []
  await ofEvery(async ({ id, method, path }, security) => {
    if (!isAllowed('viewer', security)) return
    read.push(id)
    expect(method).toBe('GET')
    for (const query of queries) expect((await ask(method, path + query, headersOf('viewer'))).text).not.toContain(MARKER)
  })
  expect(read.toSorted()).toEqual([
    'broadcasts.list',
    'contacts.metrics.retrieve',
    'domains.list',
    'emails.metrics.breakdown.retrieve',
    'emails.metrics.export',
    'emails.metrics.retrieve',
    'logs.metrics.retrieve',
    'segments.growth.retrieve',
    'segments.list',
    'segments.metrics.retrieve',
    'usage.retrieve',
  ])
})

describe('support', () => {
  const change = (path: string, payload: object, role: MemberRole = 'support') => ask('PATCH', path, headersOf(role), payload)

  it('unsubscribes a contact, changes its topics, and changes nothing else of it', async () => {
    const { body } = await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })
    const path = `/contacts/${(body as { id: string }).id}`
    const refused = { status: 403, name: 'invalid_permission', message: expect.stringContaining('Your role in this team (support)') }
    for (const changes of [{ first_name: 'Eve' }, { unsubscribed: false }, { unsubscribed: true, first_name: 'Eve' }])
      expect(await change(path, changes)).toMatchObject(refused)
    expect((await change(path, { unsubscribed: true })).status).toBe(200)
    expect((await change(`${path}/topics`, [])).name).not.toBe('invalid_permission')
    expect((await change(path, { unsubscribed: false }, 'marketer')).status).toBe(200)
  })
})

describe('changing members', () => {
  const idOf = (role: MemberRole) => people.get(role)?.id
  const roleOf = async (role: MemberRole) =>
    (await service.service.context.repositories.persons.findMember(service.teamId, idOf(role) ?? ''))?.role

  it.each<[MemberRole, string, string, object | undefined]>([
    ['developer', 'POST', '/invitations', { email: 'new@example.com', role: 'owner' }],
    ['developer', 'POST', '/invitations', { email: 'new@example.com', role: 'viewer' }],
    ['marketer', 'POST', '/invitations', { email: 'new@example.com', role: 'viewer' }],
    ['admin', 'POST', '/invitations', { email: 'new@example.com', role: 'owner' }],
    ['developer', 'PATCH', 'developer', { role: 'owner' }],
    ['admin', 'PATCH', 'admin', { role: 'owner' }],
    ['admin', 'PATCH', 'owner', { role: 'viewer' }],
    ['admin', 'PATCH', 'viewer', { role: 'owner' }],
    ['admin', 'DELETE', 'owner', undefined],
    ['support', 'DELETE', 'viewer', undefined],
  ])('refuses the %s to %s %s %j', async (role, method, target, payload) => {
    const path = target.startsWith('/') ? target : `/members/${idOf(target as MemberRole)}`
    for (const way of WAYS) {
      const { status, name } = await ask(method, path, headersOf(role, way), payload)
      expect([status, name]).toEqual([403, 'invalid_permission'])
    }
    for (const each of MEMBER_ROLES) expect(await roleOf(each)).toBe(each)
    expect((await ask('GET', '/invitations', headersOf('owner'))).text).not.toContain('new@example.com')
  })

  it('does not open a team to the session of someone in another', async () => {
    const { persons } = service.service.context.repositories
    await persons.addMember(service.other.teamId, idOf('owner') ?? '', 'viewer')
    const there = { 'posthaste-team': service.other.teamId }
    expect(await ask('GET', '/emails', { ...headersOf('owner'), ...there })).toMatchObject({ status: 403, name: 'invalid_permission' })
    expect((await ask('GET', '/usage', { ...headersOf('owner'), ...there })).status).toBe(200)
    expect((await ask('GET', '/usage', { ...headersOf('admin'), ...there })).status).toBe(403)
    // A token is for the team for which it was made, whatever a header says.
    await send(service, { subject: 'Here' })
    for (const way of WAYS.slice(1)) expect((await ask('GET', '/emails', { ...headersOf('owner', way), ...there })).text).toContain('Here')
  })

  it('ends all that a removed member had', async () => {
    expect((await ask('DELETE', `/members/${idOf('developer')}`, headersOf('owner'))).status).toBe(200)
    // Other processes, and this one, remember a grant for a second.
    for (const way of WAYS)
      await until(async () => expect((await ask('GET', '/emails', headersOf('developer', way))).status).toBeOneOf([401, 403]))
  })
})
