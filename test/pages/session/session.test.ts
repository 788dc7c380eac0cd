import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../../src/lib/tokens.ts'
import { createSignInLink } from '../../../src/services/create-sign-in-link.ts'
import { send, UNKNOWN_ID } from '../../support/builders/email-builders.ts'
import { signIn, signInFor, visit } from '../../support/clients/console-visitor.ts'
import { createMovingClock, type MovingClock } from '../../support/clocks/moving-clock.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const HOUR_MS = 60 * 60 * 1_000

let service: TestService
let clock: MovingClock

beforeAll(async () => {
  clock = createMovingClock()
  service = await startTestService({ clock })
})
afterAll(() => service.close())

const holderOf = async (token: string) => {
  const holder = await service.service.context.repositories.apiKeys.recognizeAcrossTeams(digestOf(token))
  if (!holder) throw new Error('The key of a test is not known')
  return holder
}

/** A one-time link as its path. */
const linkFor = async (token: string) => new URL(await createSignInLink(service.service.context, await holderOf(token))).pathname

const FORGOTTEN = 'posthaste-console=; Max-Age=0; Path=/console; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict'
const toSignIn = { status: 303, location: '/console/sign-in' }
const toSignInFor = (path: string) => ({ status: 303, location: signInFor(path) })
const where = ({ status, location }: { status: number; location: string | null }) => ({ status, location })
const refusal = ({ status, cookie, text }: { status: number; cookie: string | null; text: string }) => ({
  status,
  cookie,
  problem: /role="alert">([^<]*)</.exec(text)?.[1],
})

describe('every page but those for signing in', () => {
  const PATHS = [
    '/console',
    '/console/overview/progress',
    '/console/sessions',
    '/console/operation',
    '/console/emails',
    '/console/emails/',
    '/console/emails/lines',
    `/console/emails/${UNKNOWN_ID}`,
    `/console/emails/${UNKNOWN_ID}/progress`,
    `/console/emails/${UNKNOWN_ID}/html`,
    `/console/emails/${UNKNOWN_ID}/message`,
    `/console/emails/${UNKNOWN_ID}/attachments/${UNKNOWN_ID}`,
    '/console/domains',
    `/console/domains/${UNKNOWN_ID}`,
    `/console/domains/${UNKNOWN_ID}/progress`,
    `/console/domains/${UNKNOWN_ID}/delete`,
    `/console/domains/${UNKNOWN_ID}/verify`,
    `/console/domains/${UNKNOWN_ID}/settings`,
  ]

  it.each(PATHS)('%s leads to the sign-in page without a session', async (path) => {
    expect(where(await visit(service, 'GET', path))).toEqual(toSignInFor(path))
  })

  it('takes an API key for a session nowhere but on the sign-in page', async () => {
    const seen = await visit(service, 'GET', '/console/emails', { headers: { authorization: `Bearer ${service.token}` } })
    expect(where(seen)).toEqual(toSignInFor('/console/emails'))
  })
})

describe('POST /console/sign-in', () => {
  it('begins a session of 12 hours for a key with full access, in a cookie that scripts and other sites cannot use', async () => {
    const seen = await visit(service, 'POST', '/console/sign-in', { form: { api_key: ` ${service.token}\n` } })

    expect(where(seen)).toEqual({ status: 303, location: '/console' })
    expect(seen.cookie).toMatch(/^posthaste-console=1\.[\w-]+\.[\w-]{43}; Max-Age=43200; Path=\/console; HttpOnly; SameSite=Strict$/)
    expect(seen.cookie).not.toContain(service.token)
    const cookie = seen.cookie?.split(';', 1)[0] ?? null
    expect((await visit(service, 'GET', '/console/emails', { cookie })).status).toBe(200)
  })

  it.each([
    ['a key that no one has', { api_key: `re_${'x'.repeat(30)}` }],
    ['what is no key at all', { api_key: "' or 1=1 --" }],
    ['an empty field', { api_key: '' }],
    ['a form without the field', { other: 'x' }],
    ['a field called __proto__', { ['__proto__']: 'x' }],
  ])('says that %s is not valid, and begins nothing', async (_what, form) => {
    const seen = await visit(service, 'POST', '/console/sign-in', { form })
    expect(refusal(seen)).toEqual({ status: 403, cookie: null, problem: 'This API key is not valid. It may have been deleted.' })
    expect(seen.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('refuses a key that may only send', async () => {
    const seen = await visit(service, 'POST', '/console/sign-in', { form: { api_key: service.sendingToken } })
    expect(refusal(seen)).toEqual({ status: 403, cookie: null, problem: 'This API key may only send emails. Use one with full access.' })
  })

  it('never writes what was typed into the page', async () => {
    const typed = 're_"><img src=x onerror=alert(1)>xxxx'
    expect((await visit(service, 'POST', '/console/sign-in', { form: { api_key: typed } })).text).not.toContain('onerror')
  })

  it('refuses a form of more than 4 KB with a page', async () => {
    const seen = await visit(service, 'POST', '/console/sign-in', { form: { api_key: 'x'.repeat(5_000) } })
    expect(seen.status).toBe(413)
    expect(seen.text).toContain('<p>The request body is too large.</p>')
  })
})

describe('a form that another site sends', () => {
  it.each([
    ['from another origin', 'https://evil.example'],
    ['from another port of the same name', 'http://127.0.0.1:1'],
    ['from a page of no origin', 'null'],
    ['without an origin', null],
    ['from what is no URL', 'evil'],
  ])('is refused %s, on every form', async (_from, origin) => {
    const link = await linkFor(service.token)
    const cookie = await signIn(service)
    for (const path of ['/console/sign-in', '/console/sign-out', link]) {
      const seen = await visit(service, 'POST', path, { origin, cookie, form: { api_key: service.token } })
      expect({ status: seen.status, cookie: seen.cookie }).toEqual({ status: 403, cookie: null })
      expect(seen.text).toContain('This form was not sent from a page of ours.')
    }
    // Nothing of it was carried out.
    expect((await visit(service, 'POST', link)).status).toBe(303)
  })

  it('is taken from PUBLIC_URL, which a proxy may call by another name', async () => {
    const seen = await visit(service, 'POST', '/console/sign-in', { origin: 'http://localhost:3000', form: { api_key: service.token } })
    expect(seen.status).toBe(303)
  })
})

describe('a form where PUBLIC_URL is https', () => {
  let secure: TestService
  beforeAll(async () => {
    secure = await startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } })
  })
  afterAll(() => secure.close())

  it.each([
    ['https://mail.example.com', 'mail.example.com', 303],
    ['http://mail.example.com', 'mail.example.com', 403],
    ['https://other.example.com', 'other.example.com', 403],
    ['http://127.0.0.1:3000', '127.0.0.1:3000', 303],
    ['http://127.0.0.1:3000', '127.0.0.1:3001', 403],
    ['ftp://127.0.0.1', '127.0.0.1', 403],
  ])('from %s, sent to %s: %s', async (origin, host, status) => {
    const answer = await secure.service.app?.inject({
      method: 'POST',
      url: '/console/sign-in',
      headers: { origin, host, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ api_key: secure.token }).toString(),
    })
    expect(answer?.statusCode).toBe(status)
  })

  it('begins a session whose cookie has the __Host- prefix and Secure, and forgets it by the same name', async () => {
    const origin = 'https://mail.example.com'
    const entered = await visit(secure, 'POST', '/console/sign-in', { origin, form: { api_key: secure.token } })
    expect(entered.cookie).toMatch(/^__Host-posthaste-console=[\w.-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
    const cookie = entered.cookie?.split(';', 1)[0] ?? null
    expect((await visit(secure, 'GET', '/console/emails', { cookie })).status).toBe(200)

    const left = await visit(secure, 'POST', '/console/sign-out', { origin, cookie })
    expect(left.cookie).toBe(
      '__Host-posthaste-console=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Strict',
    )
    expect(where(await visit(secure, 'GET', '/console/emails', { cookie }))).toEqual(toSignInFor('/console/emails'))
  })
})

describe('signing out while the database is away', () => {
  it('says so, and the browser forgets the session nevertheless', async () => {
    const cookie = await signIn(service)
    const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    const remove = vi.spyOn(service.service.context.repositories.sessions, 'remove').mockRejectedValueOnce(away)
    const seen = await visit(service, 'POST', '/console/sign-out', { cookie })
    remove.mockRestore()
    expect({ status: seen.status, cookie: seen.cookie }).toEqual({
      status: 503,
      cookie: FORGOTTEN,
    })
  })
})

describe('a session', () => {
  it.each<[string, (cookie: string) => string]>([
    ['a changed signature', (cookie) => `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`],
    ['a changed content', (cookie) => cookie.replace(/\.(.)/, (_all, first: string) => `.${first === 'e' ? 'f' : 'e'}`)],
    ['another version of the key', (cookie) => cookie.replace('=1.', '=2.')],
    ['nothing in it', () => 'posthaste-console='],
    ['rubbish in it', () => 'posthaste-console=%00;;=; a'],
    ['another name', (cookie) => cookie.replace('posthaste-console', 'posthaste-console2')],
  ])('is none with %s', async (_what, change) => {
    const cookie = change(await signIn(service))
    expect(where(await visit(service, 'GET', '/console/emails', { cookie }))).toEqual(toSignInFor('/console/emails'))
  })

  it('is none with a token that was signed for something else', async () => {
    const { links } = service.service.context
    const holder = await holderOf(service.token)
    const tomorrow = new Date(clock.now().getTime() + 24 * HOUR_MS)
    for (const purpose of ['share', 'download', 'inline-image'] as const) {
      const cookie = `posthaste-console=${links.sign(purpose, holder, tomorrow)}`
      expect(where(await visit(service, 'GET', '/console/emails', { cookie }))).toEqual(toSignInFor('/console/emails'))
    }
  })

  it('is found among other cookies', async () => {
    const cookie = `a=b; ${await signIn(service)}; c=d`
    expect((await visit(service, 'GET', '/console/emails', { cookie })).status).toBe(200)
  })

  it('ends at once when its key is deleted, and only then', async () => {
    const token = await service.createKey(service.teamId)
    const { apiKeyId } = await holderOf(token)
    const [ended, kept] = [await signIn(service, token), await signIn(service)]
    expect((await visit(service, 'GET', '/console/emails', { cookie: ended })).status).toBe(200)

    await service.call('DELETE', `/api-keys/${apiKeyId}`)

    expect(where(await visit(service, 'GET', '/console/emails', { cookie: ended }))).toEqual(toSignInFor('/console/emails'))
    expect((await visit(service, 'GET', '/console/emails', { cookie: kept })).status).toBe(200)
  })

  it('ends after 12 hours', async () => {
    const cookie = await signIn(service)
    clock.advance(12 * HOUR_MS - 1)
    expect((await visit(service, 'GET', '/console/emails', { cookie })).status).toBe(200)
    clock.advance(1)
    expect(where(await visit(service, 'GET', '/console/emails', { cookie }))).toEqual(toSignInFor('/console/emails'))
  })

  it('does not open the API, which takes keys only', async () => {
    const cookie = await signIn(service)
    const { status } = await service.call('GET', '/emails', { token: null, headers: { cookie } })
    expect(status).toBe(401)
  })

  it('ends by signing out: its cookie no longer opens anything, and other sessions continue', async () => {
    const [ended, kept] = [await signIn(service), await signIn(service)]
    const seen = await visit(service, 'POST', '/console/sign-out', { cookie: ended })
    expect({ ...where(seen), cookie: seen.cookie }).toEqual({
      ...toSignIn,
      cookie: FORGOTTEN,
    })
    for (const path of ['/console/emails', '/console/emails/lines', `/console/emails/${UNKNOWN_ID}/html`])
      expect(where(await visit(service, 'GET', path, { cookie: ended }))).toEqual(toSignInFor(path))
    expect((await visit(service, 'GET', '/console/emails', { cookie: kept })).status).toBe(200)
  })

  it('ends when its browser signs in again', async () => {
    const first = await signIn(service)
    const again = await visit(service, 'POST', '/console/sign-in', { cookie: first, form: { api_key: service.token } })
    expect(again.status).toBe(303)
    expect(where(await visit(service, 'GET', '/console/emails', { cookie: first }))).toEqual(toSignInFor('/console/emails'))
    expect((await visit(service, 'GET', '/console/emails', { cookie: again.cookie?.split(';', 1)[0] ?? null })).status).toBe(200)
  })

  it('is ended by no other team', async () => {
    const [mine, theirs] = [await signIn(service), await signIn(service, service.other.token)]
    await visit(service, 'POST', '/console/sign-out', { cookie: theirs })
    expect((await visit(service, 'GET', '/console/emails', { cookie: mine })).status).toBe(200)

    // The secret of a session opens nothing under another team, even with a signature of ours.
    const { links } = service.service.context
    const payload = links.open('session', mine.slice(mine.indexOf('=') + 1))
    const forged = links.sign('session', { ...payload, teamId: service.other.teamId }, new Date(clock.now().getTime() + HOUR_MS))
    expect(where(await visit(service, 'GET', '/console/emails', { cookie: `posthaste-console=${forged}` }))).toEqual(
      toSignInFor('/console/emails'),
    )
    await visit(service, 'POST', '/console/sign-out', { cookie: `posthaste-console=${forged}` })
    expect((await visit(service, 'GET', '/console/emails', { cookie: mine })).status).toBe(200)
  })

  it('is stored as a digest only', async () => {
    const cookie = await signIn(service)
    const { secret } = service.service.context.links.open('session', cookie.slice(cookie.indexOf('=') + 1))
    const rows = await service.database.execute<{ row: string }>('select s::text as row from sessions s')
    expect(secret).toEqual(expect.stringMatching(/^[\w-]{43}$/))
    expect(rows.map(({ row }) => row).join()).toContain(digestOf(String(secret)))
    expect(rows.map(({ row }) => row).join()).not.toContain(String(secret))
  })

  it('is none with a cookie of an older version, which names a key alone', async () => {
    const { links } = service.service.context
    const old = links.sign('session', await holderOf(service.token), new Date(clock.now().getTime() + HOUR_MS))
    expect(where(await visit(service, 'GET', '/console/emails', { cookie: `posthaste-console=${old}` }))).toEqual(
      toSignInFor('/console/emails'),
    )
  })
})

describe('a link that signs in once', () => {
  it('is not used up by being opened, signs in once by its button, and never again', async () => {
    const link = await linkFor(service.token)
    const opened = await visit(service, 'GET', link)
    expect({ status: opened.status, cookie: opened.cookie }).toEqual({ status: 200, cookie: null })
    expect(opened.text).toContain(`<form method="post" action="${link}">`)

    const used = await visit(service, 'POST', link)
    expect(where(used)).toEqual({ status: 303, location: '/console' })
    const cookie = used.cookie?.split(';', 1)[0] ?? null
    expect((await visit(service, 'GET', '/console/emails', { cookie })).status).toBe(200)

    for (const method of ['GET', 'POST'] as const) expect(refusal(await visit(service, method, link))).toEqual(USED_UP)
  })

  it('signs in exactly one of several that use it at the same moment', async () => {
    const link = await linkFor(service.token)
    const seen = await Promise.all(Array.from({ length: 4 }, () => visit(service, 'POST', link)))
    expect(seen.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(seen.filter(({ status, cookie }) => status === 403 && cookie === null)).toHaveLength(3)
  })

  it('signs in to the team that it was made for, until its key is deleted', async () => {
    await send(service, { subject: 'Ours' })
    await send(service, { subject: 'Theirs' }, { token: service.other.token })
    const { cookie } = await visit(service, 'POST', await linkFor(service.other.token))
    const { text } = await visit(service, 'GET', '/console/emails', { cookie: cookie?.split(';', 1)[0] ?? null })
    expect(text).toContain('Theirs')
    expect(text).not.toContain('Ours')

    const token = await service.createKey(service.other.teamId)
    const link = await linkFor(token)
    await service.call('DELETE', `/api-keys/${(await holderOf(token)).apiKeyId}`, { token: service.other.token })
    for (const method of ['GET', 'POST'] as const) expect(refusal(await visit(service, method, link))).toEqual(USED_UP)
  })

  it('is void after 24 hours, and its row goes with the next link', async () => {
    const [old, late] = [await linkFor(service.token), await linkFor(service.token)]
    clock.advance(24 * HOUR_MS - 1)
    expect((await visit(service, 'POST', old)).status).toBe(303)
    clock.advance(1)
    for (const method of ['GET', 'POST'] as const) expect(refusal(await visit(service, method, late))).toEqual(USED_UP)

    await linkFor(service.token)
    expect(await service.database.execute('select count(*)::int as links from sign_in_links')).toEqual([{ links: 1 }])
  })

  it('is stored as a digest only', async () => {
    const token = (await linkFor(service.token)).split('/').at(-1) ?? ''
    const rows = await service.database.execute<{ row: string }>('select l::text as row from sign_in_links l')
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(rows.map(({ row }) => row).join()).toContain(digestOf(token))
    expect(rows.map(({ row }) => row).join()).not.toContain(token)
  })

  const USED_UP = {
    status: 403,
    cookie: null,
    problem: 'This link was used already or has expired. Sign in with an API key.',
  }
})
