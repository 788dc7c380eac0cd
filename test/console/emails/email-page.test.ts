import PostalMime from 'postal-mime'
import { beforeAll, describe, expect, it } from 'vitest'
import { SHOWN_LENGTH_MAX } from '../../../src/mail/html/contained-html.ts'
import { framePolicy } from '../../../src/modules/sharing/frame/email-frame.ts'
import { emailInput, MIB, send } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { type Seen, securityHeaders, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path: string): Promise<Seen> => visit(service, 'GET', path, { cookie })
const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
const source = ({ text }: Seen) => /aria-label="Source of the message">(.*?)<\/pre>/s.exec(text)?.[1]
/** The document of a frame without the script of ours. */
const contentIn = ({ text }: Seen): string => text.replace(/<script>[^<]*<\/script>/, '')
const filesOf = (id: string) =>
  service.database.execute<{ id: string; filename: string | null }>(
    'select id, filename from attachments where email_id = $1 order by position',
    [id],
  )

describe('the page of an email', () => {
  it('shows who wrote it to whom, blind copies too, and opens with its HTML in a sandboxed frame', async () => {
    const id = await send(service, {
      from: 'Änne <hello@example.com>',
      to: ['Bo <delivered+1@simulator.test>', 'delivered+2@simulator.test'],
      cc: 'delivered+3@simulator.test',
      bcc: 'delivered+4@simulator.test',
      reply_to: 'reply@example.com',
      html: '<p>Hi</p>',
    })
    const { text } = await look(`/console/emails/${id}`)
    const facts = [...text.matchAll(/<dt>([^<]*)<\/dt><dd dir="auto">([^<]*)</g)].map(([, name, value]) => [name, value])
    expect(facts).toEqual([
      ['From', 'Änne &lt;hello@example.com&gt;'],
      ['To', 'Bo &lt;delivered+1@simulator.test&gt;, delivered+2@simulator.test'],
      ['Cc', 'delivered+3@simulator.test'],
      ['Bcc', 'delivered+4@simulator.test'],
      ['Reply to', 'reply@example.com'],
    ])
    expect(text).toContain(
      `<iframe title="Content of the email" sandbox="allow-popups allow-popups-to-escape-sandbox allow-scripts" referrerpolicy="no-referrer" src="/console/emails/${id}/html"></iframe>`,
    )
  })

  it('opens with the text when there is no HTML, and says when there is neither', async () => {
    const [withText, empty] = [await send(service, { text: 'Only <text>\n' }), await send(service, { text: '' })]
    expect((await look(`/console/emails/${withText}`)).text).toContain('aria-label="Text of the email">Only &lt;text&gt;\n</pre>')
    expect((await look(`/console/emails/${empty}`)).text).toContain('This email has no text.')
    expect((await look(`/console/emails/${withText}?view=html`)).text).toContain('This email has no HTML.')
  })

  it('shows the text that is made from the HTML, as it is sent', async () => {
    const id = await send(service, { text: undefined, html: '<h1>Title</h1><p>A <a href="https://example.com">link</a></p>' })
    const { text } = await look(`/console/emails/${id}?view=text`)
    expect(text).toContain('Made from the HTML, as it is sent.')
    expect(text).toContain('Title\n\nA link (https://example.com)</pre>')
  })

  it('shows the first 256 KB of a text and says so', async () => {
    const id = await send(service, { text: 'x'.repeat(300_000) })
    const { text } = await look(`/console/emails/${id}`)
    expect(/x{1000,}/.exec(text)?.[0]).toHaveLength(256 * 1024)
    expect(text).toContain('This is the beginning.')
  })

  it('offers to load remote images only where there are any, and only then loads them', async () => {
    const [remote, local] = [
      await send(service, { html: '<img src="https://other.example/a.png">' }),
      await send(service, { html: '<p>https://other.example/a.png</p>' }),
    ]
    expect((await look(`/console/emails/${remote}`)).text).toContain(
      `<a href="/console/emails/${remote}?remote=yes">Load remote images</a>`,
    )
    expect((await look(`/console/emails/${local}`)).text).not.toContain('remote images')
    expect((await look(`/console/emails/${remote}?remote=yes`)).text).toContain(`src="/console/emails/${remote}/html?remote=yes"`)
  })

  it('says when HTML is too long to be shown as a whole', async () => {
    const id = await send(service, { html: `<p>${'x'.repeat(SHOWN_LENGTH_MAX)}</p>` })
    expect((await look(`/console/emails/${id}`)).text).toContain('This is the beginning.')
    expect(contentIn(await look(`/console/emails/${id}/html`))).toHaveLength(SHOWN_LENGTH_MAX)
  })

  it.each(["'", '<a b>', '<style> cid:a'])('makes the frame of megabytes of %s in no time, and not long', async (part) => {
    const id = await send(service, { html: part.repeat((4 * MIB) / part.length) })
    const before = process.threadCpuUsage()
    const { text } = await look(`/console/emails/${id}/html`)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(Buffer.byteLength(text)).toBeLessThan(MIB)
  })

  it('leads to the template that it was made of', async () => {
    const template = await publishedTemplate(service)
    const { body } = await service.call('POST', '/emails', { body: { to: 'delivered@simulator.test', template: { id: template } } })
    const { text } = await look(`/console/emails/${(body as { id: string }).id}`)
    expect(text).toContain(
      `<dt>Made of</dt><dd>the template <a href="/console/templates/${template}"><bdi>Order confirmation</bdi></a></dd>`,
    )
  })

  it('names its id and its tags', async () => {
    const id = await send(service, { tags: [{ name: 'kind', value: 'receipt' }] })
    const { text } = await look(`/console/emails/${id}`)
    expect(text).toContain(`<dt>Id</dt><dd class="code">${id}</dd>`)
    expect(text).toContain('<dt>Tags</dt><dd><span class="tag">kind: receipt</span> </dd>')
  })
})

describe('the message', () => {
  it('is shown as headers and as source, and downloads whole', async () => {
    const id = await send(service, { subject: 'Grüße', html: '<p>Hi</p>', bcc: 'hidden@example.org', headers: { 'X-Note': 'a <b> & c' } })
    const [headers, page, file] = [
      await look(`/console/emails/${id}?view=headers`),
      await look(`/console/emails/${id}?view=source`),
      await look(`/console/emails/${id}/message`),
    ]

    expect(headers.text).toContain('<dt>X-Note</dt><dd>a &lt;b&gt; &amp; c</dd>')
    expect(headers.text).toContain(`<dt>Message-ID</dt><dd>&lt;${id}@example.com&gt;</dd>`)
    expect(source(page)).toContain('X-Note: a &lt;b&gt; &amp; c\r\n')
    expect(page.text).toContain(
      'The message as it is sent. If it is tracked, each recipient gets links, an image and a signature of their own.',
    )
    expect(securityHeaders(file)).toMatchObject({ 'content-type': 'application/octet-stream', 'x-content-type-options': 'nosniff' })
    expect(file.headers.get('content-disposition')).toContain(`attachment; filename="${id}.eml"`)
    const { subject, html, text } = await PostalMime.parse(file.text)
    expect({ subject, html: html?.trim(), text: text?.trim() }).toEqual({ subject: 'Grüße', html: '<p>Hi</p>', text: 'Thank you.' })
    expect(file.text).not.toContain('hidden@example.org')
  })

  it('is shown up to 256 KB', async () => {
    const content = Buffer.alloc(2 * MIB, 'x').toString('base64')
    const sent = await service.call('POST', '/emails', { body: emailInput({ attachments: [{ filename: 'big.bin', content }] }) })
    const { id } = sent.body as { id: string }
    const page = await look(`/console/emails/${id}?view=source`)
    expect(source(page)?.replaceAll(/&(lt|gt|quot|#39|amp);/g, '_')).toHaveLength(256 * 1024)
    expect(page.text).toContain('The beginning of the message as it is sent.')
    expect((await look(`/console/emails/${id}/message`)).text.length).toBeGreaterThan(2 * MIB)
  })

  it('says that files are still being fetched', async () => {
    const id = await send(service, { attachments: [{ filename: 'a.txt', path: 'http://127.0.0.1:9/nothing' }] })
    expect((await look(`/console/emails/${id}?view=source`)).text).toContain('Files of this email are still being fetched.')
    expect((await look(`/console/emails/${id}?view=headers`)).text).toContain('Files of this email are still being fetched.')
    expect((await look(`/console/emails/${id}/message`)).status).toBe(404)
    expect((await look(`/console/emails/${id}`)).text).toContain('<span><bdi>a.txt</bdi></span>')
  })
})

describe('attachments', () => {
  it('are listed in the order in which they were given, and download as what no browser runs', async () => {
    const attachments = [
      { filename: 'page.html', content: Buffer.from('<script>1</script>').toString('base64') },
      { filename: 'Rechnung "ü" <b>.txt', content: 'aGk=' },
      { filename: 'third.txt', content: 'aGk=' },
    ]
    const id = await send(service, { attachments })
    const files = await filesOf(id)
    const { text } = await look(`/console/emails/${id}`)
    expect([...text.matchAll(/attachments\/([^"]*)"><bdi>([^<]*)</g)].map(([, file, name]) => [file, name])).toEqual([
      [files[0]?.id, 'page.html'],
      [files[1]?.id, 'Rechnung &quot;ü&quot; &lt;b&gt;.txt'],
      [files[2]?.id, 'third.txt'],
    ])

    const [page, named] = [
      await look(`/console/emails/${id}/attachments/${files[0]?.id}`),
      await look(`/console/emails/${id}/attachments/${files[1]?.id}`),
    ]
    expect(page.text).toBe('<script>1</script>')
    expect(securityHeaders(page)).toEqual({
      'content-type': 'application/octet-stream',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'private, no-store',
    })
    expect(named.headers.get('content-disposition')).toBe(
      `attachment; filename="Rechnung ___ <b>.txt"; filename*=UTF-8''Rechnung%20%22%C3%BC%22%20%3Cb%3E.txt`,
    )
  })
})

describe('the document of the frame', () => {
  it('has a policy of its own and shows inline images through addresses that need no cookie', async () => {
    const id = await send(service, {
      html: '<!doctype html><img src="cid:logo"><img src="cid:page">',
      attachments: [
        { filename: 'logo.png', content: PNG.toString('base64'), content_id: 'logo' },
        { filename: 'page.html', content: 'PGI+', content_id: 'page' },
      ],
    })
    const frame = await look(`/console/emails/${id}/html`)
    const [, address = ''] = /^<!doctype html><img src="([^"]*)"><img src="cid:page">$/.exec(contentIn(frame)) ?? []
    const image = await visit(service, 'GET', address)

    expect(securityHeaders(frame)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': framePolicy(false),
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    })
    expect((await look(`/console/emails/${id}/html?remote=yes`)).headers.get('content-security-policy')).toContain(
      "img-src data: 'self' https: http:;",
    )
    expect(image.status).toBe(200)
    expect({ ...securityHeaders(image), 'content-disposition': image.headers.get('content-disposition') }).toEqual({
      'content-type': 'image/png',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-frame-options': null,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="logo.png"; filename*=UTF-8''logo.png`,
    })
    expect((await visit(service, 'GET', `${address.slice(0, -1)}_`)).status).toBe(403)
  })

  it('does not take a token for another kind of link', async () => {
    const { links, clock } = service.service.context
    const token = links.sign('download', { id: 'x' }, new Date(clock.now().getTime() + 60_000))
    expect((await look(`/images/${token}`)).status).toBe(403)
  })

  it('is empty for an email without HTML', async () => {
    expect(contentIn(await look(`/console/emails/${await send(service)}/html`))).toBe('')
  })
})
