import { beforeEach, describe, expect, it } from 'vitest'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const HOUR_MS = 3_600_000

let cookie: string
const clock = createMovingClock()
const service = shared(() => startTestService({ clock, environment: { MAIL_HOSTNAME: 'mx.posthaste.example' } }))

beforeEach(async () => {
  await service.database.execute('truncate domains, domain_records cascade')
  cookie = await signIn(service)
})

type Shown = { record: string; name: string; type: string; value: string }
type Domain = { id: string; status: string; records: Shown[]; recommended_records: Shown[] }

async function register(body: object = {}, token = service.token): Promise<Domain> {
  return (await service.call('POST', '/domains', { body: { name: 'acme.example', ...body }, token })).body as Domain
}
const retrieve = async (id: string) => (await service.call('GET', `/domains/${id}`)).body as Domain
const look = (path: string, headers: Record<string, string> = {}) => visit(service, 'GET', `/console/domains/${path}`, { cookie, headers })
const act = (path: string, form: Record<string, string> = {}, more: object = {}) =>
  visit(service, 'POST', `/console/domains/${path}`, { cookie, form, ...more })

/** Records what a check finds of the domain: `right` for each record unless another finding is given for its kind. */
async function check(
  id: string,
  findings: Record<string, { verdict: 'absent' | 'other' | 'unknown'; found?: string[] }> = {},
): Promise<void> {
  const { domains, domainChecks } = service.service.context.repositories
  const domain = await domains.find(service.teamId, id)
  await domainChecks.record(
    service.teamId,
    id,
    (domain?.records ?? []).map((record) => ({ ...record, verdict: 'right', found: [], ...findings[record.kind] })),
  )
}

const codeOf = ({ text }: Seen, id: string) => new RegExp(`<code id="${id}">([^<]*)</code>`).exec(text)?.[1]?.replaceAll('&quot;', '"')
const partOf = ({ text }: Pick<Seen, 'text'>, id: string) =>
  new RegExp(`<div id="${id}"[^>]*>([\\s\\S]*?)</div>(?=</div>|</li>|\\n|<div|$)`).exec(text)?.[1] ?? ''
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
const statesOf = ({ text }: Seen) => [...text.matchAll(/<div id="state-\d+"><span class="state (\w+)">/g)].map(([, state]) => state)
const problemOf = ({ status, text }: Seen) => ({
  status,
  problem: /role="alert"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replace(/<\/?code>/g, '`') ?? null,
})
const noteOf = ({ text }: Seen) => /role="status">([^<]*)</.exec(text)?.[1]

describe('the page of a domain', () => {
  it('shows each record with its names, its value and its state, required ones first', async () => {
    const { id, records, recommended_records: recommended } = await register({ name: 'mail.acme.example', tracking_subdomain: 'links' })
    const seen = await look(id)
    const all = [...records, ...recommended]
    const texts = (part: string) => [...seen.text.matchAll(new RegExp(`<code id="${part}-\\d+">([^<]*)<`, 'g'))].map(([, text]) => text)
    expect({ names: texts('name'), values: texts('value') }).toEqual({
      names: all.map(({ name }) => name),
      values: all.map(({ value }) => value),
    })
    expect([...seen.text.matchAll(/whole name: <code>([^<]*)</g)].map(([, name]) => name)).toEqual(
      all.map(({ name }) => `${name}.acme.example`),
    )
    expect([...seen.text.matchAll(/<h([23])>([^<]*)/g)].map(([, level, words]) => `${level} ${words?.trim()}`)).toEqual([
      '2 Records to publish',
      '3 Return path',
      '3 SPF',
      '3 DKIM',
      '3 Tracking',
      '2 Recommended records',
      '3 DKIM Ed25519',
      '3 DMARC',
      '2 Settings',
      '2 Delete',
    ])
    expect(statesOf(seen)).toEqual(all.map(() => 'not_started'))
    expect(seen.text).toContain('<dt>Priority</dt><dd><code>10</code></dd>')
    expect(seen.text).toContain('The state of the domain does not wait for them.')
  })

  it('offers a long value in the pieces of a zone file too', async () => {
    const { id, records } = await register()
    const seen = await look(id)
    expect([...seen.text.matchAll(/<code id="(zone-\d+)">/g)].map(([, one]) => one)).toEqual(['zone-2'])
    const zone = codeOf(seen, 'zone-2') ?? ''
    expect(zone.startsWith('ph1._domainkey.acme.example. IN TXT (\n')).toBe(true)
    expect([...zone.matchAll(/"([^"]*)"/g)].map(([, piece]) => piece).join('')).toBe(records[2]?.value)
  })

  it('says what a button copies, and shows none without a script', async () => {
    const { id } = await register()
    const { text } = await look(id)
    const buttons = [...text.matchAll(/<button type="button"[^>]* data-copy="([^"]*)"[^>]* aria-label="([^"]*)" hidden>/g)].map(
      ([, ...parts]) => parts,
    )
    expect(buttons.slice(0, 2)).toEqual([
      ['name-0', 'Copy the name of the Return path record'],
      ['value-0', 'Copy the value of the Return path record'],
    ])
    expect(new Set(buttons.map(([, label]) => label)).size).toBe(11)
    expect(text.match(/data-copy/g)).toHaveLength(11)
  })

  it.each([
    [
      'not_started',
      {},
      'State not started Sending not ready Receiving disabled Last check none yet Next check when you ask for it Publish the records below with the provider of your DNS. Then verify the domain.',
    ],
    [
      'verified',
      null,
      expect.stringMatching(
        /^State verified Sending ready Receiving disabled Last check .* UTC \(less than a minute ago\) Next check .* UTC \(in \d+ (?:hours?|minutes?)\) The records are published\. They are checked at least once a day, next at the time above\.$/,
      ),
    ],
    [
      'pending',
      { SPF: { verdict: 'absent' } },
      expect.stringMatching(
        /^State pending Sending not ready .* Next check .* UTC \(in less than a minute\) The DNS is asked again and again until the records are found, for up to 72 hours\. This page updates itself\.$/,
      ),
    ],
  ] as const)('says what %s means and when the DNS is asked', async (status, findings, words) => {
    const { id } = await register()
    if (status !== 'not_started') {
      await act(`${id}/verify`)
      await check(id, findings ?? {})
    }
    expect((await retrieve(id)).status).toBe(status)
    expect(wordsOf(/<div id="standing"[^>]*>([\s\S]*?)<\/div>/.exec((await look(id)).text)?.[1] ?? '')).toEqual(words)
  })

  it('says what was found instead, and until when a record is looked for', async () => {
    const { id } = await register()
    await act(`${id}/verify`)
    await check(id, {
      ReturnPathMX: { verdict: 'other', found: ['10 mx.other.example', '20 mx2.other.example'] },
      SPF: { verdict: 'absent' },
    })
    const seen = await look(id)
    expect(statesOf(seen)).toEqual(['pending', 'pending', 'verified', 'verified', 'verified'])
    expect(wordsOf(partOf(seen, 'found-0'))).toMatch(
      /^Found at this name instead: 10 mx\.other\.example 20 mx2\.other\.example It fails if it is not found by .* UTC \.$/,
    )
    expect(wordsOf(partOf(seen, 'found-1'))).toMatch(/^Not found yet\. It fails if it is not found by .* UTC \.$/)
    expect(wordsOf(partOf(seen, 'found-2'))).toBe('')

    clock.advance(73 * HOUR_MS)
    cookie = await signIn(service)
    await check(id, { ReturnPathMX: { verdict: 'absent' }, SPF: { verdict: 'absent' } })
    const failed = await look(id)
    expect(statesOf(failed).slice(0, 2)).toEqual(['failed', 'failed'])
    expect(wordsOf(partOf(failed, 'found-0'))).toBe('Not found for 72 hours.')
    expect(failed.text).toContain('A record was not found for 72 hours. Publish it as shown below, then verify the domain.')
  })

  it('says of a verified record that it is missing', async () => {
    const { id } = await register()
    await act(`${id}/verify`)
    await check(id)
    await check(id, { DKIM: { verdict: 'absent' } })
    const seen = await look(id)
    expect(statesOf(seen)[2]).toBe('temporary_failure')
    expect(wordsOf(partOf(seen, 'found-2'))).toMatch(/^It was verified and is missing\. It fails if it is not found by .* UTC \.$/)
    expect(seen.text).toContain('A record was verified and is missing. The domain works as before until the record has failed.')
  })

  it('says that another team was the first to verify the name', async () => {
    const theirs = await register({}, service.other.token)
    const { id } = await register()
    await act(`${id}/verify`)
    await service.database.execute(`update domains set owns_name = true, status = 'verified' where id = $1`, [theirs.id])
    await check(id)
    expect((await retrieve(id)).status).toBe('failed')
    expect((await look(id)).text).toContain('<p>Another team has this domain. If it is yours, claim it with POST /domains/claim.</p>')
  })

  it('shows what strangers publish as text', async () => {
    const { id } = await register()
    await act(`${id}/verify`)
    const hostile = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onclick='x", '</code></li></ul>', 'x'.repeat(1_000)]
    await check(id, { SPF: { verdict: 'other', found: hostile } })
    const seen = await look(id)
    expect([...partOf(seen, 'found-1').matchAll(/<li><code dir="ltr">([^<]*)<\/code><\/li>/g)].map(([, value]) => value)).toEqual([
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;',
      expect.stringMatching(/^&#(?:39|x27); onclick=&#(?:39|x27);x$/),
      '&lt;/code&gt;&lt;/li&gt;&lt;/ul&gt;',
      'x'.repeat(1_000),
    ])
    expect(seen.text).not.toMatch(/<img|<script(?! type="module" src=)/)
  })
})

describe('an open page', () => {
  const liveOf = ({ text }: Seen) =>
    /data-live="\/console\/domains\/([^"]*)" data-version="([^"]*)"/
      .exec(text)
      ?.slice(1)
      .map((part) => part.replaceAll('&quot;', '"')) ?? []

  it('gets its states anew only when something has changed', async () => {
    const { id } = await register()
    const [path = '', version = ''] = liveOf(await look(id))
    const same = await look(path, { 'if-none-match': version })
    expect({ status: same.status, text: same.text }).toEqual({ status: 304, text: '' })

    await act(`${id}/verify`)
    const changed = await look(path, { 'if-none-match': version })
    expect({ status: changed.status, states: statesOf(changed) }).toEqual({ status: 200, states: Array(5).fill('pending') })
    expect(wordsOf(changed.text)).toMatch(/^State pending /)
    expect(changed.text).not.toContain('id="value-')
  })

  it('is told when its records are no longer those to publish', async () => {
    const { id } = await register()
    const [path = '', version = ''] = liveOf(await look(id))
    await service.call('PATCH', `/domains/${id}`, { body: { tracking_subdomain: 'links' } })
    const changed = await look(path, { 'if-none-match': version })
    expect(changed.text).toContain('The records of this domain have changed.')
    expect(statesOf(changed)).toEqual([])
  })

  it('does not follow while it shows a refused form, which a reload would send again', async () => {
    const { id } = await register()
    expect(liveOf(await act(`${id}/settings`, { tls: 'enforced' }))).toEqual([])
  })
})

describe('the button that verifies', () => {
  it('asks the DNS, and the page shows it', async () => {
    const { id } = await register()
    expect(await act(`${id}/verify`)).toMatchObject({ status: 303, location: `/console/domains/${id}` })
    expect((await retrieve(id)).status).toBe('pending')
    expect(statesOf(await look(id))).toEqual(Array(5).fill('pending'))
  })

  it('says that the name is that of another team', async () => {
    const theirs = await register({}, service.other.token)
    await service.database.execute(`update domains set owns_name = true, status = 'verified' where id = $1`, [theirs.id])
    const { id } = await register()
    expect(problemOf(await act(`${id}/verify`))).toEqual({
      status: 403,
      problem: 'Another team has this domain. If it is yours, claim it with POST /domains/claim.',
    })
    expect((await retrieve(id)).status).toBe('not_started')
  })

  it('leads back to the page when its address is typed', async () => {
    const { id } = await register()
    for (const path of ['verify', 'settings']) expect((await look(`${id}/${path}`)).location).toBe(`/console/domains/${id}`)
  })
})

describe('the settings', () => {
  it('are changed as by the API, and the page says so', async () => {
    const { id } = await register()
    const { status, location } = await act(`${id}/settings`, {
      tls: 'enforced',
      open_tracking: 'on',
      tracking_subdomain: 'Links',
      sending: 'on',
      receiving: 'on',
    })
    expect({ status, location }).toEqual({ status: 303, location: `/console/domains/${id}?saved=1` })
    expect(await retrieve(id)).toMatchObject({
      ...{ tls: 'enforced', open_tracking: true, click_tracking: false, tracking_subdomain: 'links' },
      capabilities: { sending: 'enabled', receiving: 'enabled' },
    })
    const seen = await look(`${id}?saved=1`)
    expect(noteOf(seen)).toBe('The settings were saved.')
    expect([...seen.text.matchAll(/name="(\w+)" value="on" checked/g)].map(([, name]) => name)).toEqual([
      'sending',
      'receiving',
      'open_tracking',
    ])
  })

  it('without a tracking subdomain stay without', async () => {
    const { id } = await register()
    expect((await act(`${id}/settings`, { tls: 'opportunistic', tracking_subdomain: '', sending: 'on' })).status).toBe(303)
    expect(await retrieve(id)).toMatchObject({ tracking_subdomain: null })
  })

  it.each([
    [{ tls: 'enforced' }, 'The `capabilities` field must leave sending or receiving enabled.'],
    [{ sending: 'on', tracking_subdomain: 'send' }, 'The `tracking_subdomain` field must differ from `custom_return_path`.'],
    [{ sending: 'on', tracking_subdomain: '' }, 'The `tracking_subdomain` field must not be empty.'],
    [
      { sending: 'on', tracking_subdomain: '<b>' },
      'The `tracking_subdomain` field must be one label of a host name, such as `links`: letters, digits and hyphens, with no hyphen at either end.',
    ],
    [
      { sending: 'on', tracking_subdomain: 'links', tls: '' },
      'The `tls` field must be one of: `opportunistic`, `enforced`. It is &quot;&quot;.',
    ],
  ])('of %j are refused with the sentence of the API, and kept in the form', async (form, problem) => {
    const { id } = await register({ tracking_subdomain: 'before' })
    const before = await retrieve(id)
    const seen = await act(`${id}/settings`, form)
    expect(problemOf(seen)).toEqual({ status: 422, problem })
    expect(/id="tracking_subdomain" name="tracking_subdomain" value="([^"]*)"/.exec(seen.text)?.[1]).toBe(
      { tracking_subdomain: '', ...form }.tracking_subdomain.replace('<b>', '&lt;b&gt;'),
    )
    expect(await retrieve(id)).toEqual(before)
  })
})

describe('deleting', () => {
  it('asks first, and says what it means', async () => {
    const { id } = await register()
    const { status, text } = await look(`${id}/delete`)
    expect(status).toBe(200)
    expect([...text.matchAll(/<li>([^<]*)<\/li>/g)].map(([, words]) => words)).toEqual([
      'Emails from it are no longer signed, including those that are scheduled.',
      'API keys that are restricted to it can send nothing.',
      'Its DKIM keys are deleted. If you register it again, it gets new ones, and their DNS records have to be published.',
      'Another team can verify the name.',
    ])
    expect((await retrieve(id)).id).toBe(id)
  })

  it('says that scheduled emails are canceled where only verified domains may send', async () => {
    const strict = await startTestService({ environment: { SENDER_POLICY: 'verified' } })
    const { body } = await strict.call('POST', '/domains', { body: { name: 'acme.example' } })
    const { text } = await visit(strict, 'GET', `/console/domains/${(body as Domain).id}/delete`, { cookie: await signIn(strict) })
    expect(text).toContain(
      '<li>Emails can no longer be sent from it. Emails that are scheduled from it are canceled, and scheduled broadcasts are drafts again.</li>',
    )
    await strict.close()
  })

  it('leads to the list, which says so', async () => {
    const { id } = await register()
    const { status, location } = await act(`${id}/delete`)
    expect({ status, location }).toEqual({ status: 303, location: '/console/domains?deleted=1' })
    expect((await service.call('GET', `/domains/${id}`)).status).toBe(404)
    expect(noteOf(await visit(service, 'GET', location ?? '', { cookie }))).toBe('The domain was deleted.')
    expect((await act(`${id}/delete`)).status).toBe(404)
  })
})

describe('the domain of another team', () => {
  it('is not found, and nothing is done to it', async () => {
    const { id } = await register({}, service.other.token)
    const answers = [
      ...(await Promise.all(['', '/progress', '/delete', '/verify', '/settings'].map((path) => look(`${id}${path}`)))),
      ...(await Promise.all(['verify', 'settings', 'delete'].map((path) => act(`${id}/${path}`, { tls: 'enforced', sending: 'on' })))),
    ]
    expect(
      answers.map(({ status, text }) => ({
        status,
        isSaid: text.includes('<p>Domain not found</p>'),
        isNamed: text.includes('acme.example'),
      })),
    ).toEqual(answers.map(() => ({ status: 404, isSaid: true, isNamed: false })))
    expect((await service.call('GET', `/domains/${id}`, { token: service.other.token })).body).toMatchObject({
      status: 'not_started',
      tls: 'opportunistic',
    })
  })
})

it('takes no form that another site sends', async () => {
  const { id } = await register()
  for (const path of ['verify', 'settings', 'delete'])
    for (const origin of ['https://evil.example', null])
      expect({ path, origin, status: (await act(`${id}/${path}`, { tls: 'enforced', sending: 'on' }, { origin })).status }).toEqual({
        path,
        origin,
        status: 403,
      })
  expect(await retrieve(id)).toMatchObject({ status: 'not_started', tls: 'opportunistic' })
})
