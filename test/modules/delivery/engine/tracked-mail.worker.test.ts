// The story of a tracked mail: sent through a domain that asks for it, received by a real server, opened and followed over HTTP.
import { authenticate } from 'mailauth'
import PostalMime from 'postal-mime'
import { beforeAll, describe, expect, it } from 'vitest'
import { deleteTeam, restoreTeam, resumeTeam, suspendTeam } from '../../../../src/modules/accounts/teams/teams.service.ts'
import { createVerifiedDomain, type VerifiedDomain } from '../../../support/builders/domains.ts'
import { send } from '../../../support/builders/emails.ts'
import { requestAt } from '../../../support/clients/raw-requests.ts'
import { createJumpingClock } from '../../../support/clocks/clocks.ts'
import { until } from '../../../support/clocks/until.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const HTML =
  '<!DOCTYPE html><HTML><body><a href="https://shop.example.com/a?b=1&amp;c=2">Shop</a> <a href="mailto:x@example.com">Mail</a></BODY></html>'
const TARGET = 'https://shop.example.com/a?b=1&c=2'
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

const clock = createJumpingClock()
let domain: VerifiedDomain

const service = shared(() => startRelayService({ clock, environment: { PUBLIC_URL: 'https://api.example.net' } }))
beforeAll(async () => {
  domain = await createVerifiedDomain(service)
  await service.database.execute(
    `update domains set tracking_subdomain = 'links', tracking_host = 'links.example.com', open_tracking = true, click_tracking = true where id = $1`,
    [domain.id],
  )
  service.startWorker()
})

/** Sends an email and returns what each recipient got. */
async function deliver(changes: Record<string, unknown> = {}) {
  const count = service.sink.messages.length
  const { to = 'ann@example.org' } = changes
  const id = await send(service, { to, html: HTML, text: undefined, ...changes })
  const expected = Array.isArray(to) ? to.length : 1
  await until(() => expect(service.sink.messages.length).toBe(count + expected))
  await until(async () => expect(await lastEventOf(id)).toBe('delivered'))
  const received = await Promise.all(
    service.sink.messages.slice(count).map(async ({ raw, to }) => {
      const message = await PostalMime.parse(raw)
      const html = message.html ?? ''
      return {
        to,
        raw,
        html,
        text: message.text,
        links: [...html.matchAll(/https:\/\/links\.example\.com(\/t\/c\/[\w-]+)/g)].map(([, path]) => path ?? ''),
        image: /https:\/\/links\.example\.com(\/t\/o\/[\w-]+)/.exec(html)?.[1] ?? '',
      }
    }),
  )
  return { id, received, first: received[0] as (typeof received)[number] }
}

const lastEventOf = async (id: string) => ((await service.call('GET', `/emails/${id}`)).body as { last_event: string }).last_event

type Asked = { method?: 'GET' | 'HEAD'; userAgent?: string; host?: string; headers?: Record<string, string> }

const request = (path: string, { method = 'GET', userAgent = BROWSER, host = 'links.example.com', headers = {} }: Asked = {}) =>
  requestAt(service, host, path, { method, headers: { 'user-agent': userAgent, ...headers } })

async function eventsOf(id: string) {
  await service.service.context.trackedEvents.flush()
  const { body } = await service.call('GET', `/emails/${id}/events`)
  return (body as { data: { type: string; to: string[]; detail: unknown }[] }).data
    .filter(({ type }) => type === 'email.opened' || type === 'email.clicked')
    .map(({ type, to, detail }) => ({ type, to, detail }))
    .toReversed()
}

async function signaturesOf(raw: string): Promise<string[]> {
  const resolver = async (name: string, type: string) => (type === 'TXT' && domain.records[name] ? [[domain.records[name]]] : [])
  const { dkim } = await authenticate(raw, { sender: 'x@example.com', resolver: resolver as never })
  return dkim.results.map(({ status }) => status.result)
}

const later = () => clock.advance(60_000)

it('of 1 MB is tracked, and its text made, away from the main thread', async () => {
  const words = '<p>Hello.</p>'.repeat(80_000)
  const { first } = await deliver({ html: HTML.replace('<body>', `<body>${words}`) })
  expect(first.links).toHaveLength(1)
  expect(first.image).not.toBe('')
  expect(first.html.replaceAll('\r\n', '').length).toBeGreaterThan(words.length)
  expect(first.text).toMatch(/^Hello\.\s/)
})

it('of a team that is suspended or deleted still shows its image and leads where it links to, and a suspended one reads so', async () => {
  const { repositories } = service.service.context
  const { id, first } = await deliver()
  later()
  const answers = async () => [(await request(first.image)).status, (await request(first.links[0] ?? '')).headers.get('location')]
  await suspendTeam({ repositories }, service.teamId, 'Spam')
  expect(await answers()).toEqual([200, TARGET])
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['email.opened', 'email.clicked'])
  await resumeTeam({ repositories }, service.teamId)
  await deleteTeam({ repositories }, service.teamId)
  expect(await answers()).toEqual([200, TARGET])
  await restoreTeam({ repositories }, service.teamId)
})

it('an opened and followed mail says so, in its events and as its last event', async () => {
  const { id, first } = await deliver()
  later()
  const opened = await request(first.image)
  expect([opened.status, opened.headers.get('content-type'), (await opened.arrayBuffer()).byteLength]).toEqual([200, 'image/gif', 42])
  expect(await eventsOf(id)).toEqual([{ type: 'email.opened', to: ['ann@example.org'], detail: { is_machine: false } }])
  expect(await lastEventOf(id)).toBe('opened')
  const clicked = await request(first.links[0] ?? '')
  expect([clicked.status, clicked.headers.get('location'), clicked.headers.get('cache-control')]).toEqual([
    302,
    TARGET,
    'private, no-store, max-age=0',
  ])
  expect((await eventsOf(id))[1]).toEqual({
    type: 'email.clicked',
    to: ['ann@example.org'],
    detail: {
      click: { ipAddress: '127.0.0.1', link: TARGET, timestamp: clock.now().toISOString(), userAgent: BROWSER },
      is_machine: false,
    },
  })
  expect(await lastEventOf(id)).toBe('clicked')
})

it('only the links and an image are added, for each recipient their own, and the signatures hold', async () => {
  const { id, received } = await deliver({ to: ['ann@example.org', 'bob@example.org'] })
  for (const { html, raw } of received) {
    const original = html
      .replace(/https:\/\/links\.example\.com\/t\/c\/[\w-]+/, 'https://shop.example.com/a?b=1&amp;c=2')
      .replace(/<img src="https:\/\/links\.example\.com\/t\/o\/[\w-]+"[^>]*>/, '')
    expect(original.trim()).toBe(HTML)
    expect(await signaturesOf(raw)).toEqual(['pass', 'pass'])
  }
  expect(new Set(received.flatMap(({ links, image }) => [...links, image])).size).toBe(4)
  expect(((await service.call('GET', `/emails/${id}`)).body as { html: string }).html).toBe(HTML)
  expect(received[0]?.text).toContain(TARGET)
})

it('the first open of an email is the one that counts as unique, and one by a program is not', async () => {
  const { id, received } = await deliver({ to: ['ann@example.org', 'bob@example.org'] })
  later()
  const [ann, bob] = received
  await request(ann?.image ?? '', { userAgent: 'Mozilla/5.0' })
  await request(bob?.image ?? '')
  await request(ann?.image ?? '')
  await service.service.context.trackedEvents.flush()
  const rows = await service.database.execute<{ data: unknown }>(
    `select data from notifications where subject_id = $1 and type = 'email.opened' order by id`,
    [id],
  )
  expect(rows.map(({ data }) => data)).toEqual([
    { to: ann?.to, detail: { is_machine: true, machine_rule: 'apple-privacy-proxy' } },
    { to: bob?.to, detail: { is_machine: false }, firstOf: 'email' },
    { to: ann?.to, detail: { is_machine: false } },
  ])
})

describe('a program', () => {
  it('that only asks for the head is answered in the same way, and marked with the rule that says so', async () => {
    const { id, first } = await deliver()
    later()
    const answer = await request(first.links[0] ?? '', { method: 'HEAD' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, TARGET])
    expect(await eventsOf(id)).toMatchObject([{ type: 'email.clicked', detail: { is_machine: true, machine_rule: 'head-request' } }])
  })

  it('that acts as soon as the mail is delivered is marked', async () => {
    const { id, first } = await deliver()
    await request(first.links[0] ?? '')
    expect(await eventsOf(id)).toMatchObject([{ type: 'email.clicked', detail: { is_machine: true, machine_rule: 'too-soon' } }])
  })

  it('that follows all links at once is marked', async () => {
    const html = [1, 2, 3].map((n) => `<a href="https://shop.example.com/${n}">${n}</a>`).join(' ')
    const { id, first } = await deliver({ html })
    later()
    for (const link of first.links) await request(link)
    expect((await eventsOf(id)).map(({ detail }) => detail)).toMatchObject([
      { is_machine: true, machine_rule: 'links-at-once' },
      { is_machine: true, machine_rule: 'links-at-once' },
      { is_machine: true, machine_rule: 'links-at-once' },
    ])
  })
})

describe('a link that was damaged or made up', () => {
  const refused = async (path: string, asked: Asked = {}) => {
    const answer = await request(path, { ...asked, headers: { 'accept-language': 'de', ...asked.headers } })
    return [
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('location'),
      (await answer.text()).includes('funktioniert nicht'),
    ]
  }
  const PAGE = [403, 'text/html; charset=utf-8', null, true]

  it('leads nowhere, with a page that says so in the language of the reader', async () => {
    const { id, first } = await deliver()
    later()
    const [link = ''] = first.links
    const token = link.slice('/t/c/'.length)
    const made = Buffer.concat([Buffer.from(token, 'base64url').subarray(0, 80), Buffer.from('https://evil.example')]).toString('base64url')
    for (const path of [
      `${link}A`,
      link.slice(0, -1),
      `/t/c/${made}`,
      `/t/c/${first.image.slice('/t/o/'.length)}`,
      '/t/c/https://evil.example/',
      `/t/c/${'A'.repeat(8_000)}`,
    ])
      expect([path, await refused(path)]).toEqual([path, PAGE])
    expect(await eventsOf(id)).toEqual([])
  })

  it.each<[string, Asked, boolean]>([
    ['at the host of its domain', {}, true],
    ['in capital letters and with a port', { host: 'LINKS.Example.com:8443' }, true],
    ['at the host of another team', { host: 'links.example.org' }, false],
    ['at the host of the API', { host: 'api.example.net' }, false],
    ['at an address', { host: '127.0.0.1:3000' }, false],
    [
      'at another host by the word of a client that is no proxy',
      { host: 'links.example.org', headers: { 'x-forwarded-host': 'links.example.com' } },
      false,
    ],
    [
      'at its host, whatever a client that is no proxy says',
      { headers: { 'x-forwarded-host': 'links.example.org', forwarded: 'host=links.example.org' } },
      true,
    ],
  ])('leads on only at the host that it was made for: %s', async (_where, asked, leadsOn) => {
    const { id, first } = await deliver()
    later()
    const [link = ''] = first.links
    if (leadsOn) expect((await request(link, asked)).headers.get('location')).toBe(TARGET)
    else expect(await refused(link, asked)).toEqual(PAGE)
    expect((await request(first.image, asked)).status).toBe(leadsOn ? 200 : 403)
    expect((await eventsOf(id)).length).toBe(leadsOn ? 2 : 0)
  })

  it('is counted by the reason for which it leads nowhere', async () => {
    const { metrics } = service.service.context
    metrics.trackedLinksRefused.reset()
    const { first } = await deliver()
    const [link = ''] = first.links
    const asImage = link.replace('/t/c/', '/t/o/')
    for (const path of [`${link}AAAA`, `${first.image}AAAA`, '/t/c/x', asImage, `/t/c/${first.image.slice('/t/o/'.length)}`])
      await request(path)
    await request(link, { host: 'links.example.org' })
    await request(link)
    const { values } = await metrics.trackedLinksRefused.get()
    expect(values.map(({ labels, value }) => [labels.kind, labels.reason, value]).toSorted()).toEqual([
      ['click', 'forged', 1],
      ['click', 'malformed', 1],
      ['click', 'other_host', 1],
      ['click', 'other_kind', 1],
      ['open', 'forged', 1],
      ['open', 'other_kind', 1],
    ])
  })

  it('leads to its target nevertheless if only what follows it was added', async () => {
    const { first } = await deliver()
    for (const added of ['.', ')', '/', '?utm_source=x', '%20'])
      expect([added, (await request(`${first.links[0]}${added}`)).headers.get('location')]).toEqual([added, TARGET])
  })

  it('is still an image, and is not counted', async () => {
    const { id, first } = await deliver()
    later()
    for (const path of [`${first.image}A`, first.links[0]?.replace('/t/c/', '/t/o/') ?? '', `/t/o/${'A'.repeat(8_000)}`]) {
      const answer = await request(path)
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 403, 'image/gif'])
    }
    expect(await eventsOf(id)).toEqual([])
  })
})

it('what is in a link and in the headers of a request is stored as text', async () => {
  const html = '<a href="https://shop.example.com/\u0001&#13;&#10;Set-Cookie: a=b\u{1f600}?q=%00">x</a>'
  const { id, first } = await deliver({ html })
  later()
  const answer = await request(first.links[0] ?? '', { userAgent: `Mozilla/5.0 \u00ff${'x'.repeat(600)}` })
  expect([answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([
    302,
    'https://shop.example.com/%01Set-Cookie:%20a=b%F0%9F%98%80?q=%00',
    null,
  ])
  const [event] = await eventsOf(id)
  expect(event?.detail).toMatchObject({
    click: { link: 'https://shop.example.com/\u0001\r\nSet-Cookie: a=b\u{1f600}?q=%00', userAgent: `Mozilla/5.0 \u00ff${'x'.repeat(499)}` },
  })
})

it('an email without HTML is sent as it was given', async () => {
  const { first } = await deliver({ html: undefined, text: 'https://shop.example.com/' })
  expect([first.html, first.text?.trim()]).toEqual(['', 'https://shop.example.com/'])
})

it('an email with an attachment has a signature that holds', async () => {
  const { first } = await deliver({ attachments: [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }] })
  expect(first.links.length).toBe(1)
  expect(await signaturesOf(first.raw)).toEqual(['pass', 'pass'])
})

it('links of the former host lead on there after another one was verified, and count', async () => {
  const { id, first } = await deliver()
  later()
  await service.database.execute(`update domains set tracking_subdomain = 'click', tracking_host = 'click.example.com' where id = $1`, [
    domain.id,
  ])
  const [old, other] = [await request(first.links[0] ?? ''), await request(first.links[0] ?? '', { host: 'click.example.com' })]
  await service.database.execute(`update domains set tracking_subdomain = 'links', tracking_host = 'links.example.com' where id = $1`, [
    domain.id,
  ])
  expect([old.status, old.headers.get('location'), other.status]).toEqual([302, TARGET, 403])
  expect(await eventsOf(id)).toMatchObject([{ type: 'email.clicked', detail: { is_machine: false } }])
})

// Last, because the others need the domain.
it('links lead on after the domain was deleted, and are not counted', async () => {
  const { id, first } = await deliver()
  later()
  expect((await service.call('DELETE', `/domains/${domain.id}`)).status).toBe(200)
  const [clicked, opened] = [await request(first.links[0] ?? ''), await request(first.image)]
  expect([clicked.status, clicked.headers.get('location'), opened.status]).toEqual([302, TARGET, 200])
  expect([await eventsOf(id), await lastEventOf(id)]).toEqual([[], 'delivered'])
})
