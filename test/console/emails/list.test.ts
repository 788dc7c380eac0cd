import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailInput, send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, securityHeaders, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string

const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path: string, headers: Record<string, string> = {}): Promise<Seen> => visit(service, 'GET', path, { cookie, headers })
const subjects = ({ text }: Seen): (string | undefined)[] =>
  [...text.matchAll(/class="subject" dir="auto">([^<]*)</g)].map(([, one]) => one)

const OF_A_PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-store',
}

describe('every page', () => {
  it('lets a browser load nothing but files of ours, and keeps nothing', async () => {
    const id = await send(service, { html: '<p>Hi</p>' })
    const paths = [
      '/console/emails',
      '/console/emails/lines',
      `/console/emails/${id}`,
      `/console/emails/${id}/progress`,
      '/console/domains',
      '/console/emails/none',
      '/console/emails/a/b/c',
    ]
    for (const path of paths) expect({ path, ...securityHeaders(await look(path)) }).toEqual({ path, ...OF_A_PAGE })
  })

  it('holds no script, style or handler in itself, but the pages for signing in, which load nothing and run what their policy names alone', async () => {
    const id = await send(service, { html: '<p style="color:red" onclick="x()">Hi</p><script>1</script>', subject: 'Inline' })
    for (const path of ['/console/emails', `/console/emails/${id}`, `/console/emails/${id}?view=text`]) {
      const { text } = await look(path)
      expect(text.match(/<style|<script(?! type="module" src="\/console\/files\/\w+\.[0-9a-f]{12}\.js">)| style=| on[a-z]+=/g)).toBeNull()
    }
    const digestOf = (content = '') => `'sha256-${createHash('sha256').update(content).digest('base64')}'`
    for (const [path, held] of [
      ['/console/sign-in', ['<style>', '<script type="module">']],
      ['/console/sign-in/x', ['<style>']],
    ] as const) {
      const seen = await look(path)
      expect(seen.text.match(/<style[^>]*>|<script[^>]*>|<link(?! rel="icon" href="data:)|<img| src=| style=| on[a-z]+=/g)).toEqual(held)
      const style = digestOf(/<style>([\s\S]*?)<\/style>/.exec(seen.text)?.[1])
      const script = digestOf(/<script type="module">([\s\S]*?)<\/script>/.exec(seen.text)?.[1])
      const policy = `default-src 'none'; style-src ${style}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'${
        held.length > 1 ? `; script-src ${script}; connect-src 'self'` : ''
      }`
      expect({ path, ...securityHeaders(seen) }).toEqual({
        ...{ path, ...OF_A_PAGE, 'content-security-policy': policy, 'referrer-policy': 'no-referrer' },
      })
    }
  })

  it('finds its styles and scripts, which may be cached indefinitely because their addresses change with them', async () => {
    const pages = [
      await look('/', { accept: 'text/html' }),
      await look('/console/emails'),
      await look('/console/domains'),
      await look(`/console/emails/${await send(service, { html: '<p>Hi</p>' })}`),
    ]
    const addresses = new Set(
      pages.flatMap(({ text }) => [...text.matchAll(/(?:href|src)="(\/console\/files\/[^"]*)"/g)].map(([, one]) => one ?? '')),
    )
    const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }
    const found: Record<string, unknown> = {}
    for (const address of addresses) {
      const { status, headers, text } = await visit(service, 'GET', address)
      const [, name = '', hash, kind] = /^\/console\/files\/(\w+)\.([0-9a-f]{12})\.(css|js)$/.exec(address) ?? []
      expect({ address, hash }).toEqual({ address, hash: createHash('sha256').update(text).digest('hex').slice(0, 12) })
      found[`${name}.${kind}`] = [status, headers.get('content-type') === types[kind as 'css' | 'js'], headers.get('cache-control')]
    }
    const whole = [200, true, 'public, max-age=31536000, immutable']
    expect(found).toEqual({
      'shell.css': whole,
      'times.js': whole,
      'live.js': whole,
      'once.js': whole,
      'finder.js': whole,
      'home.css': whole,
      'emails.css': whole,
      'fit.js': whole,
      'domains.css': whole,
      'copy.js': whole,
    })
  })

  it.each([
    ['/console/emails/a/b/c', 404, 'There is nothing at this address.'],
    ['/console/emails/not-an-id', 404, 'Email not found'],
    [`/console/emails/${UNKNOWN_ID}`, 404, 'Email not found'],
    [`/console/emails/${UNKNOWN_ID}?view=nothing`, 422, 'view'],
    ['/console/emails?after=nonsense', 422, 'after'],
    ['/console/emails?q=%00', 422, 'q'],
    [`/console/emails?q=${'x'.repeat(201)}`, 422, 'q'],
    [`/console/emails?after=${UNKNOWN_ID}&before=${UNKNOWN_ID}`, 422, 'Give either'],
  ])('%s is a page that says what is wrong (%i)', async (path, status, sentence) => {
    const seen = await look(path)
    expect({ status: seen.status, ...securityHeaders(seen) }).toEqual({ status, ...OF_A_PAGE })
    expect(seen.text).toContain(sentence)
    expect(seen.text).toContain('<a class="button" href="/console/emails">Go to the console</a>')
  })
})

describe("another team's email", () => {
  it('is not found under any address, and in no list', async () => {
    const sent = await service.call('POST', '/emails', {
      token: service.other.token,
      body: emailInput({ subject: 'Foreign', attachments: [{ filename: 'a.txt', content: 'aGk=' }] }),
    })
    const { id } = sent.body as { id: string }
    const [file] = await service.database.execute<{ id: string }>('select id from attachments where email_id = $1', [id])
    const paths = ['', '?view=source', '/progress', '/html', '/message', `/attachments/${file?.id}`]
    for (const path of paths) {
      const seen = await look(`/console/emails/${id}${path}`)
      expect({ path, status: seen.status }).toEqual({ path, status: 404 })
      expect(seen.text).not.toContain('Foreign')
    }
    expect((await look('/console/emails')).text).not.toContain('Foreign')
    expect((await look('/console/emails/lines')).text).not.toContain('Foreign')
    const theirs = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', `/console/emails/${id}/attachments/${file?.id}`, { cookie: theirs })).text).toBe('hi')
  })

  it('cannot lend its files to an email of ours', async () => {
    const mine = await send(service)
    const sent = await service.call('POST', '/emails', { body: emailInput({ attachments: [{ filename: 'a.txt', content: 'aGk=' }] }) })
    const [file] = await service.database.execute<{ id: string }>('select id from attachments where email_id = $1', [
      (sent.body as { id: string }).id,
    ])
    expect((await look(`/console/emails/${mine}/attachments/${file?.id}`)).status).toBe(404)
  })
})

describe('the list', () => {
  it('says how to send the first email while there is none', async () => {
    const team = await service.service.context.repositories.teams.create('Empty <team>')
    const empty = await signIn(service, await service.createKey(team.id))
    const { status, text } = await visit(service, 'GET', '/console/emails', { cookie: empty })
    expect(status).toBe(200)
    expect(text).toContain('<bdi>Empty &lt;team&gt;</bdi>')
    expect(text).toContain('curl http://localhost:3000/emails')
  })

  it('pages through all mail, newest first, forth and back, and nothing twice', async () => {
    const team = await service.service.context.repositories.teams.create('Pages')
    const token = await service.createKey(team.id)
    const theirs = await signIn(service, token)
    const page = (path: string) => visit(service, 'GET', path, { cookie: theirs })
    const items = Array.from({ length: 100 }, (_, index) => emailInput({ subject: `Email ${index}` }))
    await service.call('POST', '/emails/batch', { token, body: items })
    for (const index of [100, 101, 102]) await send(service, { subject: `Email ${index}` }, { token })
    const wanted = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => `Email ${from - index}`)
    const next = ({ text }: Seen, rel: string) => new RegExp(`href="([^"]*)" rel="${rel}"`).exec(text)?.[1] ?? 'nothing'

    const first = await page('/console/emails')
    const second = await page(next(first, 'next'))
    const third = await page(next(second, 'next'))
    const back = await page(next(third, 'prev'))

    expect(subjects(first)).toEqual(wanted(102, 53))
    expect(subjects(second)).toEqual(wanted(52, 3))
    expect(subjects(third)).toEqual(wanted(2, 0))
    expect([next(first, 'prev'), next(third, 'next')]).toEqual(['nothing', 'nothing'])
    expect(subjects(back)).toEqual(wanted(52, 3))
    expect((await page(next(back, 'prev'))).location).toBe('/console/emails')
    // Only the first page is kept up to date.
    expect([first, second].map(({ text }) => text.includes('data-live'))).toEqual([true, false])
  })

  it('says of each email who sent it to whom, how many more, and what only some of them got', async () => {
    const id = await send(service, { from: 'Acme <a@example.com>', to: ['x@example.org', 'y@example.org'], bcc: 'z@example.org' })
    const line = async () =>
      /<span class="who">.*?<\/time>/s.exec((await look('/console/emails')).text.split(`id="${id}"`)[1] ?? '')?.[0] ?? ''
    expect(await line()).toContain('<span class="who"><bdi>Acme &lt;a@example.com&gt;</bdi> to <bdi>x@example.org and 2 more</bdi></span>')
    expect(await line()).toContain('<span class="state queued">queued</span>')

    await service.database.execute("update recipients set state = 'delivered' where email_id = $1", [id])
    await service.database.execute("update recipients set state = 'bounced' where email_id = $1 and address = 'z@example.org'", [id])
    await service.database.execute("update emails set last_event = 'delivered' where id = $1", [id])
    expect(await line()).toContain('<span class="state bounced" title="1 bounced, 2 delivered">1 of 3 bounced</span>')
  })

  it('tells times to the second to those who point at them, and the year only when it is another one', async () => {
    const id = await send(service)
    const now = service.service.context.clock.now()
    const timeOf = async (at: Date) => {
      await service.database.execute('update emails set created_at = $2 where id = $1', [id, at])
      return /<time.*?<\/time>/.exec((await look('/console/emails')).text.split(`id="${id}"`)[1] ?? '')?.[0]
    }
    const lastYear = now.getUTCFullYear() - 1
    expect(await timeOf(new Date(Date.UTC(lastYear, 1, 3, 4, 5, 6)))).toBe(
      `<time datetime="${lastYear}-02-03T04:05:06.000Z" title="${lastYear}-02-03 04:05:06 UTC">3 Feb ${lastYear}, 04:05 UTC</time>`,
    )
    expect(await timeOf(new Date(Date.UTC(now.getUTCFullYear(), 1, 3, 4, 5, 6)))).toBe(
      `<time datetime="${now.getUTCFullYear()}-02-03T04:05:06.000Z" title="${now.getUTCFullYear()}-02-03 04:05:06 UTC">3 Feb, 04:05 UTC</time>`,
    )
  })

  it('escapes what senders write', async () => {
    const hostile = `"'><img src=x onerror=alert(1)>&amp;`
    const id = await send(service, { subject: hostile, text: hostile, headers: { 'X-Note': hostile } })
    for (const path of [
      '/console/emails',
      '/console/emails/lines',
      `/console/emails/${id}`,
      `/console/emails/${id}?view=source`,
      `/console/emails/${id}?view=headers`,
    ]) {
      expect((await look(path)).text).not.toContain('<img')
    }
    expect(subjects(await look('/console/emails'))[0]).toBe('&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;')
  })

  it('answers its lines again only when they have changed', async () => {
    const before = await look('/console/emails/lines')
    const version = before.headers.get('etag') ?? ''
    const same = await look('/console/emails/lines', { 'if-none-match': version })
    await send(service, { subject: 'Just arrived' })
    const changed = await look('/console/emails/lines', { 'if-none-match': version })

    expect([before.status, same.status, same.text, changed.status]).toEqual([200, 304, '', 200])
    expect(subjects(changed)[0]).toBe('Just arrived')
    expect(changed.headers.get('etag')).not.toBe(version)
    expect((await look('/console/emails')).text).toContain(`data-version="${changed.headers.get('etag')?.replaceAll('"', '&quot;')}"`)
  })
})
