// Access of the command line, which a person allows on another device (RFC 8628).
import { describe, expect, it } from 'vitest'
import { COMMAND_LINE_CLIENT } from '../../../src/cli/accounts/login.ts'
import type { MemberRole } from '../../../src/lib/member-roles.ts'
import { signInAs } from '../../support/clients/console.ts'
import { openBrowser, post, registerClient } from '../../support/clients/oauth-client.ts'
import { createShiftingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createShiftingClock()
const service = shared(() => startTestService({ clock }))
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const EXPIRED_MS = 601_000

type Asked = { device_code: string; user_code: string; verification_uri: string; verification_uri_complete: string; expires_in: number }

async function browserOf(role: MemberRole) {
  const browser = openBrowser(service)
  const [name = '', value = ''] = (await signInAs(service.service.context, service.teamId, role)).split('=', 2)
  browser.cookies.set(name, value)
  return browser
}

async function begin(scope = 'full_access') {
  const { status, body } = await post(service, '/oauth/device', { client_id: COMMAND_LINE_CLIENT, scope })
  expect(status).toBe(200)
  const asked = body as Asked
  return { asked, path: `/console/device?user_code=${asked.user_code}`, poll: () => poll(asked.device_code) }
}
const poll = (code: string) => post(service, '/oauth/token', { client_id: COMMAND_LINE_CLIENT, grant_type: GRANT, device_code: code })

async function decide(role: MemberRole, { user_code }: Asked, act = 'allow', browser = browserOf(role)) {
  return (await browser).go('POST', '/console/device', { user_code, act, team: service.teamId, role })
}

describe('the command line', () => {
  it('gets tokens of the role once the person has allowed it, and new ones', async () => {
    const { asked, path, poll } = await begin()
    expect(asked).toMatchObject({
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: 'http://localhost:3000/console/device',
      verification_uri_complete: `http://localhost:3000${path}`,
      expires_in: 600,
    })
    expect((await poll()).body).toMatchObject({ error: 'authorization_pending' })
    const page = (await (await browserOf('developer')).go('GET', path)).text
    for (const said of [asked.user_code, 'only if you started it', 'your role in the team allows (developer)']) expect(page).toContain(said)
    expect((await decide('developer', asked)).text).toContain('The command line is signed in')
    const { status, body } = await poll()
    expect(status).toBe(200)
    const tokens = body as { access_token: string; refresh_token: string; scope: string }
    expect(tokens.scope.split(' ')).not.toContain('members:write')
    expect((await service.call('GET', '/domains', { token: tokens.access_token })).status).toBe(200)
    const refreshed = await post(service, '/oauth/token', {
      ...{ grant_type: 'refresh_token', client_id: COMMAND_LINE_CLIENT, refresh_token: tokens.refresh_token },
    })
    expect(refreshed).toMatchObject({ status: 200, body: { scope: tokens.scope } })
    // A code that comes again ends the access: someone else has it.
    expect((await poll()).body).toMatchObject({ error: 'invalid_grant' })
    expect((await service.call('GET', '/domains', { token: tokens.access_token })).status).toBe(401)
  })

  it('is told that the person refused', async () => {
    const { asked, poll } = await begin()
    expect((await decide('owner', asked, 'refuse')).text).toContain('You refused access')
    expect((await poll()).body).toMatchObject({ error: 'access_denied' })
  })

  it('is told that the code has expired', async () => {
    const { asked, poll } = await begin()
    clock.shift(EXPIRED_MS)
    try {
      expect((await decide('owner', asked)).status).toBe(404)
      expect(await poll()).toMatchObject({ status: 400, body: { error: expect.stringMatching(/expired_token|invalid_grant/) } })
    } finally {
      clock.shift(-EXPIRED_MS)
    }
  })

  it('has nothing stored that opens anything', async () => {
    const { asked } = await begin()
    const rows = await service.database.execute<{ text: string }>('select (r.*)::text as text from oauth_records r')
    expect(rows.filter(({ text }) => [asked.device_code, asked.user_code.replace('-', '')].some((code) => text.includes(code)))).toEqual([])
  })
})

describe('the page of the code', () => {
  it('leads someone who is not signed in to sign in, and back', async () => {
    const { path } = await begin()
    const browser = openBrowser(service)
    expect((await browser.go('GET', path)).text).toContain('again=1')
    expect((await browser.go('GET', `${path}&again=1`)).location).toBe(`/console/sign-in?next=${encodeURIComponent(path)}`)
  })

  it('decides once, and only for a team and a role as they are', async () => {
    const { asked } = await begin()
    const browser = browserOf('support')
    expect(
      (
        await (
          await browser
        ).go('POST', '/console/device', { user_code: asked.user_code, act: 'allow', team: service.other.teamId, role: 'owner' })
      ).status,
    ).toBe(303)
    expect(
      (
        await (
          await browser
        ).go('POST', '/console/device', { user_code: asked.user_code, act: 'allow', team: service.teamId, role: 'owner' })
      ).status,
    ).toBe(303)
    const both = await Promise.all([decide('support', asked, 'allow', browser), decide('support', asked, 'allow', browser)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
  })
})

it('is for the command line alone: no registered client can ask so', async () => {
  const { client_id = '' } = await registerClient(service)
  expect(await post(service, '/oauth/device', { client_id })).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  const registered = await post(
    service,
    '/oauth/register',
    { client_name: 'E', redirect_uris: ['http://127.0.0.1/'], grant_types: [GRANT] },
    { as: 'json' },
  )
  expect(registered.status).toBe(400)
})
