import { once } from 'node:events'
import { type IncomingMessage, request as requestOf } from 'node:http'
import { json } from 'node:stream/consumers'
import { Resend } from 'resend'
import { describe, expect, it } from 'vitest'
import { emailRecord, failure, invalid, outcome, UUID } from '../support/builders/answers.ts'
import { countStored, emailInput } from '../support/builders/emails.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { type CallOptions, shared, startTestService } from '../support/servers/service.ts'

const clock = createMovingClock()

const service = shared(() => startTestService({ clock }))

const HOUR_MS = 60 * 60 * 1_000
const CONFLICT = failure(
  409,
  'invalid_idempotent_request',
  'This `Idempotency-Key` was used with another request body in the last 24 hours. Use a new key for a new request.',
)
const BAD_KEY = failure(400, 'invalid_idempotency_key', 'The `Idempotency-Key` header must have 1 to 256 characters.')

const post = async (path: string, key: string, body: unknown, options: CallOptions = {}) =>
  outcome(await service.call('POST', path, { body, headers: { 'idempotency-key': key }, ...options }))

describe('Idempotency-Key on POST /emails', () => {
  it('answers a repetition with the first answer and stores nothing more', async () => {
    const body = emailInput({ attachments: [{ content: 'aGk=', filename: 'hi.txt' }] })
    const first = await post('/emails', 'repeated', body)
    expect(first).toEqual({ status: 200, body: { id: UUID } })
    const before = await countStored(service)

    expect(await post('/emails', 'repeated', body)).toEqual(first)
    expect(await countStored(service)).toEqual(before)
  })

  it('is what the SDK sends with `idempotencyKey`', async () => {
    const resend = new Resend(service.token, { baseUrl: service.url })
    const email = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' }
    const first = await resend.emails.send(email, { idempotencyKey: 'from-the-sdk' })
    const second = await resend.emails.send(email, { idempotencyKey: 'from-the-sdk' })
    expect([second.data, second.error]).toEqual([first.data, null])
  })

  it('takes a body with its fields in another order for the same', async () => {
    const first = await post('/emails', 'ordered', { ...emailInput(), headers: { 'X-A': '1', 'X-B': '2' } })
    const again = await post('/emails', 'ordered', { headers: { 'X-B': '2', 'X-A': '1' }, ...emailInput() })
    expect(again).toEqual(first)
  })

  it.each([
    ['another subject', { subject: 'Another' }],
    ['the recipients in another order', { to: ['b@example.com', 'a@example.com'] }],
    ['one field more', { cc: 'c@example.com' }],
  ])('refuses %s with a 409, and keeps no file of it', async (what, changes) => {
    const body = emailInput({ to: ['a@example.com', 'b@example.com'] })
    const first = await post('/emails', what, body)
    const before = await countStored(service)

    expect(await post('/emails', what, { ...body, ...changes, attachments: [{ content: 'aGk=' }] })).toEqual(CONFLICT)
    expect(await countStored(service)).toEqual(before)
    expect(await post('/emails', what, body)).toEqual(first)
  })

  it.each(['', ' ', 'x'.repeat(257)])('refuses the key "%s" with a 400 before it reads the body', async (key) => {
    const before = await countStored(service)
    expect(await post('/emails', key, 'not even JSON')).toEqual(BAD_KEY)
    expect(await countStored(service)).toEqual(before)
  })

  it.each([
    ['a', 'b'],
    ['a', 'a'],
  ])('refuses the keys %j and %j of one request with a 400', async (...keys) => {
    const refused = failure(400, 'invalid_idempotency_key', 'The request must have at most one `Idempotency-Key` header.')
    const request = requestOf(`${service.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', 'idempotency-key': keys },
    })
    request.end(JSON.stringify(emailInput()))
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    expect({ status: answer.statusCode, body: await json(answer) }).toEqual(refused)
  })

  it('takes keys of 1 and of 256 characters, apart from each other', async () => {
    const short = await post('/emails', 'x', emailInput())
    const long = await post('/emails', 'x'.repeat(256), emailInput())
    expect([short.status, long.status]).toEqual([200, 200])
    expect(long).not.toEqual(short)
  })

  it('takes keys with spaces, tabs and characters beyond ASCII', async () => {
    for (const key of ['a b\tc', 'clé n° 1', '"quoted"; drop']) {
      const first = await post('/emails', key, emailInput())
      expect(first).toEqual({ status: 200, body: { id: UUID } })
      expect(await post('/emails', key, emailInput())).toEqual(first)
    }
  })

  it('is forgotten after 24 hours, and not a millisecond sooner', async () => {
    const first = await post('/emails', 'a day', emailInput())
    clock.advance(24 * HOUR_MS - 1)
    expect(await post('/emails', 'a day', emailInput())).toEqual(first)
    clock.advance(1)
    const next = await post('/emails', 'a day', emailInput())
    expect(next).toEqual({ status: 200, body: { id: UUID } })
    expect(next).not.toEqual(first)
    expect(await post('/emails', 'a day', emailInput())).toEqual(next)
  })

  it('makes one email of 100 simultaneous requests, and answers all of them with its id', async () => {
    const before = await countStored(service)
    const body = emailInput({ attachments: [{ content: 'aGk=', filename: 'hi.txt' }] })

    const answers = await Promise.all(Array.from({ length: 100 }, () => post('/emails', 'simultaneous', body)))

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual({ status: 200, body: { id: UUID } })
    const added = (name: string) => (before[name] ?? 0) + 1
    expect(await countStored(service)).toEqual({
      ...before,
      emails: added('emails'),
      recipients: added('recipients'),
      deliveries: added('deliveries'),
      attachments: added('attachments'),
      idempotency_keys: added('idempotency_keys'),
      blobs: added('blobs'),
    })
    const [{ body: answered } = { body: null }] = answers
    const { id } = answered as { id: string }
    expect((await service.call('GET', `/emails/${id}`)).body).toEqual(emailRecord(id))
  })

  it('makes one email of simultaneous requests with different bodies, and refuses the others', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => emailInput({ subject: `Number ${index}` }))
    const answers = await Promise.all(bodies.map((body) => post('/emails', 'contested', body)))
    const accepted = answers.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 19 }, () => CONFLICT))
  })

  it('answers a repetition also when the time that it asked for has passed', async () => {
    const body = emailInput({ scheduled_at: new Date(clock.now().getTime() + HOUR_MS).toISOString() })
    const first = await post('/emails', 'scheduled', body)
    const batch = await post('/emails/batch', 'scheduled', [body])
    clock.advance(2 * HOUR_MS)
    expect(await post('/emails', 'scheduled', body)).toEqual(first)
    expect(await post('/emails/batch', 'scheduled', [body])).toEqual(batch)
    expect(await post('/emails', 'scheduled', { ...body, subject: 'Another' })).toMatchObject({ status: 422 })
    clock.advance(22 * HOUR_MS)
    expect(await post('/emails', 'scheduled', body)).toMatchObject({ status: 422 })
  })

  it('does not remember a request that was refused', async () => {
    expect(await post('/emails', 'refused first', emailInput({ from: 'nope' }))).toMatchObject({ status: 422 })
    expect(await post('/emails', 'refused first', emailInput())).toEqual({ status: 200, body: { id: UUID } })
  })

  it('is shared with the other paths of the operation', async () => {
    const first = await post('/emails', 'aliases', emailInput())
    for (const path of ['/email', '/emails/sending', '/email/sending', '//emails']) {
      expect(await post(path, 'aliases', emailInput())).toEqual(first)
    }
  })

  it('is not shared with another team, but with another key of the same team', async () => {
    const first = await post('/emails', 'whose', emailInput())
    const theirs = await post('/emails', 'whose', emailInput(), { token: service.other.token })
    expect(theirs).toEqual({ status: 200, body: { id: UUID } })
    expect(theirs).not.toEqual(first)
    expect(await post('/emails', 'whose', emailInput(), { token: service.sendingToken })).toEqual(first)
  })

  it('means nothing on other operations', async () => {
    const { body } = await post('/emails', 'elsewhere', emailInput())
    const { id } = body as { id: string }
    const shared = await post(`/emails/${id}/share`, 'elsewhere', { expires_in: '1h' })
    expect(shared).toMatchObject({ status: 200 })
    expect(await post(`/emails/${id}/share`, 'x'.repeat(300), { expires_in: '2h' })).toMatchObject({ status: 200 })
  })
})

describe('Idempotency-Key on POST /emails/batch', () => {
  const batch = [emailInput(), emailInput({ attachments: [{ content: 'aGk=' }] })]

  it('answers a repetition with the first answer and stores nothing more', async () => {
    const first = await post('/emails/batch', 'batch', batch)
    expect(first).toEqual({ status: 200, body: { data: [{ id: UUID }, { id: UUID }] } })
    const before = await countStored(service)
    expect(await post('/emails/batch', 'batch', batch)).toEqual(first)
    expect(await countStored(service)).toEqual(before)
  })

  it('refuses another body with a 409', async () => {
    await post('/emails/batch', 'batch conflict', batch)
    expect(await post('/emails/batch', 'batch conflict', [...batch].reverse())).toEqual(CONFLICT)
  })

  it('repeats the errors of a permissive batch as well', async () => {
    const headers = { 'idempotency-key': 'permissive', 'x-batch-validation': 'permissive' }
    const mixed = [emailInput(), emailInput({ from: 'nope' })]
    const first = outcome(await service.call('POST', '/emails/batch', { body: mixed, headers }))
    const again = outcome(await service.call('POST', '/emails/batch', { body: mixed, headers }))
    expect(first).toMatchObject({ status: 200, body: { data: [{ id: UUID }], errors: [{ index: 1 }] } })
    expect(again).toEqual(first)
  })

  it('makes one batch of simultaneous requests', async () => {
    const before = await countStored(service)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/emails/batch', 'simultaneous', batch)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await countStored(service)).toMatchObject({ emails: (before.emails ?? 0) + 2, blobs: (before.blobs ?? 0) + 1 })
  })

  it('does not remember a batch that was refused, and is apart from the key of a single email', async () => {
    const single = await post('/emails', 'both', emailInput())
    expect(await post('/emails/batch', 'both', [emailInput(), {}])).toEqual(invalid('Email 1 of the batch (from 0): Missing `to` field.'))
    expect(await post('/emails/batch', 'both', batch)).toEqual({ status: 200, body: { data: [{ id: UUID }, { id: UUID }] } })
    expect(await post('/emails', 'both', emailInput())).toEqual(single)
  })

  it.each(['', 'x'.repeat(257)])('refuses the key "%s" with a 400', async (key) => {
    expect(await post('/emails/batch', key, batch)).toEqual(BAD_KEY)
  })
})
