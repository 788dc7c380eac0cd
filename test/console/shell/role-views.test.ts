// Which pages and forms of the console each role reaches, against the scopes of the API that docs/access.md and the matrix of operations show.

import { beforeAll, describe, expect, it } from 'vitest'
import { MEMBER_ROLES, type MemberRole } from '../../../src/lib/member-roles.ts'
import { SCOPES_OF_ROLES } from '../../../src/modules/accounts/people/roles.ts'
import { includesScope } from '../../../src/modules/accounts/scopes.ts'
import { send } from '../../support/builders/emails.ts'
import { signInAs, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const SECTIONS: [string, string][] = [
  ['emails', 'emails'],
  ['received', 'received-emails'],
  ['broadcasts', 'broadcasts'],
  ['automations', 'automations'],
  ['templates', 'templates'],
  ['domains', 'domains'],
  ['suppressions', 'suppressions'],
  ['contacts', 'contacts'],
  ['segments', 'segments'],
  ['topics', 'topics'],
  ['properties', 'contact-properties'],
  ['imports', 'contact-imports'],
  ['api-keys', 'api-keys'],
  ['logs', 'logs'],
  ['events', 'events'],
  ['webhooks', 'webhooks'],
  ['grants', 'oauth'],
]
const MARKER = 'xqmarkerqx'
const service = shared(() => startTestService({ environment: { RATE_LIMIT_PER_SECOND: '0' } }))
const cookies = new Map<MemberRole, string>()
beforeAll(async () => {
  for (const role of MEMBER_ROLES) cookies.set(role, await signInAs(service.service.context, service.teamId, role))
  await send(service, { from: `${MARKER} <${MARKER}@example.com>`, to: `${MARKER}@simulator.test`, subject: MARKER, html: MARKER })
  await service.call('POST', '/contacts', { body: { email: `${MARKER}@example.org`, first_name: MARKER } })
  await service.call('POST', '/suppressions', { body: { email: `s${MARKER}@example.org` } })
})

const see = (role: MemberRole, path: string) => visit(service, 'GET', path, { cookie: cookies.get(role) ?? '' })

describe.each(MEMBER_ROLES)('the %s', (role) => {
  const may = (scope: string) => includesScope(SCOPES_OF_ROLES[role], scope)

  it('reads the sections that the API opens to the role, and is told of no other', async () => {
    const allowed: string[] = []
    for (const [section, name] of SECTIONS) {
      const page = await see(role, `/console/${section}`)
      expect([section, page.status]).toEqual([section, may(`${name}:read`) ? 200 : 403])
      if (page.status === 403) expect(page.text).toContain(`Your role in this team (${role}) does not allow this.`)
      if (page.status === 200) allowed.push(section)
    }
    const { text } = await see(role, '/console/sessions')
    expect(text).toContain(`<bdi>The ${role}</bdi>`)
    expect(text).toContain('Sign out')
    const named = SECTIONS.map(([section]) => section).filter((section) => text.includes(`href="/console/${section}"`))
    expect(named).toEqual(allowed)
  })

  it('sends the forms of the sections that the API lets the role write', async () => {
    for (const [section, name] of SECTIONS) {
      const { status, text } = await visit(service, 'POST', `/console/${section}`, { cookie: cookies.get(role) ?? '', form: {} })
      const isRefused = status === 403 && text.includes('Your role in this team')
      // Not every section has a form at its own address.
      if (status !== 404 && status !== 405) expect([section, isRefused]).toEqual([section, !may(`${name}:write`)])
    }
  })
})

it.each<[MemberRole, string]>([
  ['viewer', '/console/metrics'],
  ['support', '/console/emails'],
  ['marketer', '/console/broadcasts'],
])('leads the %s to %s, whose overview would show more', async (role, address) => {
  expect((await see(role, '/console')).location).toBe(address)
  for (const path of ['/console/search?q=x', '/console/search/found?q=x', '/console/overview/progress'])
    expect((await see(role, path)).status).toBeOneOf([403, 404])
})

it('shows a viewer no personal data', async () => {
  for (const path of ['/console/metrics', '/console/sessions', '/console/emails', '/console/%65mails', '/console/emails/'])
    expect((await see('viewer', path)).text).not.toContain(MARKER)
})

it.each(['/console/contacts/x/topics/x', '/console/suppressions/x/remove'])('takes %s from support', async (path) => {
  const { text } = await visit(service, 'POST', path, { cookie: cookies.get('support') ?? '', form: {} })
  expect(text).not.toContain('Your role in this team')
})
