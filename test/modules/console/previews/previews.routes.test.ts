// HTML of mails for frames: nothing runs in it, each address opens once, and only for a moment.
import { expect, it } from 'vitest'
import { PREVIEW_MS, PREVIEWS_MAX } from '../../../../src/modules/console/previews/previews.routes.ts'
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
  expect(policy).toContain("img-src data: 'self';")
  expect(policy).toContain("form-action 'none'")
  expect(shown.headers.get('cache-control')).toBe('private, no-store')
  expect((await open(body.url)).status).toBe(404)
})

it('loads images of other servers only when someone asked for them', async () => {
  const { body } = await preview({ html: '<img src="https://other.example/a.png">', remote_images: true })
  expect((await open(body.url)).headers.get('content-security-policy')).toContain("img-src data: 'self' https: http:")
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
