// The page with the color of the team: its policy allows exactly that style, and no other.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { png, storeImage } from '../../../support/builders/images.ts'
import { createContact, linkTo, ONE_CLICK, submit, visitPage } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

const stylesOf = (text: string): string[] => [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style)
const allowed = (text: string): string[] => stylesOf(text).map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
const styleSources = (headers: Headers): string[] =>
  (/style-src ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '').split(' ')

it.each([
  ['#1D4FC4', '#1d4fc4', '#ffffff'],
  ['#ffff00', '#ffff00', '#000000'],
])('has the color %s, with text that can be read on it', async (color, ground, text) => {
  const path = await linkTo(service, await createContact(service, `ada-${ground.slice(1)}@example.com`))
  const before = await visitPage(service, path)
  await service.call('PATCH', '/team', { body: { name: 'Acme </style><b>', color } })
  const page = await visitPage(service, path)
  const [own, colors] = stylesOf(page.text)
  expect([own, colors]).toEqual([stylesOf(before.text)[0], `:root{--brand:${ground};--on-brand:${text}}`])
  expect(styleSources(page.headers)).toEqual(allowed(page.text))
  expect(page.text).toContain('<div class="brand"><p>Mail from <strong><bdi>Acme &lt;/style&gt;&lt;b&gt;</bdi></strong></p></div>')
  expect(page.headers.get('content-security-policy')).toContain('sandbox allow-forms')

  const done = await submit(service, path, ONE_CLICK)
  expect(styleSources(done.headers)).toEqual(allowed(done.text))
  expect(stylesOf(done.text)).toHaveLength(2)

  await service.call('PATCH', '/team', { body: { color: null } })
  const without = await visitPage(service, path)
  expect(styleSources(without.headers)).toEqual(allowed(without.text))
  expect(stylesOf(without.text)).toHaveLength(1)
})

it('shows the logo of the team, from this host alone', async () => {
  const path = await linkTo(service, await createContact(service, 'logo@example.com'))
  const { id, url } = await storeImage(service, png())
  await service.call('PATCH', '/team', { body: { name: 'Acme', color: null, logo_id: id } })
  const page = await visitPage(service, path)
  expect(page.text).toContain(`<img class="brand-logo" src="${new URL(url).pathname}" alt="">`)
  expect(page.headers.get('content-security-policy')).toContain("; img-src data: 'self';")
  expect(stylesOf(page.text)).toHaveLength(1)
  await service.call('PATCH', '/team', { body: { logo_id: null } })
  const without = await visitPage(service, path)
  expect(without.text).not.toContain('<img')
  expect(without.headers.get('content-security-policy')).toContain('; img-src data:;')
})
