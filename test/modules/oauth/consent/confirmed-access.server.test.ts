// Programs confirm nothing: who gives them what a person has to confirm first has signed in or confirmed just now.
import { beforeEach, describe, expect, it } from 'vitest'
import { COMMAND_LINE_CLIENT } from '../../../../src/cli/accounts/login.ts'
import { CONFIRMED_SCOPES } from '../../../../src/modules/accounts/sessions/confirmation.ts'
import { authorizeQuery, openBrowser, pkce, post, registerClient } from '../../../support/clients/oauth-client.ts'
import { type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const TEN_MINUTES_MS = 600_000
const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

let person: SignedInPerson
beforeEach(async () => {
  person = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
})

function browserOf({ cookie }: SignedInPerson) {
  const browser = openBrowser(service)
  const [name = '', value = ''] = cookie.split('=', 2)
  browser.cookies.set(name, value)
  return browser
}

const confirm = () => service.service.context.repositories.sessions.confirmAcrossTeams(person.sessionId, person.id, clock.now())
const nextOf = (location: string) => new URL(location, service.url).searchParams.get('next') ?? ''
const grants = async () => (await service.database.execute('select id from oauth_grants')).length

async function askByDevice(scope: string) {
  const { body } = await post(service, '/oauth/device', { client_id: COMMAND_LINE_CLIENT, scope })
  const userCode = String(body.user_code)
  const browser = browserOf(person)
  const form = { user_code: userCode, act: 'allow', team: service.teamId, role: 'owner' }
  return { browser, page: userCode, allow: () => browser.go('POST', '/console/device', form) }
}

async function askByProgram(scope: string) {
  const browser = browserOf(person)
  const { client_id: clientId = '' } = await registerClient(service)
  const { location } = await browser.go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { scope })}`)
  return { browser, page: location, allow: () => browser.go('POST', location, { act: 'allow', team: service.teamId, role: 'owner' }) }
}

describe.each([
  ['the page of the code', askByDevice, 200],
  ['the page of a program', askByProgram, 303],
] as const)('%s', (_what, ask, allowed) => {
  it.each(CONFIRMED_SCOPES)('gives %s only after a confirmation, to which it leads and from which it comes back', async (scope) => {
    clock.advance(TEN_MINUTES_MS)
    const before = await grants()
    const { browser, page, allow } = await ask(scope)
    const led = await allow()
    expect({ status: led.status, to: led.location.split('?', 1)[0] }).toEqual({ status: 303, to: '/console/confirm' })
    expect(nextOf(led.location)).toContain(page)
    expect((await browser.go('GET', nextOf(led.location))).text).toContain('value="allow"')
    expect(await grants()).toBe(before)
    await confirm()
    expect(await allow()).toMatchObject({ status: allowed, location: expect.not.stringContaining('/console/confirm') })
    expect(await grants()).toBe(before + 1)
  })

  it('gives it someone who signed in just now, and what needs no confirmation at any time', async () => {
    const before = await grants()
    await (await ask('full_access')).allow()
    clock.advance(TEN_MINUTES_MS)
    await (await ask('domains:read contacts:write')).allow()
    expect(await grants()).toBe(before + 2)
  })
})
