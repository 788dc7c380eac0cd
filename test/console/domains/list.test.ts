import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Failure } from '../../../src/lib/failure.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
const service = shared(() => startTestService({ environment: { MAIL_HOSTNAME: 'mx.posthaste.example' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

beforeEach(() => service.database.execute('truncate domains, domain_records cascade'))

const look = (path = '/console/domains') => visit(service, 'GET', path, { cookie })
const add = (form: Record<string, string>, more: object = {}) =>
  visit(service, 'POST', '/console/domains', { cookie, form: { ...AS_SHOWN, ...form }, ...more })
/** The form before anyone types. */
const AS_SHOWN = { name: '', custom_return_path: 'send', tracking_subdomain: '', tls: 'opportunistic', sending: 'on' }

const rowsOf = ({ text }: Seen) =>
  [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)<\/a><\/th><td><span class="state (\w+)">([^<]*)</g)].map(([, ...row]) => row)
const problemOf = ({ status, text }: Seen) => ({
  status,
  problem: /role="alert"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replace(/<\/?code>/g, '`') ?? null,
})
const typedIn = ({ text }: Seen, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1]
const stored = () => service.database.execute<{ name: string }>('select name from domains')

/** Domains that were registered one after the other. */
async function store(names: string[], teamId = service.teamId, status = 'verified'): Promise<string[]> {
  const rows = await service.database.execute<{ id: string }>(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, created_at)
     select ('0193a5c2-7d4e-7b1a-9c3f-' || lpad(place::text, 12, '0'))::uuid, $1, name, name, 'us-east-1', 'opportunistic', 'send', false, false, true, false, $3, now()
     from unnest($2::text[]) with ordinality as named (name, place) returning id`,
    [teamId, names, status],
  )
  return rows.map(({ id }) => id)
}

describe('the list of domains', () => {
  it('says how to add the first one', async () => {
    const { status, text } = await look()
    expect(status).toBe(200)
    expect(text).toContain('<h2>No domains yet</h2>')
    expect(text).toContain('<details class="sheet" id="add" open>')
  })

  it('shows the domains of the team, newest first, each with its state', async () => {
    await store(['first.example', 'second.example'])
    await service.database.execute(`update domains set status = 'partially_failed' where name = 'first.example'`)
    await service.call('POST', '/domains', { body: { name: 'theirs.example' }, token: service.other.token })
    const seen = await look()
    expect(rowsOf(seen)).toEqual([
      ['second.example', 'verified', 'verified'],
      ['first.example', 'partially_failed', 'partially failed'],
    ])
    expect(seen.text).not.toContain('theirs.example')
  })

  it('says when each is checked next', async () => {
    await store(['requested.example', 'due.example', 'later.example'])
    await service.database.execute(`update domains set check_due_at = now() - interval '1 second' where name = 'due.example'`)
    await service.database.execute(`update domains set check_due_at = '2101-02-03T04:05:06Z' where name = 'later.example'`)
    const { text } = await look()
    expect([...text.matchAll(/next check <\/span>(?:<time datetime="([^"]*)"|([^<]*)<)/g)].map(([, time, words]) => time ?? words)).toEqual(
      ['2101-02-03T04:05:06.000Z', 'now', 'on request'],
    )
  })

  it('has pages of 50, which lead to each other', async () => {
    await store(Array.from({ length: 120 }, (_, index) => `domain-${index + 1}.example`))
    const namesOf = (seen: Seen) => rowsOf(seen).map(([name]) => name)
    const link = ({ text }: Seen, rel: string) => new RegExp(`<a href="([^"]*)" rel="${rel}">`).exec(text)?.[1] ?? ''
    const first = await look()
    expect(namesOf(first)).toEqual(Array.from({ length: 50 }, (_, index) => `domain-${120 - index}.example`))
    expect(link(first, 'prev')).toBe('')
    const last = await look(link(await look(link(first, 'next')), 'next'))
    expect(namesOf(last)).toEqual(Array.from({ length: 20 }, (_, index) => `domain-${20 - index}.example`))
    expect(link(last, 'next')).toBe('')
    const middle = await look(link(last, 'prev'))
    expect(namesOf(middle)[0]).toBe('domain-70.example')
    expect((await look(link(middle, 'prev'))).location).toBe('/console/domains')
  })

  it('says that there is nothing older than the oldest', async () => {
    expect((await look('/console/domains?after=00000000-0000-7000-8000-000000000000')).text).toContain('There are no older domains.')
  })
})

describe('the form that adds a domain', () => {
  it('registers it as the API does, and shows its records', async () => {
    const { status, location } = await add({
      name: 'Mail.Example.com',
      tracking_subdomain: 'Links',
      receiving: 'on',
      click_tracking: 'on',
      tls: 'enforced',
    })
    const id = /^\/console\/domains\/([0-9a-f-]{36})$/.exec(location ?? '')?.[1] ?? ''
    expect(status).toBe(303)
    expect((await service.call('GET', `/domains/${id}`)).body).toMatchObject({
      ...{ name: 'mail.example.com', status: 'not_started', tls: 'enforced', open_tracking: false, click_tracking: true },
      ...{ tracking_subdomain: 'links', capabilities: { sending: 'enabled', receiving: 'enabled' } },
    })
    expect((await look(location ?? '')).text).toContain('<h1>mail.example.com</h1>')
  })

  it('takes empty advanced settings for the defaults', async () => {
    const { location } = await add({ name: 'example.com', custom_return_path: ' ' })
    expect((await service.call('GET', `/domains/${location?.split('/').at(-1)}`)).body).toMatchObject({
      tracking_subdomain: null,
      records: [{ name: 'send' }, { name: 'send' }, {}],
    })
  })

  it.each([
    [{ name: '' }, 422, 'The `name` field must name a domain, such as `example.com`.'],
    [{ name: '*.example.com' }, 422, 'The `name` field must name one domain, such as `example.com`: a wildcard is not accepted.'],
    [{ name: 'mx.posthaste.example' }, 422, 'The `name` field must be a domain of your own: this is a name of this server.'],
    [{ name: 'a.example', sending: '' }, 422, 'The `capabilities` field must leave sending or receiving enabled.'],
    [{ name: 'a.example', tracking_subdomain: 'send' }, 422, 'The `tracking_subdomain` field must differ from `custom_return_path`.'],
    [{ name: 'a.example', tls: 'never' }, 422, 'The `tls` field must be one of: `opportunistic`, `enforced`. It is &quot;never&quot;.'],
    [{ name: 'a.example', custom_return_path: 'a'.repeat(64) }, 422, 'The `custom_return_path` field must have at most 63 characters.'],
    [{ name: 'taken.example' }, 403, 'The domain `taken.example` is already registered. Use the one that you have.'],
  ])('answers %j with the sentence of the API beside it', async (form, status, problem) => {
    await store(['taken.example'])
    expect(problemOf(await add(form))).toEqual({ status, problem })
    expect(await stored()).toEqual([{ name: 'taken.example' }])
  })

  it('refuses a name that cannot be stored with a sentence', async () => {
    const { status, text } = await add({ name: 'a\0b.example' })
    expect(status).toBe(422)
    expect(text).toContain('The `name` field holds a NUL')
  })

  it.each(['a b.example', '😀'.repeat(80)])('refuses the name %j with a sentence', async (name) => {
    expect(problemOf(await add({ name }))).toEqual({ status: 422, problem: expect.stringMatching(/^The `name` field /) })
  })

  it('keeps what was typed, as text', async () => {
    const seen = await add({
      name: '"><script>alert(1)</script>',
      custom_return_path: 'bounces',
      tracking_subdomain: 'links',
      tls: 'enforced',
      receiving: 'on',
      sending: '',
    })
    expect(seen.status).toBe(422)
    expect(['name', 'custom_return_path', 'tracking_subdomain'].map((name) => typedIn(seen, name))).toEqual([
      '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
      'bounces',
      'links',
    ])
    expect(seen.text).toContain('<option value="enforced" selected>')
    expect([...seen.text.matchAll(/name="(\w+)" value="on" checked/g)].map(([, name]) => name)).toEqual(['receiving'])
    expect(seen.text).not.toContain('<script>alert')
  })

  it('leads to the field that is wrong', async () => {
    const name = await add({ name: 'com' })
    expect(name.text).toMatch(/<input id="name"[^>]* aria-invalid="true" autofocus aria-describedby="problem name-hint">/)
    expect(name.text).toContain('<details id="advanced">')
    const advanced = await add({ name: 'a.example', tracking_subdomain: 'send' })
    expect(advanced.text).toMatch(/<input id="tracking_subdomain"[^>]* aria-invalid="true" autofocus/)
    expect(advanced.text).toContain('<details id="advanced" open>')
    const none = await add({ name: 'a.example', sending: '' })
    expect(none.text).toContain('<p class="wrong" id="problem" role="alert" tabindex="-1" autofocus>')
    expect(none.text).toContain('<fieldset class="refused" aria-describedby="problem">')
  })

  it('keeps what was typed while no key can be made, and says when to try again', async () => {
    const busy = new Failure('unavailable', 'Too many keys are being made.', { retryAfterSeconds: 5 })
    const makeKey = vi.spyOn(service.service.context, 'makeDkimKey').mockRejectedValue(busy)
    const seen = await add({ name: 'later.example' })
    makeKey.mockRestore()
    expect({ ...problemOf(seen), retryAfter: seen.headers.get('retry-after'), name: typedIn(seen, 'name') }).toEqual({
      ...{ status: 503, problem: 'Too many keys are being made.', retryAfter: '5', name: 'later.example' },
    })
  })

  it.each(['https://evil.example', 'null', null])('is not taken from %s', async (origin) => {
    expect((await add({ name: 'forged.example' }, { origin })).status).toBe(403)
    expect(await stored()).toEqual([])
  })

  it('is not taken without a session, also with a key', async () => {
    const headers = { authorization: `Bearer ${service.token}` }
    expect(await add({ name: 'a.example' }, { cookie: null, headers })).toMatchObject({ status: 303, location: '/console/sign-in' })
    expect(await stored()).toEqual([])
  })

  it('refuses a form that is far too large, with a page', async () => {
    const seen = await add({ name: 'x'.repeat(9_000) })
    expect({ status: seen.status, isSaid: seen.text.includes('<p>The request body is too large.</p>') }).toEqual({
      status: 413,
      isSaid: true,
    })
  })
})

it('finds nothing at the address of an unknown domain, whatever is asked for', async () => {
  for (const id of [UNKNOWN_ID, 'none', 'x'.repeat(90)])
    for (const [method, act] of [
      ['GET', ''],
      ['GET', '/progress'],
      ['GET', '/delete'],
      ['GET', '/verify'],
      ['POST', '/verify'],
      ['POST', '/settings'],
      ['POST', '/delete'],
    ] as const) {
      const path = `/console/domains/${id}${act}`
      const { status, text } = await visit(service, method, path, { cookie, ...(method === 'POST' && { form: {} }) })
      expect({ path, status, isSaid: text.includes('<p>Domain not found</p>') }).toEqual({ path, status: 404, isSaid: true })
    }
})
