import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { emailRecord, emailSummary, invalid, outcome, UUID } from '../../support/builders/answers.ts'
import { countStored, emailInput, send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTopic } from '../../support/builders/topics.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let topic: string
let others: string
const service = shared(() => startTestService())
beforeAll(async () => {
  topic = await createTopic(service)
  others = await createTopic(service, {}, service.other.token)
})

const UNKNOWN = 'The `topic_id` field is not the id of one of your topics.'
const read = async (path: string) => (await service.call('GET', path)).body

describe('topic_id of POST /emails', () => {
  it('is shown by the email and in the list', async () => {
    const resend = new Resend(service.token, { baseUrl: service.url })
    const { data, error } = await resend.emails.send({
      from: 'Acme <hello@example.com>',
      to: 'delivered@simulator.test',
      subject: 'Your receipt',
      text: 'Thank you.',
      topicId: topic,
    })
    expect(error).toBeNull()
    const id = data?.id ?? ''
    expect(await read(`/emails/${id}`)).toEqual(emailRecord(id, { topic_id: topic }))
    expect(await read('/emails?limit=1')).toMatchObject({ data: [emailSummary(id, { topic_id: topic })] })
  })

  it('is taken in any case of its letters, and from a key that may only send', async () => {
    const id = await send(service, { topic_id: topic.toUpperCase() }, { token: service.sendingToken })
    expect(await read(`/emails/${id}`)).toEqual(emailRecord(id, { topic_id: topic }))
  })

  it('must be a topic of the team, or nothing is stored', async () => {
    const before = await countStored(service)
    for (const topicId of [UNKNOWN_ID, others]) {
      const answer = await service.call('POST', '/emails', {
        body: emailInput({ topic_id: topicId, attachments: [{ filename: 'a.txt', content: 'YQ==' }] }),
        headers: { 'idempotency-key': `unknown-${topicId}` },
      })
      expect(outcome(answer)).toEqual(invalid(UNKNOWN))
    }
    expect(await countStored(service)).toEqual(before)
  })

  it('that was deleted after the first request does not change the answer to its repetition', async () => {
    const gone = await createTopic(service)
    const request = { body: emailInput({ topic_id: gone }), headers: { 'idempotency-key': 'topic-gone' } }
    const first = await service.call('POST', '/emails', request)
    await service.call('DELETE', `/topics/${gone}`)
    const again = await service.call('POST', '/emails', request)
    expect(outcome(again)).toEqual({ status: 200, body: first.body })
    const another = await service.call('POST', '/emails', { ...request, headers: { 'idempotency-key': 'topic-gone-2' } })
    expect(outcome(another)).toEqual(invalid(UNKNOWN))
  })
})

describe('topic_id of POST /emails/batch', () => {
  const batch = (bodies: Record<string, unknown>[], headers = {}) => service.call('POST', '/emails/batch', { body: bodies, headers })

  it('belongs to each email by itself', async () => {
    const second = await createTopic(service)
    const { status, body } = await batch([{ topic_id: topic }, {}, { topic_id: second }].map((changes) => emailInput(changes)))
    expect(status).toBe(200)
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id)
    const topics = await Promise.all(ids.map(async (id) => (await read(`/emails/${id}`)) as { topic_id: string | null }))
    expect(topics.map(({ topic_id }) => topic_id)).toEqual([topic, null, second])
  })

  it('refuses all when one names a topic that the team does not have', async () => {
    const before = await countStored(service)
    const answer = await batch([{}, { topic_id: topic }, { topic_id: others }].map((changes) => emailInput(changes)))
    expect(outcome(answer)).toEqual(invalid(`Email 2 of the batch (from 0): ${UNKNOWN}`))
    expect(await countStored(service)).toEqual(before)
  })

  it('refuses only that one when asked to be permissive, among the errors in their order', async () => {
    const changes = [{ topic_id: 'x' }, { topic_id: topic }, { topic_id: UNKNOWN_ID }, { to: 'nobody' }, {}]
    const answer = await batch(
      changes.map((one) => emailInput(one)),
      { 'x-batch-validation': 'permissive' },
    )
    const error = (index: number, message: string) => ({ index, name: 'validation_error', message })
    expect(outcome(answer)).toEqual({
      status: 200,
      body: {
        data: [{ id: UUID }, { id: UUID }],
        errors: [
          error(0, 'The `topic_id` field must be a UUID. It is "x".'),
          error(2, UNKNOWN),
          error(3, 'The `to` field must be `name@example.com` or `Name <name@example.com>`. It is "nobody".'),
        ],
      },
    })
  })
})
