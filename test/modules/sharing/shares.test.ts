import { createHash } from 'node:crypto'
import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { SHOWN_LENGTH_MAX } from '../../../src/mail/html/contained-html.ts'
import { withFrameScript } from '../../../src/modules/sharing/frame/email-frame.ts'
import { invalid, outcome } from '../../support/builders/answers.ts'
import { MIB, send } from '../../support/builders/emails.ts'
import { receiveEmail, storeReceived } from '../../support/builders/received-emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { leastCpuMs } from '../../support/clocks/cpu.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend
const clock = createMovingClock()

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const HOUR_MS = 60 * 60 * 1_000

async function share(id: string, body: object = {}): Promise<string> {
  const answer = await service.call('POST', `/emails/${id}/share`, { body })
  expect(outcome(answer)).toEqual({
    status: 200,
    body: { object: 'email', id, url: expect.stringMatching(/^http:\/\/localhost:3000\/share\/[\w.-]+$/) },
  })
  return new URL((answer.body as { url: string }).url).pathname
}

const open = (path: string) => service.call('GET', path, { token: null })

describe('a received email', () => {
  it('is shown with its images to anyone who has the link, until it expires or the email is deleted', async () => {
    const id = await receiveEmail(service)
    const path = await share(id, { expires_in: '2 hours' })

    const { status, body } = await open(path)

    expect(status).toBe(200)
    const page = String(body)
    for (const shown of ['Grüße', 'Ada Lovelace &lt;ada@example.org&gt;', 'support@example.com, other@example.net', 'copy@example.net'])
      expect(page).toContain(shown)
    expect(page).not.toContain('answers@example.org')
    const image = /\/inline-images\/[\w.-]+/.exec(page)?.[0] ?? ''
    const answer = await fetch(`${service.url}${image}`)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'image/png', 'image'])
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    const another = await share(id)
    await service.call('DELETE', `/emails/receiving/${id}`)
    expect([(await open(another)).status, (await fetch(`${service.url}${image}`)).status]).toEqual([403, 404])
  })

  it('is shown to no one by another team, and not before it was read', async () => {
    const id = await receiveEmail(service)
    const foreign = await service.call('POST', `/emails/${id}/share`, { body: {}, token: service.other.token })
    const { id: waiting } = await storeReceived(service, {})
    const early = await service.call('POST', `/emails/${waiting}/share`, { body: {} })
    expect([foreign.status, early.status]).toEqual([404, 404])
  })

  it.each(['', 'From: \r\n'])('that names no sender says so, with %j', async (from) => {
    const content = `${from}Subject: Hello\r\n\r\nHello`
    const { body } = await open(await share(await receiveEmail(service, { content })))
    expect(String(body)).toContain('<dt>From</dt><dd>This email names no sender.</dd>')
  })

  it('cannot run what its sender wrote', async () => {
    const content = 'From: eve@example.org\r\nSubject: <b>x</b>\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script><p>Hi</p>'
    const { body } = await open(await share(await receiveEmail(service, { content })))
    expect(String(body)).toContain('&lt;b&gt;x&lt;/b&gt;')
    expect(String(body)).not.toContain('<script>alert')
  })
})

describe('POST /emails/:id/share', () => {
  it('answers a link with the SDK', async () => {
    const id = await send(service)
    const { data, error } = await resend.emails.share(id, { expiresIn: '2 hours' })
    expect({ data, error }).toEqual({
      data: { object: 'email', id, url: expect.stringContaining('http://localhost:3000/share/') },
      error: null,
    })
    expect((await resend.emails.share(id)).error).toBeNull()
  })

  it.each<[object | undefined, number]>([
    [{}, 48 * HOUR_MS],
    [{ expires_in: null }, 48 * HOUR_MS],
    [{ expires_in: '10m' }, HOUR_MS / 6],
    [{ expires_in: '2 hours' }, 2 * HOUR_MS],
    [{ expires_in: '1 day' }, 24 * HOUR_MS],
    [{ expires_in: '1h 30m' }, 1.5 * HOUR_MS],
    [{ expires_in: '48h' }, 48 * HOUR_MS],
    [{ expires_in: '30 seconds' }, 30_000],
  ])('makes a link that works as long as %j says and no longer', async (body, durationMs) => {
    const path = await share(await send(service), body)
    clock.advance(durationMs - 1)
    expect((await open(path)).status).toBe(200)
    clock.advance(1)
    expect((await open(path)).status).toBe(403)
  })

  const GRAMMAR = 'The `expires_in` field must be a duration such as `10m`, `2 hours` or `1h 30m`.'
  it.each<[unknown, string]>([
    ['49h', 'The `expires_in` field must be at most 48 hours.'],
    ['2 days 1 second', 'The `expires_in` field must be at most 48 hours.'],
    ['999999 weeks', 'The `expires_in` field must be at most 48 hours.'],
    ['', GRAMMAR],
    ['0m', GRAMMAR],
    ['-1h', GRAMMAR],
    ['10', GRAMMAR],
    ['soon', GRAMMAR],
    ['1 month', GRAMMAR],
    ['500ms', GRAMMAR],
    ['1h and', GRAMMAR],
    ['9'.repeat(MIB), GRAMMAR],
    [600, 'The `expires_in` field must be a string.'],
    [['1h'], 'The `expires_in` field must be a string.'],
    ['1h\0', 'The `expires_in` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
  ])('refuses expires_in %j', async (given, message) => {
    const id = await send(service)
    expect(outcome(await service.call('POST', `/emails/${id}/share`, { body: { expires_in: given } }))).toEqual(invalid(message))
  })

  it('refuses a body that is not an object', async () => {
    const id = await send(service)
    expect(outcome(await service.call('POST', `/emails/${id}/share`, { body: '["1h"]' }))).toEqual(
      invalid('The request body must be an object.'),
    )
  })
})

describe('GET /share/:token', () => {
  const ATTACK = '"><script>alert(1)</script>'

  it('shows an email without a key, and nothing of it as HTML of ours', async () => {
    const id = await send(service, {
      subject: `${ATTACK} & more`,
      from: '"Eve \'& Co" <eve@example.com>',
      cc: 'copy@example.com',
      bcc: 'hidden@example.com',
      html: `<p>Hello</p>${ATTACK}<img src=x onerror=alert(1)>`,
      text: undefined,
    })
    const { text, status } = await open(await share(id))

    expect(status).toBe(200)
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script type="module">'])
    expect(text).not.toContain('<img')
    expect(text).toContain('<h1>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</h1>')
    expect(text).toContain('<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</title>')
    expect(text).toContain('&quot;Eve &#39;&amp; Co&quot; &lt;eve@example.com&gt;')
    expect(text).toContain('copy@example.com')
    expect(text).not.toContain('hidden@example.com')
    expect(text).not.toMatch(/allow-(same-origin|forms|modals|top-navigation)/)
    expect(text).toMatch(
      /<iframe title="[^"]*" sandbox(="[a-z -]*")? srcdoc="&lt;script&gt;[^"]*&lt;\/script&gt;(?:(?!&lt;script)[^"])*&lt;p&gt;Hello&lt;\/p&gt;[^"]*"><\/iframe>/,
    )
  })

  it('says nothing in its link of the team or the email, whose id is in the Message-ID', async () => {
    const id = await send(service)
    const path = await share(id)
    const readable = path
      .slice('/share/'.length)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    expect(readable.join('\n')).not.toMatch(new RegExp(`${service.teamId}|${id}|payload`))
    expect(String((await open(path)).body)).not.toContain(id)
  })

  it('shows an email without HTML as text', async () => {
    const { text } = await open(await share(await send(service, { text: `1 < 2 ${ATTACK}`, subject: '' })))
    expect(text).toContain('<pre>1 &lt; 2 &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</pre>')
    expect(text).toContain('<title>(no subject)</title>')
    expect(text).not.toContain('<iframe')
  })

  it.each([
    ['a link that works', 200],
    ['a link that does not', 403],
  ])('answers %s as a page that runs two scripts of ours and is kept nowhere', async (_what, status) => {
    const answer = await open(status === 200 ? await share(await send(service)) : '/share/nonsense')
    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
      'x-dns-prefetch-control': 'off',
    })
    const scripts = [
      /<script type="module">(.*?)<\/script>/s.exec(answer.text)?.[1] ?? '',
      /^<script>(.*?)<\/script>/s.exec(withFrameScript(''))?.[1] ?? '',
    ]
    const [ofPage, ofFrame] = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    expect(/script-src ([^;]*);/.exec(answer.headers.get('content-security-policy') ?? '')?.[1]).toBe(`${ofPage} ${ofFrame}`)
    expect(answer.text).toMatch(/^<!doctype html>/)
  })

  it('answers a page with status 403 for a link that was changed by one character', async () => {
    const path = await share(await send(service))
    for (let at = '/share/'.length; at < path.length; at += 1) {
      const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`
      const answer = await open(changed)
      expect({ at, status: answer.status }).toEqual({ at, status: 403 })
      expect(answer.text).toContain('This link is not complete, or was changed. Ask for a new one.')
    }
  })

  it('answers a page with status 403 for an email that has been deleted', async () => {
    const id = await send(service)
    const path = await share(id)
    await service.database.execute('delete from emails where id = $1', [id])
    const answer = await open(path)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This email has been deleted.')
  })

  describe('inline images', () => {
    const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const HTML = '<img src="cid:logo"><img src="cid:terms"><img src="cid:none">'
    const sendWithImage = () =>
      send(service, {
        html: HTML,
        attachments: [
          { filename: 'logo.png', content: PIXEL, content_id: 'logo' },
          { filename: 'terms.pdf', content: 'aGk=', content_id: 'terms' },
          { filename: 'secret.png', content: PIXEL },
        ],
      })
    const imagesOf = async (path: string) =>
      [...(await open(path)).text.matchAll(/img src=&quot;([^&]*)&quot;/g)].map(([, address]) => address)

    it('are shown through addresses of their own, other files are not', async () => {
      const path = await share(await sendWithImage())
      const [logo = '', ...rest] = await imagesOf(path)
      const answer = await open(logo)

      expect(logo).toMatch(/^\/inline-images\/[\w.-]+$/)
      expect(rest).toEqual(['cid:terms', 'cid:none'])
      expect({ status: answer.status, type: answer.headers.get('content-type'), length: answer.headers.get('content-length') }).toEqual({
        status: 200,
        type: 'image/png',
        length: String(Buffer.from(PIXEL, 'base64').length),
      })
      expect((await open(path)).headers.get('content-security-policy')).toContain("img-src data: 'self';")
    })

    it('have addresses that open nothing else, and say nothing of the email', async () => {
      const id = await sendWithImage()
      const [logo = ''] = await imagesOf(await share(id))
      const token = logo.slice('/inline-images/'.length)
      const readable = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())

      expect(readable.join('\n')).not.toContain(id)
      expect((await open(`/share/${token}`)).status).toBe(403)
      expect((await open(`/downloads/${token}`)).status).toBe(403)
    })

    it.each([
      ['the hour that a page is looked at', '48h', HOUR_MS],
      ['the link itself', '10m', HOUR_MS / 6],
    ])('are out of reach after %s', async (_what, expiresIn, durationMs) => {
      const [logo = ''] = await imagesOf(await share(await sendWithImage(), { expires_in: expiresIn }))
      clock.advance(durationMs - 1)
      expect((await open(logo)).status).toBe(200)
      clock.advance(1)
      expect((await open(logo)).status).toBe(403)
    })

    it('are gone with their email', async () => {
      const id = await sendWithImage()
      const [logo = ''] = await imagesOf(await share(id))
      await service.database.execute('delete from attachments where email_id = $1', [id])
      expect((await open(logo)).status).toBe(404)
    })
  })

  it.each([
    ['HTML', { html: `<p>${'x'.repeat(SHOWN_LENGTH_MAX)}` }, SHOWN_LENGTH_MAX - '<p>'.length],
    ['text', { html: undefined, text: 'x'.repeat(SHOWN_LENGTH_MAX + 1) }, SHOWN_LENGTH_MAX],
  ])('shows the beginning of very long %s, and says so', async (_what, content, shownLength) => {
    const { text } = await open(await share(await send(service, content)))
    expect(text).toContain('Only its beginning is shown.')
    expect(/x{1000,}/.exec(text)?.[0]).toHaveLength(shownLength)
  })

  it.each(["'", '<a b>', '<img ', '<!--', '<a b=c ', '<b>', '&', '<style> cid:a', ' cid:a'])(
    'is made in no time of megabytes of %s, and is not long',
    async (part) => {
      const path = await share(await send(service, { html: part.repeat((4 * MIB) / part.length) }))
      const spentMs = await leastCpuMs(async () => {
        const answer = await open(path)
        expect(answer.status).toBe(200)
        expect(Buffer.byteLength(answer.text)).toBeLessThan(2 * MIB)
      }, 1_000)
      expect(spentMs).toBeLessThan(1_000)
    },
  )

  it('leaves time for everything else, however many links are opened at once', async () => {
    const html = '<a b>'.repeat(SHOWN_LENGTH_MAX / 5)
    const paths = await Promise.all(Array.from({ length: 60 }, async () => share(await send(service, { html }))))
    const pages = paths.map(open)
    const before = process.threadCpuUsage()
    expect((await service.call('GET', '/health/live', { token: null })).status).toBe(200)
    const { user } = process.threadCpuUsage(before)
    expect(user / 1_000).toBeLessThan(2_000)

    const answers = await Promise.all(pages)
    const seen = new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))
    expect(seen).toEqual(new Set(['200 null', '503 5']))
    expect(answers.find(({ status }) => status === 503)?.text).toContain('Load this page again in a few seconds.')
  })

  it('makes the page of one link once for all who open it within a moment', async () => {
    const id = await send(service)
    const path = await share(id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(path)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await service.database.execute('delete from emails where id = $1', [id])
    expect((await open(path)).status).toBe(200)
    clock.advance(10_001)
    expect((await open(path)).status).toBe(403)
  })
})
