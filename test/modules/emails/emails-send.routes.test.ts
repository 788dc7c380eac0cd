import { type CreateEmailOptions, Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, failure, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { emailInput, MIB, send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const receipt = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' }

async function sendWithSdk(email: CreateEmailOptions): Promise<string> {
  const { data, error } = await resend.emails.send(email)
  expect(error).toBeNull()
  expect(data).toEqual({ id: UUID })
  return data?.id ?? ''
}

describe('resend.emails.send and resend.emails.get', () => {
  it('gives back every field as it was given', async () => {
    const id = await sendWithSdk({
      from: '"Acme, Inc." <hello@example.com>',
      to: ['ada@example.com', 'Grace Hopper <grace@example.org>'],
      cc: ['copy@example.com'],
      bcc: ['hidden@example.com', 'Hidden Two <hidden2@example.com>'],
      replyTo: ['answers@example.com', 'Support <support@example.com>'],
      subject: 'Ваш заказ ✓ 注文',
      html: '<p>Thank you &amp; goodbye 👋</p>',
      text: 'Thank you\r\nand goodbye 👋',
      headers: { 'X-Entity-Ref-ID': '12345', 'List-Unsubscribe': '<https://example.com/off>' },
      tags: [
        { name: 'category', value: 'receipt' },
        { name: 'Run_2-a', value: '42' },
      ],
    })

    const { data } = await resend.emails.get(id)
    expect(data).toEqual(
      emailRecord(id, {
        from: '"Acme, Inc." <hello@example.com>',
        to: ['ada@example.com', 'Grace Hopper <grace@example.org>'],
        cc: ['copy@example.com'],
        bcc: ['hidden@example.com', 'Hidden Two <hidden2@example.com>'],
        reply_to: ['answers@example.com', 'Support <support@example.com>'],
        subject: 'Ваш заказ ✓ 注文',
        html: '<p>Thank you &amp; goodbye 👋</p>',
        text: 'Thank you\r\nand goodbye 👋',
        tags: [
          { name: 'category', value: 'receipt' },
          { name: 'Run_2-a', value: '42' },
        ],
      }),
    )
  })

  it('answers arrays for addresses that were given as strings', async () => {
    const id = await sendWithSdk({ ...receipt, to: 'a@example.com', cc: 'b@example.com', bcc: 'c@example.com', replyTo: 'd@example.com' })
    const { data } = await resend.emails.get(id)
    expect(data).toEqual(
      emailRecord(id, { to: ['a@example.com'], cc: ['b@example.com'], bcc: ['c@example.com'], reply_to: ['d@example.com'] }),
    )
  })

  it.each([
    'Иван Петров <ivan@example.com>',
    '山田太郎 <taro@example.com>',
    'مريم <maryam@example.com>',
    'Zoë 🎉 <zoe@example.com>',
    '"Müller, Jürgen (Vertrieb)" <jm@example.com>',
    'plain@bücher.example',
    'Почта <info@почта.рф>',
    '"a b"@example.com',
  ])('takes the recipient %s and gives it back as it was given', async (recipient) => {
    const id = await sendWithSdk({ ...receipt, to: recipient })
    const { data } = await resend.emails.get(id)
    expect(data).toEqual(emailRecord(id, { to: [recipient] }))
  })

  it('makes the Message-ID of the A-label of the sender’s domain', async () => {
    const id = await sendWithSdk({ ...receipt, from: 'Bücher <laden@BÜCHER.example>' })
    const { data } = await resend.emails.get(id)
    expect(data).toEqual(emailRecord(id, { from: 'Bücher <laden@BÜCHER.example>', message_id: `<${id}@xn--bcher-kva.example>` }))
  })

  it('shows neither the text that is made from HTML nor its absence as an empty string', async () => {
    const id = await sendWithSdk({ from: receipt.from, to: receipt.to, subject: 'Only HTML', html: '<h1>Hi</h1>' })
    const { data } = await resend.emails.get(id)
    expect(data).toEqual(emailRecord(id, { subject: 'Only HTML', html: '<h1>Hi</h1>', text: null }))
  })

  it('keeps an empty text apart from none', async () => {
    const id = await sendWithSdk({ ...receipt, html: '<p>Hi</p>', text: '' })
    const { data } = await resend.emails.get(id)
    expect(data).toEqual(emailRecord(id, { html: '<p>Hi</p>', text: '' }))
  })

  it('emails.create sends too', async () => {
    const { data, error } = await resend.emails.create(receipt)
    expect({ data, error }).toEqual({ data: { id: UUID }, error: null })
    expect((await resend.emails.get(data?.id ?? '')).data).toEqual(emailRecord(data?.id ?? ''))
  })

  it('hands the error through as the SDK expects it', async () => {
    const { data, error } = await resend.emails.get(UNKNOWN_ID)
    expect({ data, error }).toEqual({ data: null, error: { statusCode: 404, name: 'not_found', message: 'Email not found' } })
  })
})

describe('POST /emails', () => {
  it.each(['cc', 'bcc', 'reply_to', 'html', 'headers', 'tags', 'attachments', 'scheduled_at', 'template', 'topic_id'])(
    'takes null for %s as not given',
    async (field) => {
      const id = await send(service, { [field]: null })
      const { body } = await service.call('GET', `/emails/${id}`)
      expect(body).toEqual(emailRecord(id))
    },
  )

  it.each(['', ' ', [''], ['', ' ']])('takes %j for reply_to as not given', async (replyTo) => {
    const id = await send(service, { reply_to: replyTo })
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toEqual(emailRecord(id))
  })

  it('takes a name that is an address, and isolates in a subject', async () => {
    const fields = { from: '"hello@example.com" <hello@example.com>', subject: 'Your \u2068receipt\u2069' }
    const id = await send(service, fields)
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toEqual(emailRecord(id, fields))
  })

  it('takes 50 recipients in each field', async () => {
    const fifty = (name: string) => Array.from({ length: 50 }, (_, index) => `${name}${index}@example.com`)
    const lists = { to: fifty('to'), cc: fifty('cc'), bcc: fifty('bcc'), reply_to: fifty('answers') }
    const id = await send(service, lists)
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toEqual(emailRecord(id, lists))
    const [{ count } = { count: 0 }] = await service.database.execute<{ count: number }>(
      'select count(*)::int as count from recipients where email_id = $1',
      [id],
    )
    expect(count).toBe(150)
  })

  it('makes one recipient of an address that is named several times, with its domain in any form', async () => {
    const id = await send(service, {
      to: ['Ada <ada@BÜCHER.example>', 'ada@xn--bcher-kva.example'],
      cc: 'ada@bücher.example',
      bcc: 'Ada@bücher.example',
    })
    const rows = await service.database.execute('select address from recipients where email_id = $1 order by id', [id])
    expect(rows).toEqual([{ address: 'ada@xn--bcher-kva.example' }, { address: 'Ada@xn--bcher-kva.example' }])
  })

  it('takes the largest tags and headers that the rules allow', async () => {
    const tags = Array.from({ length: 50 }, (_, index) => ({ name: `n${index}`.padEnd(256, 'x'), value: 'v'.repeat(256) }))
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`X-${index}`.padEnd(20, 'x'), 'v'.repeat(976)]))
    const id = await send(service, { tags, headers, subject: 's'.repeat(998) })
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toEqual(emailRecord(id, { tags, subject: 's'.repeat(998) }))
  })

  it('takes content of nearly 40 MB, encoded in lines of 75 letters and a soft line break', async () => {
    const lines = Math.floor((40 * MIB - 1_000) / 78)
    const id = await send(service, { html: 'x'.repeat(lines * 75) })
    const [row] = await service.database.execute('select content_bytes as "contentBytes" from emails where id = $1', [id])
    expect(row).toEqual({ contentBytes: (lines - 1) * 78 + 75 + 'Thank you.'.length })
  })

  it('counts the text that will be made of the HTML, and what must be escaped', async () => {
    const html = '<p>=</p>'.repeat(3)
    const id = await send(service, { html, text: undefined })
    const long = `é${'='.repeat(24)} word`
    const other = await send(service, { html: long, text: '' })
    const sizes = await service.database.execute(
      'select content_bytes as "contentBytes" from emails where id = any($1::uuid[]) order by id',
      [[id, other]],
    )
    expect(sizes).toEqual([{ contentBytes: 2 * html.length }, { contentBytes: 6 + 24 * 3 + ' word'.length + '=\r\n'.length }])
  })

  it('names unknown fields in a header, percent-encoded, and ignores them', async () => {
    const body = emailInput({
      foo: 1,
      ü: { deep: true },
      tags: [{ name: 'a', value: 'b', color: 'red' }],
      attachments: [{ content: 'aGk=', filename: 'hi.txt', size: 2 }],
    })
    const answer = await service.call('POST', '/emails', { body })
    expect(outcome(answer)).toEqual({ status: 200, body: { id: UUID } })
    expect(answer.headers.get('x-ignored-fields')).toBe('foo, %C3%BC, tags[0].color, attachments[0].size')
  })

  it('names at most ten unknown fields in at most 512 bytes', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field_${index}_${'x'.repeat(40)}`, 1]))
    const answer = await service.call('POST', '/emails', { body: emailInput(unknown) })
    const ignored = answer.headers.get('x-ignored-fields') ?? ''
    expect(ignored.split(', ')).toHaveLength(10)
    expect(ignored.length).toBeLessThanOrEqual(512)
  })

  it('may be sent with a key that may only send, which may not read it', async () => {
    const id = await send(service, {}, { token: service.sendingToken })
    const answer = await service.call('GET', `/emails/${id}`, { token: service.sendingToken })
    expect(outcome(answer)).toEqual(failure(401, 'restricted_api_key', 'This API key may only send emails. Use a key with full access.'))
  })

  it('queues one delivery for each recipient, in the commit of the answer', async () => {
    const id = await send(service, { to: ['a@example.com', 'b@example.com'], bcc: 'c@example.com' })
    const rows = await service.database.execute(
      'select r.address, r.state, d.is_ready from recipients r join deliveries d on d.id = r.id where r.email_id = $1 order by r.id',
      [id],
    )
    expect(rows).toEqual([
      { address: 'a@example.com', state: 'queued', is_ready: true },
      { address: 'b@example.com', state: 'queued', is_ready: true },
      { address: 'c@example.com', state: 'queued', is_ready: true },
    ])
  })

  it.each(['/email', '/emails/sending', '/email/sending'])('is also reached at %s', async (path) => {
    const answer = await service.call('POST', path, { body: emailInput(), token: service.sendingToken })
    expect(outcome(answer)).toEqual({ status: 200, body: { id: UUID } })
    const { id } = answer.body as { id: string }
    expect((await service.call('GET', `/emails/${id}`)).body).toEqual(emailRecord(id, { created_at: TIMESTAMP }))
  })
})
