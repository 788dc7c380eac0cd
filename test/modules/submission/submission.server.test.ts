import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LOGGED_BODY_BYTES_MAX } from '../../../src/http/validation/logged-body.ts'
import { createTopic } from '../../support/builders/topics.ts'
import { startSubmissionService } from '../../support/servers/mail-services.ts'
import { shared } from '../../support/servers/service.ts'

const service = shared(() => startSubmissionService())
beforeAll(() => {
  service.startWorker()
})

afterEach(() => {
  service.sink.messages.length = 0
})

const HEAD = 'From: Acme <hello@example.com>\r\nTo: Ada <ada@example.com>\r\nSubject: Your receipt\r\n'
const CALENDAR = [
  'From: Acme <hello@example.com>',
  'To: ada@example.com',
  'Cc: Grace <grace@example.com>',
  'Reply-To: help@example.com',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="a b"',
  'X-Mailer: PHPMailer 6.9',
  '',
  'Preamble',
  '--a b',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=FC=DFe',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <img src="cid:logo"></p>',
  '--inner',
  'Content-Type: text/calendar; method=REQUEST; charset=utf-8',
  '',
  'BEGIN:VCALENDAR',
  'END:VCALENDAR',
  '--inner--',
  '--a b',
  'Content-Type: image/png; name=logo.png',
  'Content-Disposition: inline; filename=logo.png',
  'Content-ID: <logo>',
  'Content-Transfer-Encoding: base64',
  '',
  'iVBORw0KGgo=',
  '--a b--',
  'Epilogue',
].join('\r\n')

const delivered = async (count: number) => {
  await expect.poll(() => service.sink.messages).toHaveLength(count)
  return service.sink.messages
}
const bodyOf = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n') + 4)
const headOf = (raw = '') => raw.slice(0, raw.indexOf('\r\n\r\n'))

describe('a message that is submitted', () => {
  it('becomes an email like one of the API, and is delivered as it came', async () => {
    const email = await service.emailOf(await service.handIn(`${HEAD}\r\nThank you.`))

    expect(email).toMatchObject({
      ...{ from: 'Acme <hello@example.com>', to: ['Ada <ada@example.com>'], cc: [], bcc: [], reply_to: [] },
      ...{ subject: 'Your receipt', text: 'Thank you.\n', html: null, tags: [], scheduled_at: null },
      message_id: `<${email.id}@example.com>`,
    })
    const [message] = await delivered(1)
    expect(message).toMatchObject({ from: 'hello@example.com', to: ['ada@example.com'] })
    expect(message?.raw).toMatch(
      /^Received: from [^:]+ by [\s\S]+?\r\nMessage-ID: <[0-9a-f-]{36}@example\.com>\r\nDate: [^\r]+\r\nFrom: Acme <hello@example\.com>\r\n/,
    )
    expect(message?.raw.endsWith('To: Ada <ada@example.com>\r\nSubject: Your receipt\r\n\r\nThank you.\r\n')).toBe(true)
  })

  it.each([
    ['small', ''],
    ['large', `${'x'.repeat(76)}\r\n`.repeat(2_000)],
  ])('and %s keeps the structure that its client made, byte for byte', async (_size, more) => {
    const content = `${CALENDAR}\r\n${more}`
    const email = await service.emailOf(await service.handIn(content, { to: ['ada@example.com', 'grace@example.com'] }))

    expect(email).toMatchObject({
      ...{ subject: 'Grüße', text: 'Grüße', html: '<p>Hello <img src="cid:logo"></p>' },
      ...{ to: ['ada@example.com'], cc: ['Grace <grace@example.com>'], reply_to: ['help@example.com'] },
    })
    const files = (await service.call('GET', `/emails/${email.id}/attachments`)).body as { data: object[] }
    expect(files.data).toMatchObject([
      { filename: null, content_type: 'text/calendar' },
      { filename: 'logo.png', content_type: 'image/png', content_id: 'logo', size: 8 },
    ])
    const messages = await delivered(2)
    for (const { raw } of messages) expect(bodyOf(raw)).toBe(bodyOf(`${content}\r\n`))
    expect(messages.map(({ to }) => to[0]).sort()).toEqual(['ada@example.com', 'grace@example.com'])
  })

  it('goes to the recipients of its envelope: bcc are those in no header, and who is only in a header gets nothing', async () => {
    const content = 'From: a@example.com\r\nTo: ada@example.com, nobody@example.com\r\nBcc: secret@example.com\r\n\r\nHello'
    const to = ['Ada@EXAMPLE.com', 'ada@example.com', 'secret@example.com', 'hidden@example.com']
    const email = await service.emailOf(await service.handIn(content, { to }))
    expect(email).toMatchObject({
      to: ['ada@example.com', 'nobody@example.com'],
      bcc: ['Ada@example.com', 'secret@example.com', 'hidden@example.com'],
    })
    const messages = await delivered(4)
    expect(messages.flatMap((message) => message.to).sort()).toEqual([
      ...['Ada@example.com', 'ada@example.com', 'hidden@example.com', 'secret@example.com'],
    ])
    for (const { raw } of messages) expect(raw).not.toMatch(/secret@|Bcc/)
  })

  it('loses its own Message-ID and Sender, and keeps its Date and what it answers', async () => {
    const lines = [
      ...['Message-ID: <own@app.example>', 'Date: Mon, 01 Jan 2024 00:00:00 +0000', 'Sender: boss@other.example'],
      ...['Return-Path: <x@other.example>', 'In-Reply-To: <before@app.example>', 'X-Own: kept'],
    ]
    const email = await service.emailOf(await service.handIn(`${HEAD}${lines.join('\r\n')}\r\n\r\nHello`))
    const [message] = await delivered(1)
    const [received = '', ...sent] = headOf(message?.raw).split(/\r\n(?=\S)/)
    expect(received).toMatch(/^Received: from /)
    expect(sent).toEqual([
      `Message-ID: <${email.id}@example.com>`,
      ...['From: Acme <hello@example.com>', 'To: Ada <ada@example.com>', 'Subject: Your receipt'],
      ...['X-Original-Message-ID: <own@app.example>', 'Date: Mon, 01 Jan 2024 00:00:00 +0000'],
      ...['In-Reply-To: <before@app.example>', 'X-Own: kept'],
    ])
  })

  it('has its header in seven bits, and its body as it came', async () => {
    const content = 'From: Jürgen <a@example.com>\r\nTo: "Grüße, Ada" <ada@example.com>\r\nSubject: Grüße\r\n\r\nGrüße'
    const email = await service.emailOf(await service.handIn(content))
    expect(email).toMatchObject({
      from: '"Jürgen" <a@example.com>',
      to: ['"Grüße, Ada" <ada@example.com>'],
      subject: 'Grüße',
      text: 'Grüße\n',
    })
    const [message] = await delivered(1)
    expect(headOf(message?.raw)).toMatch(/^[\x20-\x7e\r\n]+$/)
    expect(headOf(message?.raw)).toContain('From: =?UTF-8?Q?J=C3=BCrgen?= <a@example.com>\r\n')
    expect(headOf(message?.raw)).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
    expect(Buffer.from(bodyOf(message?.raw ?? ''), 'latin1').toString()).toBe('Grüße\r\n')
  })

  it('says in its header what the API is told in fields, and sends none of it', async () => {
    const topicId = await createTopic(service, { default_subscription: 'opt_in' })
    const lines = [`X-Tags: category=receipt; order=17`, 'X-Tags: {"shop": "a"}', `X-Topic-Id: ${topicId}`, 'X-Scheduled-At: in 1 hour']
    const reply = await service.handIn(`${HEAD}${lines.join('\r\n')}\r\nIdempotency-Key: headers\r\n\r\nHello`)
    const email = await service.emailOf(reply)
    expect(email).toMatchObject({
      tags: [
        { name: 'category', value: 'receipt' },
        { name: 'order', value: '17' },
        { name: 'shop', value: 'a' },
      ],
      topic_id: topicId,
      last_event: 'scheduled',
      scheduled_at: expect.any(String),
    })
    const [row] = await service.database.execute<{ head: string }>('select head from submitted_messages where email_id = $1', [email.id])
    expect(row?.head).not.toMatch(/X-Tags|X-Topic|X-Scheduled|Idempotency/)
  })

  it.each([
    ['X-Tags: no pair', 'The `X-Tags` header must be `name=value; name=value`, or tags in JSON as `POST /emails` takes them.'],
    ['X-Tags: {"a": ', 'The `X-Tags` header must be `name=value; name=value`, or tags in JSON as `POST /emails` takes them.'],
    ['X-Tags: a b=c', 'The name of tag 1 in the `X-Tags` header may hold only ASCII letters, digits, underscores and hyphens.'],
    ['X-Tags: a=b; c=d e', 'The value of tag 2 in the `X-Tags` header may hold only'],
    ['X-Topic-Id: 0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10', 'The `X-Topic-Id` header is not the id of one of your topics.'],
    ['X-Topic-Id: news', 'The `X-Topic-Id` header must be a UUID.'],
    ['X-Scheduled-At: whenever', 'The `X-Scheduled-At` header'],
    ['Idempotency-Key: ', 'The message must have at most one `Idempotency-Key` header, of 1 to 256 characters.'],
    [
      'Idempotency-Key: a\r\nResend-Idempotency-Key: b',
      'The message must have at most one `Idempotency-Key` header, of 1 to 256 characters.',
    ],
  ])('is refused with %s', async (line, sentence) => {
    expect(await service.handIn(`${HEAD}${line}\r\n\r\nHello`)).toContain(`554 5.6.0 ${sentence}`)
  })

  it('with an idempotency key is accepted once; another message with the key is refused', async () => {
    const content = (text: string, id: number) =>
      `${HEAD}Message-ID: <${id}@app>\r\nDate: Mon, 0${id} Jan 2024 00:00:00 +0000\r\nResend-Idempotency-Key: once\r\n\r\n${text}`
    const first = await service.handIn(content('Hello', 1))
    expect(first).toMatch(/^250 /)
    expect(await service.handIn(content('Hello', 2))).toBe(first)
    expect(await service.handIn(content('Other', 3))).toMatch(/^554 5\.5\.0 This `Idempotency-Key` was used with another/)
    expect(await service.handIn(content('Hello', 4), { to: ['other@example.com'] })).toMatch(/^554 5\.5\.0 /)
    await delivered(1)
  })

  it('is in the request log of its team, with what it said and the code of the reply', async () => {
    const content = CALENDAR.replace('hello@example.com', 'logged@example.com')
    const email = await service.emailOf(await service.handIn(content))
    await service.handIn('To: ada@example.com\r\n\r\nHello')
    await service.service.context.repositories.requestLogs.flush()
    const { data } = (await service.call('GET', '/logs')).body as { data: { id: string; method: string }[] }
    const [refused, accepted] = data.filter(({ method }) => method === 'SMTP')
    expect((await service.call('GET', `/logs/${accepted?.id}`)).body).toMatchObject({
      ...{ endpoint: '/submission', method: 'SMTP', response_status: 250, user_agent: 'PHPMailer 6.9' },
      request_body: {
        ...{ from: 'Acme <logged@example.com>', to: ['ada@example.com'], subject: 'Grüße' },
        attachments: [{ content_type: 'text/calendar' }, { filename: 'logo.png', content: '[redacted]' }],
      },
      response_body: { id: email.id },
    })
    expect((await service.call('GET', `/logs/${refused?.id}`)).body).toMatchObject({
      ...{ response_status: 554, request_body: null },
      response_body: { message: '5.6.0 The message has no `From` header.' },
    })
  })

  it('and long is in the request log with as much as of a long body', async () => {
    const text = 'ä'.repeat(LOGGED_BODY_BYTES_MAX)
    await service.handIn(
      `From: long@example.com\r\nTo: ada@example.com\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll(/.{400}/g, '$&\r\n')}`,
    )
    await service.service.context.repositories.requestLogs.flush()
    const { data } = (await service.call('GET', '/logs')).body as { data: { id: string; method: string }[] }
    const logged = data.find(({ method }) => method === 'SMTP')
    const { request_body: body } = (await service.call('GET', `/logs/${logged?.id}`)).body as { request_body: unknown }
    expect(body).toMatch(/"from":"long@example.com".*"text":"ä+/)
    expect(Buffer.byteLength(String(body))).toBeGreaterThan(LOGGED_BODY_BYTES_MAX - 2)
    expect(Buffer.byteLength(String(body))).toBeLessThanOrEqual(LOGGED_BODY_BYTES_MAX)
  })

  it('has the events and the limits of an email of the API', async () => {
    const simulated = `${HEAD.replace('ada@example.com', 'bounced@simulator.test')}\r\nHello`
    const email = await service.emailOf(await service.handIn(simulated, { to: ['bounced@simulator.test'] }))
    await expect
      .poll(async () =>
        ((await service.call('GET', `/emails/${email.id}/events`)).body as { data: { type: string }[] }).data.map(({ type }) => type),
      )
      .toEqual(['email.bounced', 'email.sent'])
    await service.call('POST', '/suppressions', { body: { email: 'gone@example.com' } })
    const other = await service.emailOf(await service.handIn(`${HEAD}\r\nHello`, { to: ['gone@example.com'] }))
    await expect.poll(async () => (await service.call('GET', `/emails/${other.id}`)).body).toMatchObject({ last_event: 'suppressed' })
  })
})

it('is asked to come again later when its team has no room for a large message', async () => {
  const { repositories } = service.service.context
  const { id } = await repositories.teams.create('Team with a limit of bytes')
  await repositories.teamLimits.setAcrossTeams(id, { stored_bytes: 1_500_000 })
  const token = await service.createKey(id)
  const large = `${HEAD}\r\n${`${'y'.repeat(998)}\r\n`.repeat(1_000)}`
  const small = `${HEAD}\r\nHello`
  expect(await service.handIn(large, { token })).toMatch(/^250 /)
  expect(await repositories.teamStorage.used(id)).toBeGreaterThan(1_000_000)
  expect(await service.handIn(large, { token })).toMatch(/^452 4\.2\.2 The files of your team may take 1,500,000 bytes\./)
  expect(await service.handIn(small, { token })).toMatch(/^250 /)
})

it('is asked to come again later when its team has used its emails of the day', async () => {
  const { repositories } = service.service.context
  const { id } = await repositories.teams.create('Team with limits')
  await repositories.teamLimits.setAcrossTeams(id, { emails_per_day: 1 })
  const token = await service.createKey(id)
  expect(await service.handIn(`${HEAD}\r\nHello`, { token })).toMatch(/^250 /)
  expect(await service.handIn(`${HEAD}\r\nHello`, { token })).toMatch(
    /^452 4\.7\.1 Your team may send to 1 addresses a day\. None are left\./,
  )
})
