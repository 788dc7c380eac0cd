// What a program gets of what it asks for is what the person may do in the team, when they allow it and at each request.
import { describe, expect, it } from 'vitest'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { signInAs } from '../../../support/clients/console.ts'
import { authorizeQuery, openBrowser, pkce, post, REDIRECT_URI, registerClient } from '../../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
const persons = () => service.service.context.repositories.persons

async function browserOf(role: MemberRole, teamId = service.teamId) {
  const browser = openBrowser(service)
  const [name = '', value = ''] = (await signInAs(service.service.context, teamId, role)).split('=', 2)
  browser.cookies.set(name, value)
  return browser
}

/** Someone of this role asks for these scopes: the page, and what comes of allowing it. */
async function ask(role: MemberRole, scope: string) {
  const browser = await browserOf(role)
  const { client_id: clientId = '' } = await registerClient(service)
  const { verifier, challenge } = pkce()
  const { location } = await browser.go('GET', `/oauth/authorize?${authorizeQuery(clientId, challenge, { scope })}`)
  const page = (path = location) => browser.go('GET', path)
  const allow = (fields: Record<string, string> = {}) =>
    browser.go('POST', location, { act: 'allow', team: service.teamId, role, ...fields })
  async function redeem(decided: { location: string }) {
    const answer = new URL((await browser.go('GET', decided.location)).location)
    const { body } = await post(service, '/oauth/token', {
      ...{ grant_type: 'authorization_code', client_id: clientId, code: answer.searchParams.get('code') ?? '' },
      ...{ redirect_uri: REDIRECT_URI, code_verifier: verifier },
    })
    return body as { access_token: string; refresh_token: string; scope: string }
  }
  const refresh = (token: string) =>
    post(service, '/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
  return { page, allow, redeem, refresh, location }
}

const personId = async (role: MemberRole) => (await persons().findByEmailAcrossTeams(`${role}-${service.teamId}@people.example`))?.id ?? ''
const statusOf = async (path: string, token: string) => (await service.call('GET', path, { token })).status

describe('the page of a request for access', () => {
  it('offers what the role allows, names the rest, and leaves it out of the grant', async () => {
    const { page, allow, redeem } = await ask('marketer', 'contacts:read domains:read emails:send')
    const { text } = await page()
    const [offered = '', left = ''] = text.split('Your role in the team (marketer) does not allow this')
    expect(offered).toContain('read contacts')
    expect(offered).toContain('send broadcasts')
    expect(offered).not.toContain('read domains')
    expect(left).toMatch(/send emails and broadcasts.*|read domains/)
    const tokens = await redeem(await allow())
    expect(tokens.scope.split(' ').sort()).toEqual(['broadcasts:send', 'contacts:read'])
    expect(await statusOf('/contacts', tokens.access_token)).toBe(200)
    expect(await statusOf('/domains', tokens.access_token)).toBe(403)
  })

  it('offers of full access what the role allows, and no more after a promotion', async () => {
    const { page, allow, redeem, refresh } = await ask('developer', 'full_access')
    expect((await page()).text).toContain('do everything that your role in the team allows (developer)')
    const tokens = await redeem(await allow())
    expect(tokens.scope.split(' ')).not.toContain('full_access')
    expect(tokens.scope.split(' ')).not.toContain('members:write')
    await persons().changeRole(service.teamId, await personId('developer'), 'admin')
    const { scope = '' } = (await refresh(tokens.refresh_token)).body as { scope?: string }
    expect(scope.split(' ')).not.toContain('members:write')
    await persons().changeRole(service.teamId, await personId('developer'), 'developer')
  })

  it('offers nothing where the role allows none of it', async () => {
    const { page, allow } = await ask('viewer', 'contacts:read')
    const { text } = await page()
    expect(text).toContain('allows nothing of what the program asks for')
    expect(text).not.toContain('value="allow"')
    expect((await allow()).location).toMatch(/again=1$/)
  })

  it('is shown again when the role is another by now, or the team is none of theirs', async () => {
    const { allow } = await ask('support', 'contacts:read')
    expect((await allow({ role: 'admin' })).location).toMatch(/again=1$/)
    expect((await allow({ team: service.other.teamId })).location).toMatch(/again=1$/)
    expect((await allow({ team: 'x' })).location).toMatch(/again=1$/)
  })

  it('lets a person choose among their teams', async () => {
    const person = await persons().ensureAcrossTeams(`admin-${service.teamId}@people.example`, 'The admin')
    await persons().addMember(service.other.teamId, person.id, 'viewer')
    const { page, location } = await ask('admin', 'contacts:read')
    expect((await page()).text).toContain(`<option value="${service.other.teamId}">`)
    const chosen = await page(`${location}?again=1&team=${service.other.teamId}`)
    expect(chosen.text).toContain('(viewer)')
    await persons().removeMember(service.other.teamId, person.id)
  })

  it('leads someone who is not signed in to sign in, and back', async () => {
    const browser = openBrowser(service)
    const { client_id: clientId = '' } = await registerClient(service)
    const { location } = await browser.go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge)}`)
    expect((await browser.go('GET', `${location}?again=1`)).text).toContain(`/console/sign-in?next=${encodeURIComponent(location)}`)
  })
})

describe('a grant of a person', () => {
  it('allows at each request what the role allows then', async () => {
    const { allow, redeem } = await ask('support', 'contacts:read')
    const { access_token: token } = await redeem(await allow())
    expect(await statusOf('/contacts', token)).toBe(200)
    await persons().changeRole(service.teamId, await personId('support'), 'viewer')
    await expect.poll(() => statusOf('/contacts', token)).toBe(403)
    await persons().changeRole(service.teamId, await personId('support'), 'support')
  })

  it('ends with their membership, for good, and so does its refresh token', async () => {
    const { allow, redeem, refresh } = await ask('support', 'contacts:read')
    const tokens = await redeem(await allow())
    expect(await statusOf('/contacts', tokens.access_token)).toBe(200)
    const id = await personId('support')
    await persons().removeMember(service.teamId, id)
    expect(await statusOf('/contacts', tokens.access_token)).toBe(401)
    expect((await refresh(tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    // Coming back does not bring it back.
    await persons().addMember(service.teamId, id, 'support')
    expect(await statusOf('/contacts', tokens.access_token)).toBe(401)
    const { body } = await service.call('GET', '/oauth/grants?limit=1')
    expect(body).toMatchObject({ data: [{ revoked_reason: 'member_removed', allowed_by: { id, name: 'The support' } }] })
  })

  it('keeps working if it was allowed before people signed in, and has no person in the list', async () => {
    const { allow, redeem } = await ask('owner', 'contacts:read')
    const { access_token: token } = await redeem(await allow())
    const grants = async () =>
      ((await service.call('GET', '/oauth/grants?limit=1')).body as { data: { id: string; allowed_by: unknown }[] }).data
    const [grant] = await grants()
    await service.database.execute('update oauth_grants set person_id = null where id = $1', [grant?.id])
    service.service.context.repositories.oauthGrants.forget()
    expect(await statusOf('/contacts', token)).toBe(200)
    expect(await grants()).toMatchObject([{ id: grant?.id, allowed_by: null }])
  })
})
