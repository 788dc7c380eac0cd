// The session of a person as a credential of operations: which requests it opens, what no answer to it does, and how it is counted and logged.
import { beforeAll, describe, expect, it } from 'vitest'
import { createContact, newAddress } from '../../../support/builders/contacts.ts'
import { send, UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { openStream } from '../../../support/clients/console.ts'
import { callAs, OWN_PAGE, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { forEvery } from '../../../support/for-every.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const TOPIC = { name: 'Ours', default_subscription: 'opt_in' }
const ELSEWHERE = 'The session of a person is taken from pages of this installation only, and this request came from none.'
const NO_HEADER = /needs the header `Posthaste-Console: 1`/

const service = shared(() => startTestService())
let ada: SignedInPerson
beforeAll(async () => {
  ada = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
})

/** A request with the cookie and nothing else but these headers. */
const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  service.call(method, path, { token: null, headers: { cookie: ada.cookie, ...headers }, ...(body !== undefined && { body }) })

const topics = async (): Promise<number> => ((await service.call('GET', '/topics')).body as { data: unknown[] }).data.length

const OTHER_ORIGINS: [string, () => string][] = [
  ['null', () => 'null'],
  ['another host', () => 'https://evil.example'],
  ['another port', () => service.url.replace(/\d+$/, '1')],
  ['another scheme', () => service.url.replace('http:', 'https:')],
  ['no origin at all', () => 'x'],
]

describe('the cookie of a session', () => {
  it.each<[string, Record<string, string>]>([
    ['no header of ours', {}],
    ['no header of ours, from a page of ours', { 'sec-fetch-site': 'same-origin' }],
    ['another value of it', { ...OWN_PAGE, 'posthaste-console': 'true' }],
  ])('opens nothing with %s', async (_what, headers) => {
    for (const [method, path] of [
      ['GET', '/topics'],
      ['HEAD', '/topics'],
      ['GET', '/me'],
      ['POST', '/me/confirmation'],
    ] as const) {
      const { status, text } = await ask(method, path, headers)
      expect({ status, path }).toEqual({ status: 403, path })
      if (method !== 'HEAD') expect(text).toMatch(NO_HEADER)
    }
  })

  it('opens what reads with the header alone, and what writes with a proof of where it comes from', async () => {
    const header = { 'posthaste-console': '1' }
    expect((await ask('GET', '/topics', header)).status).toBe(200)
    expect(await ask('POST', '/topics', header, TOPIC)).toMatchObject({ status: 403, body: { message: ELSEWHERE } })
    for (const proof of [{ 'sec-fetch-site': 'same-origin' }, { origin: service.url }, { origin: 'http://localhost:3000' }])
      expect((await ask('POST', '/topics', { ...header, ...proof }, TOPIC)).status).toBe(201)
  })

  it.each(OTHER_ORIGINS)('is refused from the origin %s, whatever else the request has', async (_what, origin) => {
    const before = await topics()
    for (const site of [{}, { 'sec-fetch-site': 'same-origin' }]) {
      const headers = { 'posthaste-console': '1', ...site, origin: origin() }
      expect(await ask('GET', '/topics', headers)).toMatchObject({ status: 403, body: { message: ELSEWHERE } })
      expect(await ask('POST', '/topics', headers, TOPIC)).toMatchObject({ status: 403, body: { message: ELSEWHERE } })
    }
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await ask('POST', '/topics', { ...OWN_PAGE, 'sec-fetch-site': site }, TOPIC)).status).toBe(403)
    expect(await topics()).toBe(before)
  })

  it.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b', 'text/plain'])(
    'sends no form of another site to an operation: %s',
    async (type) => {
      const before = await topics()
      for (const origin of OTHER_ORIGINS.map(([, one]) => one()))
        expect((await ask('POST', '/topics', { 'content-type': type, origin }, JSON.stringify(TOPIC))).status).toBe(403)
      expect(await topics()).toBe(before)
    },
  )

  it('opens no stream and no socket to a page of another site', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    }
    const sites = ['cross-site', 'same-site', 'none'].map((site) => ({ 'sec-fetch-site': site }))
    for (const headers of [...OTHER_ORIGINS.map(([, origin]) => ({ origin: origin() })), ...sites, {}]) {
      for (const path of ['/live', '/topics']) {
        for (const asking of [upgrade, { accept: 'text/event-stream' }]) {
          const asked = await openStream(service, path, { cookie: ada.cookie, headers: { ...asking, ...headers } })
          expect({ path, headers, status: asked.status }).toEqual({ path, headers, status: 403 })
          asked.close()
        }
      }
    }
  })

  it('signs no one out, and confirms nothing, by a form of another site', async () => {
    const type = 'application/x-www-form-urlencoded'
    for (const path of ['/console/sign-out', '/console/confirm/code', '/console/confirm'])
      for (const origin of OTHER_ORIGINS.map(([, one]) => one()))
        expect({ path, origin, status: (await ask('POST', path, { 'content-type': type, origin }, 'code=1')).status }).toEqual({
          ...{ path, origin },
          status: 403,
        })
    expect((await callAs(service, ada, 'GET', '/me')).status).toBe(200)
  })

  it('is not read beside another credential', async () => {
    const both = (token: string, headers = {}) => service.call('GET', '/topics', { token, headers: { cookie: ada.cookie, ...headers } })
    expect((await both(service.token)).status).toBe(200)
    expect((await both(service.token, { origin: 'https://evil.example' })).status).toBe(200)
    expect((await both('re_nobody', OWN_PAGE)).status).toBe(403)
    expect((await both(service.sendingToken, OWN_PAGE)).status).toBe(401)
    expect((await ask('GET', '/topics', { ...OWN_PAGE, authorization: 'Basic YTpi' })).status).toBe(401)
    const other = await both(service.other.token, OWN_PAGE)
    expect((other.body as { data: unknown[] }).data).toEqual([])
  })

  it('changes nothing of what is public, of OAuth, and of what does not exist', async () => {
    const shown = await publicAddresses()
    for (const [method, path, host] of [
      ...['/', '/health', '/openapi.json', '/openapi.yaml', '/nothing', '/downloads/once/x', '/previews/x', '/console/assets/x.js'].map(
        get,
      ),
      ...['/oauth/authorize', '/oauth/authorize/x', '/oauth/jwks', '/.well-known/oauth-authorization-server'].map(get),
      ...['/oauth/token', '/oauth/revoke', '/oauth/register', '/oauth/device'].map((path) => ['POST', path] as const),
      ...['/t/ask?domain=links.acme.example', '/t/c/x', '/t/o/x'].flatMap((path) => [
        get(path),
        ['GET', path, 'links.acme.example'] as const,
      ]),
      ...shown.map(get),
    ] as (readonly [string, string, string?])[]) {
      const answers = []
      for (const headers of [
        {},
        { cookie: ada.cookie },
        { cookie: ada.cookie, ...OWN_PAGE },
        { cookie: 'posthaste_session=x', ...OWN_PAGE },
      ]) {
        const answer = await service.call(method, path, { token: null, headers: { ...headers, ...(host !== undefined && { host }) } })
        answers.push(
          JSON.stringify({ status: answer.status, text: answer.text, session: answer.headers.get('set-cookie')?.includes('session') }),
        )
      }
      expect({ path, answers: [...new Set(answers)] }).toEqual({ path, answers: [answers[0]] })
    }
    // What is shown was there, and not only refused alike.
    for (const path of shown)
      expect({ path, status: (await service.call('GET', path, { token: null })).status }).toEqual({ path, status: 200 })
  })

  const get = (path: string) => ['GET', path] as const

  /** Pages and files for anyone who has their address: a shared email, an image in it, an attachment, and the page on which people unsubscribe. */
  async function publicAddresses(): Promise<string[]> {
    const content = 'iVBORw0KGgo='
    const file = { filename: 'logo.png', content, content_id: 'logo', content_type: 'image/png' }
    const id = await send(service, { html: '<img src="cid:logo">', attachments: [file] })
    const pathOf = (url: string) => new URL(url).pathname
    const { url } = (await service.call('POST', `/emails/${id}/share`)).body as { url: string }
    const { data } = (await service.call('GET', `/emails/${id}/attachments`)).body as { data: { download_url: string }[] }
    const { body: preview } = await callAs(service, ada, 'POST', '/previews', { html: '<img src="cid:logo">', email_id: id })
    const frame = await service.call('GET', (preview as { url: string }).url, { token: null })
    const image = /src="(\/images\/[^"]+)"/.exec(frame.text)?.[1] ?? ''
    const contact = await createContact(service, { email: newAddress() })
    const { body: link } = await service.call('GET', `/contacts/${contact}/unsubscribe-link`)
    return [pathOf(url), pathOf(data[0]?.download_url ?? 'x:/'), image, pathOf((link as { url: string }).url)]
  }
})

describe('an answer to a session', () => {
  it('is kept by no cache, whatever it is, and read by no other site', async () => {
    const answers = [
      await callAs(service, ada, 'GET', '/topics'),
      await callAs(service, ada, 'GET', '/me'),
      await callAs(service, ada, 'GET', '/topics/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff'),
      await callAs(service, ada, 'POST', '/topics', {}),
      await callAs(service, ada, 'GET', '/audit-log?format=csv'),
      await callAs(service, ada, 'GET', '/nothing'),
      await ask('GET', '/topics', {}),
      await service.call('GET', '/topics', { token: ada.documentationToken ?? '' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 422, 200, 404, 403, 200])
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toContain('no-store')
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    const preflight = {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'posthaste-console',
    }
    const asked = await ask('OPTIONS', '/topics', preflight)
    expect([...asked.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
  })
})

it('keeps no answer of any operation that reads in a cache', async () => {
  const operations = (service.service.app?.operations ?? []).filter(({ method, isStream }) => method === 'GET' && !isStream)
  const eve = await signInPerson(service, 'eve', { roles: { [service.teamId]: 'owner' } })
  await forEvery(operations, async ({ path }) => {
    const { status, headers } = await callAs(service, eve, 'GET', path.replaceAll(/:\w+/g, UNKNOWN_ID))
    expect({ path, status: status < 500, cache: headers.get('cache-control') }).toEqual({
      ...{ path, status: true },
      cache: expect.stringContaining('no-store'),
    })
  })
  expect(operations.length).toBeGreaterThan(60)
})

describe('what a session asks', () => {
  it('is counted for its person, and takes nothing of the limit of the team', async () => {
    const limited = await startTestService({ environment: { RATE_LIMIT_PER_SECOND: '2' }, clock: createMovingClock() })
    try {
      const roles = { [limited.teamId]: 'owner' as const }
      const [one, other] = [await signInPerson(limited, 'one', { roles }), await signInPerson(limited, 'other', { roles })]
      for (let count = 1; count <= 25; count += 1) {
        expect((await callAs(limited, one, 'GET', '/topics')).status).toBe(200)
        expect((await callAs(limited, one, 'GET', '/me')).headers.get('ratelimit-limit')).toBe('50')
      }
      const refused = await callAs(limited, one, 'GET', '/topics')
      expect(refused).toMatchObject({ status: 429, body: { message: 'You may make 50 requests a second. Please wait and try again.' } })
      expect((await callAs(limited, other, 'GET', '/topics')).status).toBe(200)
      for (const status of [200, 200, 429]) expect((await limited.call('GET', '/topics')).status).toBe(status)
    } finally {
      await limited.close()
    }
  })

  it('is logged with its person if it may change something, and not if it reads', async () => {
    const { requestLogs } = service.service.context.repositories
    await callAs(service, ada, 'POST', '/topics', { ...TOPIC, name: 'Logged' })
    await callAs(service, ada, 'POST', '/topics', {})
    await callAs(service, ada, 'GET', '/topics')
    await callAs(service, ada, 'GET', '/topics/0193a5c2-7d4e-7b1a-9c3f-2e5d8a6bffff')
    await service.call('GET', '/segments')
    await requestLogs.flush()
    type Logged = { id: string; method: string; endpoint: string; response_status: number; person: unknown }
    const list = async (query = '') => ((await callAs(service, ada, 'GET', `/logs?limit=3${query}`)).body as { data: Logged[] }).data
    const person = { id: ada.id, email: 'ada@people.example' }
    const newest = await list()
    expect(newest).toMatchObject([
      { method: 'GET', endpoint: '/segments', person: null },
      { method: 'POST', endpoint: '/topics', response_status: 422, person },
      { method: 'POST', endpoint: '/topics', response_status: 201, person },
    ])
    expect((await list('&path=/topics&status=422'))[0]).toMatchObject({ person })
    expect((await service.call('GET', `/logs/${newest[1]?.id}`)).body).toMatchObject({ method: 'POST', person })
  })
})
