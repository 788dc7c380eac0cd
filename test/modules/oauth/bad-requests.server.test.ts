// What programs must not get, however they ask for access.
import { beforeAll, describe, expect, it } from 'vitest'
import { visit } from '../../support/clients/console.ts'
import { authorizeQuery, BUILT_IN_CLIENT, openBrowser, pkce, REDIRECT_URI, registerClient } from '../../support/clients/oauth-client.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let web: string
let native: string
const WEB_URI = 'https://editor.example/cb'

const service = shared(() => startTestService())
beforeAll(async () => {
  web = (await registerClient(service, { redirect_uris: [WEB_URI], scope: 'emails:send domains:read' })).client_id ?? ''
  native = (await registerClient(service, { redirect_uris: [REDIRECT_URI, 'com.example.editor:/cb'] })).client_id ?? ''
})

const authorize = (clientId: string, more: Record<string, string | null>) =>
  openBrowser(service).go('GET', `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, more)}`)

describe('an address that nearly matches', () => {
  it.each([
    'https://editor.example/cb/',
    'https://editor.example/CB',
    'https://EDITOR.example/cb',
    'https://editor.example:443/cb',
    'https://editor.example:8443/cb',
    'https://editor.example/cb?more=1',
    'https://editor.example/a/../cb',
    'https://user@editor.example/cb',
    'https://editor.example@evil.example/cb',
    'https://editor.example.evil.example/cb',
    'https://xn--ditor-qof.example/cb',
    'https://\u0435ditor.example/cb',
    'http://editor.example/cb',
    'https://editor.example/cb#x',
    'javascript:alert(1)',
  ])('is not answered: %s', async (redirect_uri) => {
    const answer = await authorize(web, { redirect_uri })
    expect({ status: answer.status, location: answer.location }).toEqual({ status: 400, location: '' })
    expect(JSON.parse(answer.text)).toMatchObject({ error: expect.stringMatching(/^invalid_(request|redirect_uri)$/) })
  })

  it.each([
    ['http://127.0.0.1:50000/callback', 303],
    ['http://127.0.0.1/callback', 303],
    ['com.example.editor:/cb', 303],
    ['http://127.0.0.1:50000/other', 400],
    ['http://localhost:50000/callback', 400],
    ['http://127.0.0.2:50000/callback', 400],
    ['http://127.0.0.1.evil.example:50000/callback', 400],
    ['http://127.0.0.1:50000@evil.example/callback', 400],
    ['https://127.0.0.1/callback', 400],
    ['com.example.editor:/other', 400],
    ['com.example.editor2:/cb', 400],
  ])('on the own machine may differ in its port only: %s', async (redirect_uri, status) => {
    expect((await authorize(native, { redirect_uri })).status).toBe(status)
  })
})

describe('a request for access', () => {
  it.each<[string, Record<string, string | null>, string]>([
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method', { code_challenge_method: null }, 'invalid_request'],
    ['with a challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['for a token right away', { response_type: 'token' }, 'unsupported_response_type'],
    ['for a scope that does not exist', { scope: 'emails:send world:write' }, 'invalid_scope'],
    ['for the resource of another', { resource: 'https://other.example/' }, 'invalid_target'],
    ['with a state of 1,025 characters', { state: 's'.repeat(1_025) }, 'invalid_request'],
    ['that must not ask', { prompt: 'none' }, 'login_required'],
    ['with a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ])('is refused %s, and a program on the device is told', async (_what, more, error) => {
    const answer = await authorize(native, more)
    expect(answer.status).toBe(303)
    const location = new URL(answer.location)
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI)
    const answered = error === 'unsupported_response_type' ? new URLSearchParams(location.hash.slice(1)) : location.searchParams
    expect(Object.fromEntries(answered)).toMatchObject({ error, iss: 'http://localhost:3000' })
  })

  it('for more than a client may ask for is refused', async () => {
    const answer = await authorize(web, { redirect_uri: WEB_URI, scope: 'domains:write' })
    expect(answer).toMatchObject({ status: 400, location: '' })
    expect(JSON.parse(answer.text)).toEqual({ error: 'invalid_scope', error_description: 'requested scope is not allowed' })
  })

  it('that is wrong on purpose leads no one from here to a site that anyone may have registered', async () => {
    const wrong: Record<string, string | null>[] = [
      { scope: 'world' },
      { response_type: 'x' },
      { response_type: 'token' },
      { prompt: 'none' },
      { response_mode: 'form_post', scope: 'x' },
    ]
    for (const more of wrong) {
      const answer = await authorize(web, { redirect_uri: WEB_URI, ...more })
      expect(answer).toMatchObject({ status: 400, location: '' })
      expect(answer.text).not.toContain('editor.example')
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it.each([
    'response_mode=form_post',
    'response%5Fmode=form_post',
    'r%65sponse_mode=fragment',
    'response_mode=query&response_mode=form_post',
  ])('for an answer elsewhere than in the query is refused, however it is written: %s', async (parameter) => {
    const query = authorizeQuery(native, pkce().challenge, { scope: 'world' })
    const answer = await openBrowser(service).go('GET', `/oauth/authorize?${query}&${parameter}`)
    expect({ status: answer.status, location: answer.location, body: JSON.parse(answer.text) }).toEqual({
      status: 400,
      location: '',
      body: { error: 'invalid_request', error_description: 'response_mode must be query' },
    })
  })

  it('may say that the answer is in the query, where it is anyway', async () => {
    const answer = await authorize(native, { scope: 'world', response_mode: 'query' })
    expect(new URL(answer.location).searchParams.get('error')).toBe('invalid_scope')
  })

  it('of an unknown client, or with a parameter twice, is refused here', async () => {
    expect(await authorize('0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', {})).toMatchObject({ status: 400, location: '' })
    const twice = await openBrowser(service).go('GET', `/oauth/authorize?${authorizeQuery(web, pkce().challenge)}&client_id=${native}`)
    expect(twice).toMatchObject({ status: 400, location: '' })
  })
})

describe('a decision', () => {
  const begin = async (browser = openBrowser(service)) => {
    await browser.signIn(service)
    const { location } = await browser.go('GET', `/oauth/authorize?${authorizeQuery(native, pkce().challenge)}`)
    return { browser, location }
  }
  const count = async () => (await service.database.execute('select id from oauth_grants')).length

  it('is not taken from another site, another browser, without a session, or for another team', async () => {
    const before = await count()
    const { browser, location } = await begin()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = { act: 'allow', team: service.teamId }
    expect((await visit(service, 'POST', location, { cookie, origin: 'https://evil.example', form })).status).toBe(403)
    expect((await visit(service, 'POST', location, { cookie, origin: null, form })).status).toBe(403)
    const stranger = openBrowser(service)
    await stranger.signIn(service)
    expect((await stranger.go('POST', location, form)).status).toBe(410)
    expect((await browser.go('POST', location, { act: 'allow', team: service.other.teamId })).location).toBe(`${location}?again=1`)
    browser.cookies.delete('posthaste-console')
    expect((await browser.go('POST', location, form)).location).toBe(`${location}?again=1`)
    expect(await count()).toBe(before)
  })

  it('is taken only in the browser that began, also if all other cookies were planted in another', async () => {
    const before = await count()
    const { browser: attacker, location } = await begin()
    const victim = openBrowser(service)
    for (const [name, value] of attacker.cookies) if (name !== 'posthaste-browser') victim.cookies.set(name, value)
    await victim.signIn(service)
    expect((await victim.go('GET', location)).status).toBe(410)
    expect((await victim.go('POST', location, { act: 'allow', team: service.teamId })).status).toBe(410)
    expect(await count()).toBe(before)

    const { location: resume } = await attacker.go('POST', location, { act: 'allow', team: service.teamId })
    for (const [name, value] of attacker.cookies) if (name !== 'posthaste-browser') victim.cookies.set(name, value)
    expect(await victim.go('GET', resume)).toMatchObject({ status: 400, location: '' })
    expect(new URL((await attacker.go('GET', resume)).location).searchParams.get('code')).toMatch(/./)
  })

  it('is bound over TLS by a cookie that no other host can plant', async () => {
    const secure = await startTestService({ environment: { PUBLIC_URL: 'https://mail.example' } })
    try {
      const { headers } = await openBrowser(secure).go('GET', `/oauth/authorize?${authorizeQuery(BUILT_IN_CLIENT, pkce().challenge)}`)
      const [line] = headers.getSetCookie().filter((each) => each.includes('posthaste-browser'))
      expect(line).toMatch(/^__Host-posthaste-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    } finally {
      await secure.close()
    }
  })

  it('is taken once, also when it comes twice at once', async () => {
    const before = await count()
    const { browser, location } = await begin()
    const answers = await Promise.all([1, 2, 3].map(() => browser.go('POST', location, { act: 'allow', team: service.teamId })))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410])
    expect(await count()).toBe(before + 1)
    expect((await browser.go('GET', location)).status).toBe(410)
  })

  it('about one program does not touch another that waits', async () => {
    const { browser, location: first } = await begin()
    const { location: second } = await begin(browser)
    expect(second).not.toBe(first)
    // A browser sends the cookie of each page with that page only.
    expect((await browser.go('POST', first, { act: 'allow', team: service.teamId })).status).toBe(410)
    expect((await browser.go('POST', second, { act: 'refuse' })).status).toBe(303)
  })
})
