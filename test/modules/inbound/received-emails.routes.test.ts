import { Readable } from 'node:stream'
import { Resend } from 'resend'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sweepBlobs } from '../../../src/server/sweeps.ts'
import { missing } from '../../support/builders/answers.ts'
import { RECEIVED_MESSAGE, receiveEmail, storeReceived } from '../../support/builders/received-emails.ts'
import { expectReadsToTakeRoom } from '../../support/clients/raw-requests.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService, type TestService } from '../../support/servers/service.ts'

const clock = createMovingClock()
const HOUR_MS = 60 * 60 * 1_000
const ID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const LINK = expect.stringMatching(/^http:\/\/localhost:3000\/downloads\/1\./)

let client: Resend
let id: string
const service = shared(() => startTestService({ clock }))
beforeAll(async () => {
  client = new Resend(service.token, { baseUrl: service.url })
  id = await receiveEmail(service)
})

const LOGO = {
  ...{ id: ID, filename: 'logo.png', content_type: 'image/png', content_disposition: 'inline' },
  ...{ content_id: 'logo@example.org', size: 5 },
}
const INVOICE = {
  ...{ id: ID, filename: 'invoice.pdf', content_type: 'application/pdf', content_disposition: 'attachment' },
  ...{ content_id: null, size: 4 },
}
const timestamp = () => clock.now().toISOString().replace('T', ' ').replace('Z', '000+00')
const summary = () => ({
  id,
  to: ['support@example.com', 'other@example.net'],
  from: 'Ada Lovelace <ada@example.org>',
  created_at: timestamp(),
  subject: 'Grüße',
  bcc: [],
  cc: ['copy@example.net'],
  reply_to: ['answers@example.org'],
  message_id: '<one@example.org>',
  received_for: ['support@example.com'],
  attachments: [LOGO, INVOICE],
  problem: null,
})
const link = () => ({ download_url: LINK, expires_at: new Date(clock.now().getTime() + HOUR_MS).toISOString() })

const listed = async ({ url, token }: TestService, query: string) => {
  const answer = await fetch(`${url}/emails/receiving${query}`, { headers: { authorization: `Bearer ${token}` } })
  return (await answer.json()) as { object: string; has_more: boolean; data: { id: string; to: string[] }[] }
}

/** What a link leads to. */
const download = (url: string, headers: Record<string, string> = {}) => fetch(`${service.url}${new URL(url).pathname}`, { headers })

describe('the client of the official service', () => {
  it('lists received emails', async () => {
    const { data } = await client.emails.receiving.list()
    expect(data).toEqual({ object: 'list', has_more: false, data: [summary()] })
  })

  it.each([
    ['data_uri' as const, '<p>Hello <img src="data:image/png;base64,aW1hZ2U="></p>'],
    ['cid' as const, '<p>Hello <img src="cid:logo@example.org"></p>'],
  ])('reads one with inline images as %s', async (format, html) => {
    const { data } = await client.emails.receiving.get(id, { html_format: format })
    expect(data).toEqual({
      object: 'email',
      ...summary(),
      html,
      html_format: format,
      text: 'Hello',
      headers: {
        received: 'from mx.example.net by mail.example.com for <support@example.com>; Fri, 20 Nov 2026 09:30:00 +0000',
        from: 'Ada Lovelace <ada@example.org>',
        to: 'Support <support@example.com>, other@example.net',
        cc: 'copy@example.net',
        'reply-to': 'answers@example.org',
        subject: 'Grüße',
        'message-id': '<one@example.org>',
        'mime-version': '1.0',
        'content-type': 'multipart/mixed; boundary=outer',
      },
      authentication: { spf: expect.any(String), dkim: 'gray', dmarc: expect.any(String), arc: 'gray' },
      filter: null,
      raw: link(),
      is_auto_reply: false,
      in_reply_to_email_id: null,
      sent_email_id: null,
    })
  })

  it('lists the attachments, newest first, and reads one', async () => {
    const { data } = await client.emails.receiving.attachments.list({ emailId: id })
    expect(data).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...INVOICE, ...link() },
        { ...LOGO, ...link() },
      ],
    })
    const one = await client.emails.receiving.attachments.get({ emailId: id, id: data?.data[0]?.id ?? '' })
    expect(one.data).toEqual({ object: 'attachment', ...INVOICE, ...link(), id: data?.data[0]?.id })
  })

  it.each([
    [true, { subject: 'Grüße', text: 'Hello\n', html: '<p>Hello <img src="cid:logo@example.org"></p>\n' }, 2],
    [false, { subject: 'Fwd: Grüße', text: 'See below', html: null }, 1],
  ])('forwards one (passthrough: %s)', async (passthrough, content, files) => {
    const real = globalThis.fetch
    globalThis.fetch = (url, options) => real(String(url).replace('http://localhost:3000', service.url), options)
    try {
      const options = { emailId: id, to: 'a@example.net', from: 'b@example.com' }
      const { data, error } = await client.emails.receiving.forward(
        passthrough ? { ...options, passthrough } : { ...options, passthrough: false, text: 'See below' },
      )
      expect(error).toBeNull()
      const { body } = await service.call('GET', `/emails/${data?.id}`)
      expect(body).toMatchObject({ to: ['a@example.net'], from: 'b@example.com', ...content })
      const attachments = await service.call('GET', `/emails/${data?.id}/attachments`)
      expect((attachments.body as { data: unknown[] }).data).toHaveLength(files)
    } finally {
      globalThis.fetch = real
    }
  })
})

describe('the link to the raw message', () => {
  it('gives it whole, or a part of it, as a download', async () => {
    const { data } = await client.emails.receiving.get(id)
    const url = data?.raw?.download_url ?? ''
    const whole = await download(url)
    expect([whole.status, await whole.text()]).toEqual([200, RECEIVED_MESSAGE])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="message.eml"; filename*=UTF-8''message.eml`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'content-length': String(RECEIVED_MESSAGE.length),
      'accept-ranges': 'bytes',
    })
    const part = await download(url, { range: 'bytes=0-7' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 0-7/${RECEIVED_MESSAGE.length}`,
      'Received',
    ])
    const beyond = await download(url, { range: 'bytes=999999-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${RECEIVED_MESSAGE.length}`])
  })

  it('says whether it was changed or has expired', async () => {
    const { data } = await client.emails.receiving.get(id)
    const url = data?.raw?.download_url ?? ''
    const messageOf = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message]
    expect(await messageOf(await download(url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))))).toEqual([
      403,
      'This link is not complete, or was changed. Ask for a new one.',
    ])
    clock.advance(HOUR_MS)
    expect(await messageOf(await download(url))).toEqual([403, 'This link has expired. Ask for a new one.'])
    clock.advance(-HOUR_MS)
  })
})

describe('a received email', () => {
  it('is found by the address that it came to, and by its sender', async () => {
    const other = await receiveEmail(service, {
      rcptTo: ['Sales@example.com'],
      content: 'From: Bob <BOB@example.org>\r\nTo: undisclosed-recipients:;\r\n\r\nHi',
    })
    const listed = async (query: string) =>
      ((await service.call('GET', `/emails/receiving?${query}`)).body as { data: { id: string }[] }).data.map((email) => email.id)

    expect(await listed('to=sales@EXAMPLE.com')).toEqual([other])
    expect(await listed('from=bob@example.org')).toEqual([other])
    expect(await listed('from=ada@example.org&to=support@example.com')).toEqual([id])
    expect(await listed('from=bob@example.org&to=support@example.com')).toEqual([])
    expect(await listed(`limit=1&after=${other}`)).toEqual([id])
    expect(await listed(`to=sales@example.com&limit=5&before=${id}`)).toEqual([other])
    expect((await service.call('DELETE', `/emails/receiving/${other}`)).body).toEqual({ object: 'email', id: other, deleted: true })
    expect(await listed('')).toEqual([id])
  })

  it('is on a page of 4 MB at most, after which there are more', async () => {
    const own = await startTestService()
    try {
      const addresses = Array.from(
        { length: 1_000 },
        (_one, index) => `${'a'.repeat(50)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.e${index}`,
      )
      const content = ['From: a@b.example', `To: ${addresses.join(',\r\n ')}`, `Reply-To: ${addresses.join(',\r\n ')}`, '', ''].join('\r\n')
      const ids: string[] = []
      for (let count = 0; count < 11; count += 1) ids.unshift(await receiveEmail(own, { content }))

      const first = await listed(own, '?limit=100')
      expect({ ...first, data: first.data.length }).toEqual({ object: 'list', has_more: true, data: 8 })
      const rest = await listed(own, `?limit=100&after=${first.data.at(-1)?.id}`)
      expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids)
      expect(rest.has_more).toBe(false)
      const before = await listed(own, `?limit=100&before=${ids.at(-1)}`)
      expect(before).toMatchObject({ has_more: true, data: ids.slice(2, 10).map((id) => ({ id })) })
    } finally {
      await own.close()
    }
  })

  it('is deleted with its files', async () => {
    const deleted = await receiveEmail(service)
    const attachments = await service.call('GET', `/emails/receiving/${deleted}/attachments`)
    const url = (attachments.body as { data: { download_url: string }[] }).data[0]?.download_url ?? ''
    expect((await download(url)).status).toBe(200)

    expect((await service.call('DELETE', `/emails/receiving/${deleted}`)).status).toBe(200)

    expect((await download(url)).status).toBe(404)
    expect(await service.call('GET', `/emails/receiving/${deleted}`)).toMatchObject(missing('Received email'))
    expect(await service.call('GET', `/emails/receiving/${deleted}/attachments`)).toMatchObject(missing('Received email'))
    expect(await service.call('DELETE', `/emails/receiving/${deleted}`)).toMatchObject(missing('Received email'))
    expect(await service.database.execute('select from received_recipients where email_id = $1', [deleted])).toEqual([])
  })

  it('is deleted with what its event says, which webhooks are told no longer', async () => {
    const { database } = service
    const endpoint = await service.call('POST', '/webhooks', {
      body: { endpoint: 'https://hooks.example.com/received', events: ['email.received'] },
    })
    const webhookId = (endpoint.body as { id: string }).id
    const deleted = await receiveEmail(service, { content: 'From: Eve <eve@secret.example>\r\nSubject: Hidden\r\n\r\nHi' })
    const known = () => database.execute('select data from notifications where subject_id = $1', [deleted])
    expect(JSON.stringify(await known())).toContain('eve@secret.example')

    await service.call('DELETE', `/emails/receiving/${deleted}`)

    expect(await known()).toEqual([])
    const messages = await database.execute<{ id: string }>('select id from webhook_messages where subject_id = $1', [deleted])
    const [event] = messages
    expect(messages).toHaveLength(1)
    const contents = await service.service.context.repositories.webhookContents.ofAcrossTeams([{ webhookId, messageId: event?.id ?? '' }])
    expect(contents.get(event?.id ?? '')).toMatchObject({ type: 'email.received', data: null, email: null })
  })

  it('is deleted when its files cannot be removed now, which the sweep removes', async () => {
    const deleted = await receiveEmail(service)
    const { context } = service.service
    const failing = vi.spyOn(context.gateways.blobs, 'remove').mockRejectedValue(new Error('EIO'))
    const [row] = await service.database.execute<{ key: string }>('select blob_key as key from received_emails where id = $1', [deleted])

    expect((await service.call('DELETE', `/emails/receiving/${deleted}`)).status).toBe(200)

    failing.mockRestore()
    expect(await service.call('GET', `/emails/receiving/${deleted}`)).toMatchObject(missing('Received email'))
    const key = row?.key ?? ''
    expect(await context.gateways.blobs.size(key)).toBe(RECEIVED_MESSAGE.length)
    clock.advance(25 * HOUR_MS)
    await sweepBlobs(context)
    expect(await context.gateways.blobs.size(key)).toBeNull()
    clock.advance(-25 * HOUR_MS)
  })

  describe('with inline images', () => {
    const withImages = (html: string, { type = 'image/png', bytes = 5 } = {}) =>
      receiveEmail(service, {
        content: [
          'From: ada@example.org',
          'Content-Type: multipart/related; boundary=b',
          '',
          '--b',
          'Content-Type: text/html',
          '',
          html,
          '--b',
          `Content-Type: ${type}`,
          'Content-ID: <logo@example.org>',
          '',
          'x'.repeat(bytes),
          '--b--',
          '',
        ].join('\r\n'),
      })
    const shown = async (emailId: string) => {
      const { body } = await service.call('GET', `/emails/receiving/${emailId}`)
      const { html, html_format } = body as { html: string; html_format: string }
      return { html, html_format }
    }
    const IMAGE = '<img src="cid:logo@example.org">'

    it('has all of them within itself as often as they are shown, up to 10 MB', async () => {
      const { html, html_format } = await shown(await withImages(IMAGE.repeat(1_000), { bytes: 5_000 }))
      expect(html_format).toBe('data_uri')
      expect(html.match(/data:image\/png;base64,/g)).toHaveLength(1_000)
    })

    it('refers to them if it would be larger with all of them', async () => {
      const html = IMAGE.repeat(1_000)
      expect(await shown(await withImages(html, { bytes: 11_000 }))).toEqual({ html, html_format: 'cid' })
    })

    it('refers to them if it would be larger with all that is around them, however small they are', async () => {
      const html = IMAGE.repeat(160_000)
      expect(await shown(await withImages(html, { type: `image/jpeg`, bytes: 30 }))).toEqual({ html, html_format: 'cid' })
    })

    it.each(['image/svg+xml', 'text/css', 'application/pdf'])('never has a file of type %s within itself', async (type) => {
      expect(await shown(await withImages(IMAGE, { type }))).toEqual({ html: IMAGE, html_format: 'data_uri' })
    })

    it('takes room for what is made of them', async () => {
      const emailId = await withImages(IMAGE, { bytes: 6_500_000 })
      const { context } = service.service
      await expectReadsToTakeRoom({
        hold(until) {
          const blobs = vi.spyOn(context.gateways.blobs, 'open')
          blobs.mockImplementation(async () => {
            await until
            return Readable.from([Buffer.from('x')])
          })
          return () => blobs.mockRestore()
        },
        ask: () => service.call('GET', `/emails/receiving/${emailId}`).then(({ status }) => status),
        // A team has two bodies of the largest size.
        times: 20,
      })
    })
  })

  it('takes room for its content before that is read', async () => {
    const text = `${'x'.repeat(76)}\r\n`.repeat(60_000)
    const content = ['plain', 'html'].map((type) => `--b\r\nContent-Type: text/${type}\r\n\r\n${text}`).join('')
    const emailId = await receiveEmail(service, { content: `Content-Type: multipart/alternative; boundary=b\r\n\r\n${content}--b--` })
    const { receivedEmails } = service.service.context.repositories
    const find = receivedEmails.find.bind(receivedEmails)
    const held = Promise.withResolvers<void>()
    const finding = vi.spyOn(receivedEmails, 'find').mockImplementation(async (...given) => {
      await held.promise
      return find(...given)
    })
    const asking = Array.from({ length: 20 }, () =>
      service.call('GET', `/emails/receiving/${emailId}?html_format=cid`).then(({ status }) => status),
    )
    const first = await Promise.race(asking)
    held.resolve()
    const statuses = await Promise.all(asking)
    finding.mockRestore()
    expect(first).toBe(503)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5)
  })

  it('is not there before it was read', async () => {
    const { id: waiting } = await storeReceived(service, { content: 'Subject: Later\r\n\r\n' })
    expect((await service.call('GET', `/emails/receiving/${waiting}`)).status).toBe(404)
    await service.database.execute('delete from received_emails where id = $1', [waiting])
  })

  it('names the email that it answers, and the one that it is', async () => {
    const { body } = await service.call('POST', '/emails', {
      body: { from: 'a@example.com', to: 'b@example.com', subject: 'Question', text: '?' },
    })
    const sent = (body as { id: string }).id
    const { message_id: messageId } = (await service.call('GET', `/emails/${sent}`)).body as { message_id: string }
    const answer = await receiveEmail(service, {
      content: `From: b@example.com\r\nReferences: <x@y> ${messageId}\r\nIn-Reply-To: <z@y>\r\nAuto-Submitted: auto-replied\r\n\r\nYes`,
    })
    const itself = await receiveEmail(service, { content: `From: a@example.com\r\nMessage-ID: ${messageId}\r\n\r\n?` })
    const foreign = await receiveEmail(service, {
      teamId: service.other.teamId,
      content: `From: b@example.com\r\nIn-Reply-To: ${messageId}\r\n\r\nYes`,
    })

    expect((await service.call('GET', `/emails/receiving/${answer}`)).body).toMatchObject({
      ...{ in_reply_to_email_id: sent, sent_email_id: null, is_auto_reply: true },
    })
    expect((await service.call('GET', `/emails/receiving/${itself}`)).body).toMatchObject({
      ...{ in_reply_to_email_id: null, sent_email_id: sent, is_auto_reply: false },
    })
    expect((await service.call('GET', `/emails/receiving/${foreign}`, { token: service.other.token })).body).toMatchObject({
      ...{ in_reply_to_email_id: null, sent_email_id: null },
    })
  })
})
