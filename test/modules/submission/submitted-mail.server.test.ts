// What becomes of a message that was submitted, until it stands at the server of its recipient: signed, and tracked where that can be done.
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import PostalMime from 'postal-mime'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createVerifiedDomain, resolverOf, type VerifiedDomain } from '../../support/builders/domains.ts'
import { createJumpingClock } from '../../support/clocks/clocks.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const clock = createJumpingClock()
let domain: VerifiedDomain
const service = shared(() => startSubmissionService({ clock, environment: { PUBLIC_URL: 'https://api.example.net' } }))
beforeAll(async () => {
  domain = await createVerifiedDomain(service)
  service.startWorker()
})

afterEach(async () => {
  service.sink.messages.length = 0
})

async function track(isTracked: boolean): Promise<void> {
  await service.database.execute(
    `update domains set tracking_subdomain = 'links', tracking_host = 'links.example.com', open_tracking = $2, click_tracking = $2 where id = $1`,
    [domain.id, isTracked],
  )
  // What is known of the domain is remembered for a while.
  clock.advance(60_000)
}

const HTML = '<p>Grüße <a href="https://shop.example.com/a">Shop</a></p>'
const html = (encoded = HTML) => `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${encoded}\r\n`
const HEAD = 'From: Acme <hello@example.com>\r\nTo: ada@example.org\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n'
const mixed = (parts: string[], more = '') =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\nPreamble\r\n--b\r\n${parts.join('--b\r\n')}--b--\r\nEpilogue${more}`
const FILE = `Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${`${'QUJD'.repeat(19)}\r\n`.repeat(20)}`

async function deliver(content: string): Promise<string> {
  expect(await service.handIn(Buffer.from(content), { to: ['ada@example.org'] })).toMatch(/^250 /)
  await expect.poll(() => service.sink.messages).toHaveLength(1)
  return service.sink.messages[0]?.raw ?? ''
}

const verdictsOf = async (raw: string) =>
  (await dkimVerify(Buffer.from(raw, 'latin1'), { resolver: resolverOf(domain.records) })).results.map(
    ({ status, algo, signingDomain }) => [...[status.result, algo, signingDomain]],
  )
const PASS = [
  ['pass', 'rsa-sha256', 'example.com'],
  ['pass', 'ed25519-sha256', 'example.com'],
]
const bodyOf = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n') + 4)

describe.each([
  ['small', ''],
  ['large', `\r\n${`${'y'.repeat(76)}\r\n`.repeat(2_000)}`],
])('a %s message', (_size, more) => {
  it('is signed with the keys of its domain, and otherwise as it came', async () => {
    await track(false)
    const content = mixed([html(), FILE], more)
    const raw = await deliver(content)
    expect(await verdictsOf(raw)).toEqual(PASS)
    expect(Buffer.from(bodyOf(raw), 'latin1').toString()).toBe(`${bodyOf(content)}\r\n`)
  })

  it('is tracked in its HTML; its other parts stay byte for byte, and its signature is right', async () => {
    await track(true)
    const raw = await deliver(mixed([`Content-Type: text/plain\r\n\r\nhttps://shop.example.com/a\r\n`, html(), FILE], more))
    expect(await verdictsOf(raw)).toEqual(PASS)
    const { html: tracked = '', attachments } = await PostalMime.parse(raw)
    expect(tracked).toMatch(/<p>Grüße <a href="https:\/\/links\.example\.com\/t\/c\/[\w-]+">Shop<\/a><\/p>/)
    expect(tracked).toContain('<img src="https://links.example.com/t/o/')
    expect(tracked.match(/<p>/g)).toHaveLength(1)
    expect(raw).toContain('\r\n\r\nhttps://shop.example.com/a\r\n--b\r\n')
    expect(attachments).toHaveLength(1)
    expect(raw).toContain(FILE)
    expect(raw).toContain('Preamble\r\n--b\r\n')
    expect(raw).toContain('--b--\r\nEpilogue')
  })
})

it('long HTML is tracked, and the rest of its message stays as it was', async () => {
  await track(true)
  const raw = await deliver(mixed([html(`${HTML}<p>${'Grüße.\r\n'.repeat(20_000)}</p>`), FILE]))
  expect(await verdictsOf(raw)).toEqual(PASS)
  const { html: tracked = '', attachments } = await PostalMime.parse(raw)
  expect(tracked).toMatch(/^<p>Grüße <a href="https:\/\/links\.example\.com\/t\/c\/[\w-]+">Shop<\/a><\/p><p>(?:Grüße\.\s+){20000}<\/p>/)
  expect(attachments).toHaveLength(1)
})

it('HTML alone is tracked too', async () => {
  await track(true)
  const raw = await deliver(`${HEAD}${html()}`)
  expect(await verdictsOf(raw)).toEqual(PASS)
  expect((await PostalMime.parse(raw)).html).toMatch(/^<p>Grüße <a href="https:\/\/links\.example\.com\/t\/c\//)
})

it.each([
  ['two HTML parts', mixed([html(), html()])],
  [
    'HTML in a signed part',
    `${HEAD}Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n${html()}--s\r\nContent-Type: application/pgp-signature\r\n\r\nx\r\n--s--`,
  ],
  ['an attached page', mixed([html().replace('charset=utf-8', 'charset=utf-8; name=a.html')])],
])('a message with %s is not tracked, and stays as it came', async (_what, content) => {
  await track(true)
  const raw = await deliver(content)
  expect(Buffer.from(bodyOf(raw), 'latin1').toString()).toBe(`${bodyOf(content)}\r\n`)
  expect(await verdictsOf(raw)).toEqual(PASS)
})
