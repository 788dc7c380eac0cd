import { beforeAll, describe, expect, it } from 'vitest'
import { createContact } from '../../support/builders/contacts.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/received'

let cookie: string
const service = shared(() => startTestService({ environment: { INBOUND_DOMAIN: 'in.example.com', DNS_SERVERS: '127.0.0.1:9' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const subjectsOf = (text: string) => [...text.matchAll(/<span class="subject" dir="auto">([^<]*)/g)].map(([, subject]) => subject)

const verdictsIn = (text: string) =>
  [...text.matchAll(/<dt>(SPF|DKIM|DMARC|ARC|Filter)<\/dt><dd><span class="state \w+">([^<]*)<\/span> <span class="soft">([^<]*)/g)].map(
    ([, ...row]) => row,
  )

describe('the page of received mail', () => {
  it('says how mail is received until there is some', async () => {
    const { status, text } = await look()
    expect(status).toBe(200)
    expect(text).toContain('<h2>No mail yet</h2>')
    expect(text).toContain(`Mail to any address at <span class="code">${service.teamId}.in.example.com</span> is received too.`)
  })

  it('lists the mail of the team, newest first, page by page, and finds it by its addresses', async () => {
    await receiveEmail(service, { teamId: service.other.teamId, content: 'From: a@b.example\r\nSubject: Theirs\r\n\r\n' })
    for (let count = 1; count <= 51; count += 1)
      await receiveEmail(service, { rcptTo: [`a${count}@example.com`], content: `From: f${count}@b.example\r\nSubject: ${count}\r\n\r\n` })

    const first = await look()
    expect(subjectsOf(first.text)).toEqual(Array.from({ length: 50 }, (_one, index) => String(51 - index)))
    const older = /href="\/console\/received(\?after=[^"]*)" rel="next"/.exec(first.text)?.[1] ?? ''
    const oldest = await look(older)
    expect(subjectsOf(oldest.text)).toEqual(['1'])
    const newer = /href="\/console\/received(\?before=[^"]*)" rel="prev"/.exec(oldest.text)?.[1] ?? ''
    expect((await look(newer)).location).toBe(PAGE)
    expect(subjectsOf((await look('?to=A7@example.com')).text)).toEqual(['7'])
    expect(subjectsOf((await look('?from=f8@b.example')).text)).toEqual(['8'])
    expect((await look('?from=f8@b.example&to=a9@example.com')).text).toContain('No such email was received.')
  })

  it('shows a message with its verdicts, and links to its files', async () => {
    const id = await receiveEmail(service)
    const { status, text } = await look(`/${id}`)
    expect(status).toBe(200)
    expect(text).toContain('<h1 dir="auto">Grüße</h1>')
    expect(verdictsIn(text)).toEqual([
      ['SPF', 'processing failed', 'The DNS did not answer.'],
      ['DKIM', 'gray', 'The domain of the sender has not signed it, or not all of it.'],
      ['DMARC', 'processing failed', 'The DNS did not answer.'],
      ['ARC', 'gray', 'No server that forwarded it has signed it.'],
    ])
    expect([...text.matchAll(/href="http:\/\/localhost:3000(\/downloads\/[^"]+)"/g)]).toHaveLength(3)
    expect((await look(`/${id}?view=text`)).text).toContain('aria-label="Text of the email">Hello</pre>')
    expect((await look(`/${id}?view=headers`)).text).toContain('<dt>message-id</dt><dd>&lt;one@example.org&gt;</dd>')
  })

  it.each([
    [
      { name: 'rspamd', verdict: 'clean', score: -1.2, detail: 'no action' },
      ['clean', 'rspamd found nothing wrong with it (score -1.2, no action).'],
    ],
    [
      { name: 'rspamd', verdict: 'spam', score: 9.5, detail: 'add header' },
      ['spam', 'rspamd says that it is spam (score 9.5, add header).'],
    ],
    [
      { name: 'clamd', verdict: 'virus', score: null, detail: 'Eicar-Signature' },
      ['virus', 'clamd found a virus in it (Eicar-Signature).'],
    ],
    [{ name: 'clamd', verdict: 'clean', score: null, detail: null }, ['clean', 'clamd found nothing wrong with it.']],
    [
      { name: 'clamd', verdict: 'not_checked', score: null, detail: 'The filter is down.' },
      ['not checked', 'clamd has not checked it. The filter is down.'],
    ],
  ] as const)('says what the filter said: %j', async (filter, words) => {
    const { text } = await look(`/${await receiveEmail(service, { filter })}`)
    expect(verdictsIn(text).at(-1)).toEqual(['Filter', ...words])
  })

  it('leads from the sender to the contact, if there is one', async () => {
    const from = async (sender: string) =>
      /<dt>From<\/dt><dd>(.*?)<\/dd>/.exec(
        (await look(`/${await receiveEmail(service, { content: `From: ${sender}\r\n\r\nHi` })}`)).text,
      )?.[1]
    expect(await from('Ada <Ada.L@Example.org>')).toBe('<bdi>Ada.L@Example.org</bdi>')
    await createContact(service, { email: 'ada.l@example.org' }, { token: service.other.token })
    expect(await from('Ada <Ada.L@Example.org>')).not.toContain('<a ')
    const id = await createContact(service, { email: 'ada.l@example.org' })
    expect(await from('Ada <Ada.L@Example.org>')).toContain(`<a href="/console/contacts/${id}"><bdi>Ada.L@Example.org</bdi></a>`)
  })

  it('shows hostile HTML in a frame that runs nothing, and escapes the rest', async () => {
    const hostile = '<script>alert(1)</script>'
    const id = await receiveEmail(service, {
      content: `From: "${hostile}" <a@b.example>\r\nSubject: ${hostile}\r\nX-Evil: ${hostile}\r\nContent-Type: text/html\r\n\r\n${hostile}<p onclick="x()">Hi</p>`,
    })
    for (const view of ['html', 'headers']) expect((await look(`/${id}?view=${view}`)).text).not.toContain(hostile)
    const frame = await look(`/${id}/html`)
    expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox allow-popups [^;]*; default-src 'none'; script-src 'sha256-/)
    expect(frame.text).not.toMatch(/alert|onclick/)
    expect(frame.text).toContain('<p>Hi</p>')
  })

  it('shows inline images within the frame', async () => {
    const frame = await look(`/${await receiveEmail(service)}/html`)
    const [, image = ''] = /<img src="(\/images\/[^"]+)"/.exec(frame.text) ?? []
    expect((await visit(service, 'GET', image)).text).toBe('image')
  })

  it('is not there for another team', async () => {
    const id = await receiveEmail(service, { teamId: service.other.teamId })
    for (const path of [`/${id}`, `/${id}/html`, '/nonsense']) expect((await look(path)).status).toBe(404)
  })
})
