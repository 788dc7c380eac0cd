import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, failure, invalid, outcome, UUID } from '../../support/builders/answers.ts'
import { countStored, emailInput } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const receipt = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Your receipt', text: 'Thank you.' }
const NO_ADDRESS = 'The `from` field must be `name@example.com` or `Name <name@example.com>`. It is "nope".'

const post = async (body: unknown, headers: Record<string, string> = {}) =>
  outcome(await service.call('POST', '/emails/batch', { body, headers }))
const permissive = { 'x-batch-validation': 'permissive' }

async function read(id: string | undefined): Promise<unknown> {
  return (await service.call('GET', `/emails/${id}`)).body
}

describe('resend.batch.send', () => {
  it('sends every email as emails.send would, and answers ids in the order of the request', async () => {
    const { data, error } = await resend.batch.send([
      { ...receipt, subject: 'First', replyTo: 'answers@example.com', tags: [{ name: 'n', value: '1' }] },
      { ...receipt, subject: 'Second', to: ['a@example.com', 'b@example.com'], cc: 'c@example.com', html: '<p>2</p>' },
    ])

    expect({ data, error }).toEqual({ data: { data: [{ id: UUID }, { id: UUID }] }, error: null })
    const [first, second] = data?.data ?? []
    expect(await read(first?.id)).toEqual(
      emailRecord(first?.id ?? '', { subject: 'First', reply_to: ['answers@example.com'], tags: [{ name: 'n', value: '1' }] }),
    )
    expect(await read(second?.id)).toEqual(
      emailRecord(second?.id ?? '', { subject: 'Second', to: ['a@example.com', 'b@example.com'], cc: ['c@example.com'], html: '<p>2</p>' }),
    )
  })

  it('emails of a batch can be scheduled, each for itself', async () => {
    const { data } = await resend.batch.create([{ ...receipt, scheduledAt: 'in 1 hour' }, receipt])
    const [later, now] = data?.data ?? []
    expect(await read(later?.id)).toMatchObject({ last_event: 'scheduled', scheduled_at: expect.any(String) })
    expect(await read(now?.id)).toEqual(emailRecord(now?.id ?? ''))
  })

  it('refuses all for one that is not valid, unless it is told otherwise', async () => {
    const before = await countStored(service)
    const { data, error } = await resend.batch.send([receipt, { ...receipt, from: 'nope' }, { ...receipt, to: 'nope' }])
    expect({ data, error }).toEqual({
      data: null,
      error: { statusCode: 422, name: 'validation_error', message: `Email 1 of the batch (from 0): ${NO_ADDRESS}` },
    })
    expect(await countStored(service)).toEqual(before)
  })

  it('sends those that are valid when it is permissive, and lists the others with their positions', async () => {
    const { data, error } = await resend.batch.send(
      [{ ...receipt, from: 'nope' }, receipt, { ...receipt, subject: 'x'.repeat(999) }, receipt],
      {
        batchValidation: 'permissive',
      },
    )
    expect(error).toBeNull()
    expect(data).toEqual({
      data: [{ id: UUID }, { id: UUID }],
      errors: [
        { index: 0, name: 'validation_error', message: NO_ADDRESS },
        { index: 2, name: 'validation_error', message: 'The `subject` field must have at most 998 characters.' },
      ],
    })
    for (const { id } of data?.data ?? []) expect(await read(id)).toEqual(emailRecord(id))
  })

  it('lists no errors when it is permissive and all are valid', async () => {
    const { data } = await resend.batch.send([receipt], { batchValidation: 'permissive' })
    expect(data).toEqual({ data: [{ id: UUID }], errors: [] })
  })
})

describe('POST /emails/batch', () => {
  it('is strict without the header, and answers no errors then', async () => {
    expect(await post([emailInput()])).toEqual({ status: 200, body: { data: [{ id: UUID }] } })
    expect(await post([emailInput(), {}])).toEqual(invalid('Email 1 of the batch (from 0): Missing `to` field.'))
  })

  it('takes 100 emails, in their order', async () => {
    const subjects = Array.from({ length: 100 }, (_, index) => `Number ${index}`)
    const { body } = await post(subjects.map((subject) => emailInput({ subject })))
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id)
    const rows = await service.database.execute<{ id: string; subject: string }>('select id, subject from emails where id = any($1)', [ids])
    const subjectOf = new Map(rows.map(({ id, subject }) => [id, subject]))
    expect(ids.map((id) => subjectOf.get(id))).toEqual(subjects)
  })

  it('takes attachments, and keeps those of each email apart', async () => {
    const { body } = await post([emailInput({ attachments: [{ content: 'aGk=', filename: 'a.txt' }] }), emailInput()])
    const [first, second] = (body as { data: { id: string }[] }).data
    expect((await service.call('GET', `/emails/${first?.id}/attachments`)).body).toMatchObject({ data: [{ filename: 'a.txt', size: 2 }] })
    expect((await service.call('GET', `/emails/${second?.id}/attachments`)).body).toEqual({ object: 'list', has_more: false, data: [] })
  })

  it('may be sent with a key that may only send', async () => {
    const answer = await service.call('POST', '/emails/batch', { body: [emailInput()], token: service.sendingToken })
    expect(outcome(answer)).toEqual({ status: 200, body: { data: [{ id: UUID }] } })
  })

  it('keeps no file of a batch that is refused, also when an earlier email has one', async () => {
    const before = await countStored(service)
    await post([emailInput({ attachments: [{ content: 'aGk=' }] }), emailInput({ attachments: [{}] })])
    expect(await countStored(service)).toEqual(before)
  })

  it('judges what is no email at all by its position when it is permissive', async () => {
    const entries = [null, 5, 'x', [], {}, { ...emailInput(), to: [1] }, { ...emailInput(), attachments: [{ content: 5 }] }, emailInput()]
    const { status, body } = await post(entries, permissive)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [{ id: UUID }],
        errors: [
          ...[0, 1, 2, 3].map((index) => ({ index, name: 'validation_error', message: expect.stringMatching(/must be an object\.$/) })),
          { index: 4, name: 'validation_error', message: 'Missing `to` field.' },
          { index: 5, name: 'validation_error', message: 'The `to[0]` field must be a string.' },
          { index: 6, name: 'validation_error', message: 'The `attachments[0].content` field must be a string, an array or an object.' },
        ],
      },
    })
  })

  it('answers an empty list when it is permissive and none is valid', async () => {
    const before = await countStored(service)
    expect(await post([{}], permissive)).toEqual({
      status: 200,
      body: { data: [], errors: [{ index: 0, name: 'validation_error', message: 'Missing `to` field.' }] },
    })
    expect(await countStored(service)).toEqual(before)
  })

  it.each<[string, unknown, string]>([
    ['no body', '', 'The request body must be an array.'],
    ['an object', {}, 'The request body must be an array.'],
    ['an object around the list', { emails: [emailInput()] }, 'The request body must be an array.'],
    ['null', 'null', 'The request body must be an array.'],
    ['a string', '"x"', 'The request body must be an array.'],
    ['an empty list', [], 'The request body must not be empty.'],
    ['101 emails', Array.from({ length: 101 }, () => emailInput()), 'The request body must have at most 100 entries.'],
    [
      'a NUL',
      [emailInput(), emailInput({ subject: 'a\0' })],
      'The `[1].subject` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.',
    ],
    [
      'half of a surrogate pair',
      [emailInput({ text: '\udfff' })],
      'The `[0].text` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.',
    ],
    [
      'a template beside a body',
      [emailInput({ template: { id: 'x' } })],
      'Email 0 of the batch (from 0): Give either `template`, or `html` and `text`, not both.',
    ],
    [
      '51 recipients',
      [emailInput({ to: Array.from({ length: 51 }, () => 'a@b.co') })],
      'Email 0 of the batch (from 0): The `to` field must have at most 50 entries.',
    ],
    [
      'a blocked file',
      [emailInput({ attachments: [{ content: 'aGk=', filename: 'x.exe' }] })],
      'Email 0 of the batch (from 0): The `attachments[0].filename` field may not end in `.exe`: mail servers refuse that type; send a link or another format.',
    ],
    [
      'a time in the past',
      [emailInput(), emailInput({ scheduled_at: '2020-01-01T00:00:00Z' })],
      'Email 1 of the batch (from 0): The `scheduled_at` field is in the past (2020-01-01T00:00:00.000Z): give a time in the future.',
    ],
  ])('refuses %s and stores nothing', async (_what, body, message) => {
    const before = await countStored(service)
    expect(await post(body)).toEqual(invalid(message))
    expect(await countStored(service)).toEqual(before)
  })

  it.each(['', 'lenient', 'STRICT'])('refuses the mode "%s"', async (mode) => {
    expect(await post([emailInput()], { 'x-batch-validation': mode })).toEqual(
      invalid(`The \`x-batch-validation\` header must be one of: \`strict\`, \`permissive\`. It is "${mode}".`),
    )
  })

  it('names unknown fields of every email', async () => {
    const answer = await service.call('POST', '/emails/batch', { body: [emailInput({ foo: 1 }), emailInput({ bar: 1 })] })
    expect(answer.headers.get('x-ignored-fields')).toBe('[0].foo, [1].bar')
  })

  it('refuses what is not JSON', async () => {
    expect(await post('[{]')).toEqual(failure(400, 'validation_error', 'The request body is not valid JSON at line 1, column 3.'))
  })
})
