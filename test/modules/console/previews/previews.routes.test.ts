// HTML of mails for frames: nothing runs in it, each address opens once, and only for a moment.
import { expect, it } from 'vitest'
import { PREVIEW_MS, PREVIEWS_MAX } from '../../../../src/modules/console/previews/previews.routes.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { signIn } from '../../../support/clients/console.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))

type Body = { url: string; has_remote_images: boolean; is_cut: boolean }

async function preview(body: object, role: 'owner' | 'viewer' = 'owner'): Promise<{ status: number; body: Body }> {
  const headers = { cookie: await signIn(service, service.token, role), 'sec-fetch-site': 'same-origin', 'posthaste-console': '1' }
  const { status, body: answered } = await service.call('POST', '/previews', { token: null, headers, body })
  return { status, body: answered as Body }
}

const open = (url: string) => service.call('GET', url, { token: null })

it('shows HTML without what would run or call home, once', async () => {
  const html = '<p onclick="x()">Hello</p><script>x()</script><img src="https://other.example/a.png">'
  const { status, body } = await preview({ html })
  expect(status).toBe(201)
  expect(body).toMatchObject({ has_remote_images: true, is_cut: false })
  const shown = await open(body.url)
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('<p>Hello</p>')
  expect(shown.text).not.toMatch(/script|onclick/)
  const policy = shown.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'")
  const own = [new URL(service.url).host, 'localhost:3000'].map((host) => `${host}/inline-images/ ${host}/media/`)
  expect(policy).toContain(`img-src data: ${own.join(' ')};`)
  expect(policy).toContain("style-src 'unsafe-inline'")
  expect(policy).not.toMatch(/allow-(?:scripts|same-origin|forms|top-navigation|modals)|script-src|connect-src/)
  expect(policy).toContain("form-action 'none'")
  expect(shown.headers.get('cache-control')).toBe('private, no-store')
  expect((await open(body.url)).status).toBe(404)
})

it('loads images of other servers only when someone asked for them', async () => {
  const { body } = await preview({ html: '<img src="https://other.example/a.png">', remote_images: true })
  expect((await open(body.url)).headers.get('content-security-policy')).toMatch(
    /img-src data: (?:\S+\/(?:inline-images|media)\/ ){4}https: http:;/,
  )
})

it('leads past our own tracking, so that neither looking nor clicking counts', async () => {
  const { trackingTokens } = service.service.context
  const ids = { emailId: UNKNOWN_ID, recipientId: UNKNOWN_ID, domainId: null }
  const url = (kind: 'open' | 'click' | 'trap', host = 'links.acme.example') =>
    `https://${host}/t/${kind === 'open' ? 'o' : 'c'}/${trackingTokens.create({ ...ids, kind, target: kind === 'click' ? 'https://shop.example/?a=1&b=2' : '' }, 'links.acme.example')}`
  const foreign = url('click', 'links.other.example')
  const html = `<a href="${url('click')}">Shop</a><a href="${url('trap')}"></a><img src="${url('open')}"><a href="${foreign}">Forged</a>`
  const { body } = await preview({ html, remote_images: true })
  expect(body.has_remote_images).toBe(false)
  const { text } = await open(body.url)
  expect(text).toContain('<a href="https://shop.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Shop</a>')
  expect(text).toContain('<img src="data:,">')
  expect(text).not.toContain('links.acme.example')
  // What another has signed, or was made for another host, is not ours to read.
  expect(text).toContain(foreign)
})

it('ends after a minute, and holds no more than a team may look at', async () => {
  const { body: late } = await preview({ html: '<p>Late</p>' })
  clock.advance(PREVIEW_MS + 1)
  expect((await open(late.url)).status).toBe(404)
  const { body: first } = await preview({ html: '<p>First</p>' })
  for (let count = 0; count < PREVIEWS_MAX; count += 1) {
    clock.advance(1)
    await preview({ html: `<p>${count}</p>` })
  }
  expect((await open(first.url)).status).toBe(404)
  expect(await service.database.tables.preview.count()).toBe(PREVIEWS_MAX)
})

it('names the images of an email only to those who may read it', async () => {
  const body = { html: '<img src="cid:logo">', email_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10' }
  expect((await preview(body, 'viewer')).status).toBe(403)
  expect((await preview(body)).status).toBe(201)
})

it('is for people alone', async () => {
  const { status } = await service.call('POST', '/previews', { body: { html: '<p></p>' } })
  expect(status).toBe(403)
})
