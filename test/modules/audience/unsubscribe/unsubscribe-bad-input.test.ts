import { beforeEach, describe, expect, it } from 'vitest'
import { createContact, isUnsubscribed, linkTo, ONE_CLICK, storedDecisions, visitPage } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let contact: string
let people = 0

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PER_SECOND: '1000' } }))
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  contact = await createContact(service, `ada${people}@example.com`)
})

const open = (path: string, headers: Record<string, string> = {}) => visitPage(service, path, { headers })

describe('what cannot be understood', () => {
  it('is a page with status 403 for a link that was changed by one character', async () => {
    const path = await linkTo(service, contact)
    for (let at = '/unsubscribe/'.length; at < path.length; at += 1) {
      const page = await open(`${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`)
      expect({ at, status: page.status }).toEqual({ at, status: 403 })
      expect(page.text).toContain('<h1>This link does not work</h1>')
    }
  })

  it('is a page with status 403 for a link of another kind', async () => {
    const { links } = service.service.context
    for (const purpose of ['share', 'session', 'download'] as const)
      expect((await open(`/unsubscribe/${links.sign(purpose, { team: 'x', contact: 'y' }, null)}`)).status).toBe(403)
  })

  it.each<[string, RequestInit, number]>([
    ['no body', {}, 422],
    ['a form without a decision', { body: new URLSearchParams({ foo: 'bar' }) }, 422],
    ['an unknown decision', { body: new URLSearchParams({ act: 'delete' }) }, 422],
    ['one click with another value', { body: new URLSearchParams({ 'List-Unsubscribe': 'No' }) }, 422],
    ['broken encoding', { body: '%ff%00=%zz&\0=', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 422],
    ['JSON', { body: '{"act":"unsubscribe"}', headers: { 'content-type': 'application/json' } }, 415],
    ['plain text', { body: 'act=unsubscribe', headers: { 'content-type': 'text/plain' } }, 415],
    ['nothing that is called text', { body: '', headers: { 'content-type': 'text/plain' } }, 415],
    ['more than 16 KB of no type', { body: Buffer.from(`List-Unsubscribe=One-Click&x=${'x'.repeat(17_000)}`) }, 413],
    ['an impossible type', { body: 'x', headers: { 'content-type': ';;;' } }, 415],
    ['a compressed body', { body: 'x', headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' } }, 415],
    ['a multipart form without a boundary', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 422],
    ['a broken multipart form', { body: '--a\r\nContent-', headers: { 'content-type': 'multipart/form-data; boundary=a' } }, 422],
    ['a body of more than 16 KB', { body: new URLSearchParams({ act: 'unsubscribe', x: 'x'.repeat(17_000) }) }, 413],
    ['a multipart form of more than 16 KB', { body: formWith('x'.repeat(17_000)) }, 413],
    ['a file in place of the decision', { body: formWith(new Blob(['One-Click'])) }, 422],
    ['PUT', { method: 'PUT', body: new URLSearchParams(ONE_CLICK) }, 405],
    ['DELETE', { method: 'DELETE' }, 405],
  ])('is a page in the reader’s language and changes nothing: %s', async (_what, init, status) => {
    const path = await linkTo(service, contact)
    const before = await storedDecisions(service)
    const page = await visitPage(service, path, {
      method: 'POST',
      ...init,
      headers: { 'accept-language': 'de', ...(init.headers as Record<string, string> | undefined) },
    })
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('<html lang="de">')
    expect(page.text).toContain('nichts wurde geändert')
    expect(await storedDecisions(service)).toEqual(before)
  })

  it.each(['/unsubscribe', '/unsubscribe/', '/unsubscribe/a/b', '/unsubscribe/..%2f..', '/unsubscribe/1.e30.x'])(
    'is a page for the address %s',
    async (path) => {
      const page = await open(path, { 'accept-language': 'fr', authorization: 'Bearer re_wrong' })
      expect([403, 404]).toContain(page.status)
      expect(page.text).toContain('<h1>Ce lien ne fonctionne pas</h1>')
    },
  )

  const BROKEN: [what: string, path: string][] = [
    ['bytes that are no text', '/unsubscribe/%00%ff'],
    ['a NUL', '/unsubscribe/%00'],
    ['a percent sign alone', '/unsubscribe/%'],
    ['no hexadecimal digits', '/unsubscribe/%zz'],
    ['half a letter', '/unsubscribe/%e0%a4%a'],
    ['slashes twice and a query', '//unsubscribe//%ff?saved=%ff'],
    ['a broken part behind it', '/unsubscribe/a/%ff'],
    ['2 KB', `/unsubscribe/${'x'.repeat(1_900)}`],
    ['3 KB', `/unsubscribe/${'x'.repeat(3_000)}`],
    ['30 KB', `/unsubscribe/${'x'.repeat(30_000)}`],
    ['nothing', '/unsubscribe'],
    ['nothing but a query', '/unsubscribe/?%ff'],
  ]
  it.each(BROKEN)('is the page of a link that does not work, however it was broken: %s', async (_what, path) => {
    const like = await open('/unsubscribe/nonsense')
    const before = await storedDecisions(service)
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const page = await visitPage(service, path, {
        method,
        headers: { 'accept-language': 'de-AT, de', 'x-forwarded-for': `192.0.2.${BROKEN.findIndex(([, known]) => known === path)}` },
        ...(method === 'POST' && { body: new URLSearchParams(ONE_CLICK) }),
      })
      expect({ method, isRefused: page.status >= 400 && page.status < 500 }).toEqual({ method, isRefused: true })
      expect(page.text).toMatch(/^<!doctype html>\n<html lang="de">/)
      if (method === 'GET' || method === 'POST') expect(page.text).toContain('<h1>Dieser Link funktioniert nicht</h1>')
      for (const name of PAGE_HEADERS) expect({ name, value: page.headers.get(name) }).toEqual({ name, value: like.headers.get(name) })
      expect(page.headers.get('content-language')).toBe('de')
    }
    expect(await storedDecisions(service)).toEqual(before)
  })

  it('is a page without a body for who asks for the headers alone', async () => {
    const page = await visitPage(service, '/unsubscribe/%ff', { method: 'HEAD' })
    expect({ status: page.status, type: page.headers.get('content-type'), text: page.text }).toEqual({
      status: 403,
      type: 'text/html; charset=utf-8',
      text: '',
    })
  })

  it.each([
    ['/unsubscribed/%ff', 422],
    ['/emails/unsubscribe/%ff', 422],
    [`/emails/${'x'.repeat(3_000)}`, 404],
    [`/emails/${'x'.repeat(30_000)}`, 431],
    [`/emails?${'x'.repeat(30_000)}=/unsubscribe/x`, 431],
  ])('is none of the page’s business elsewhere', async (path, status) => {
    const answer = await service.call('GET', path)
    expect(answer).toMatchObject({ status, body: { statusCode: status } })
  })

  it('is a page as well when the fault is ours', async () => {
    const path = await linkTo(service, contact)
    await service.database.execute('alter table contacts rename to contacts_away')
    try {
      const page = await open(path, { 'accept-language': 'es' })
      expect(page.status).toBe(500)
      expect(page.text).toContain('<h1>No ha funcionado</h1>')
    } finally {
      await service.database.execute('alter table contacts_away rename to contacts')
    }
  })

  it('is counted by the sender’s address when it is sent, and a link that works is never refused', async () => {
    const path = await linkTo(service, contact)
    const from = (address: string) => ({ 'x-forwarded-for': address, 'content-type': 'application/x-www-form-urlencoded' })
    const send = (to: string, address: string) =>
      visitPage(service, to, { method: 'POST', headers: from(address), body: 'List-Unsubscribe=One-Click' })
    const statuses: number[] = []
    for (let count = 0; count < 60; count += 1) statuses.push((await send(`${path}x`, '198.51.100.7')).status)
    const refused = await send(`${path}x`, '198.51.100.7')

    expect(statuses).toEqual(Array.from({ length: 60 }, () => 403))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.text).toContain('Too many links that do not work were opened from your network.')
    expect((await send(`${path}x`, '198.51.100.8')).status).toBe(403)
    expect((await send(path, '198.51.100.7')).status).toBe(200)
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })
})

/** Headers of every page, in every language. */
const PAGE_HEADERS = [
  'content-type',
  'content-security-policy',
  'x-frame-options',
  'x-content-type-options',
  'referrer-policy',
  'cross-origin-opener-policy',
  'x-robots-tag',
  'cache-control',
]

function formWith(value: string | Blob): FormData {
  const form = new FormData()
  form.append('List-Unsubscribe', value)
  return form
}
