import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TOPICS_MAX } from '../../../../src/modules/audience/topics/topics.schema.ts'
import { invalid, missing, outcome } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { chooseTopic, countTopicOptOuts, createContact, createTopic } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend
/** A topic of the service's team. The test before left none. */
let wanted: string
let unwanted: string

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})
beforeEach(async () => {
  await service.database.execute('truncate topics, contacts, contact_topics, topic_opt_outs, opt_outs')
  wanted = await createTopic(service, { name: 'Wanted', description: 'By everybody', default_subscription: 'opt_in' })
  unwanted = await createTopic(service, { name: 'Unwanted', default_subscription: 'opt_out' })
})

/** The subscription of a contact to each topic. */
async function subscriptionsOf(contact: string): Promise<Record<string, string>> {
  const { body } = await service.call('GET', `/contacts/${contact}/topics`)
  return Object.fromEntries((body as { data: { id: string; subscription: string }[] }).data.map((one) => [one.id, one.subscription]))
}

const set = (contact: string, body: unknown) => service.call('PATCH', `/contacts/${contact}/topics`, { body })

const told = (contactId: string) =>
  service.database.execute<{ type: string; data: unknown }>(
    `select type, data from notifications where subject_id = $1 and type <> 'contact.created' order by created_at, id`,
    [contactId],
  )

const rowsOf = (contactId: string) => service.database.execute('select topic_id from contact_topics where contact_id = $1', [contactId])

describe('GET /contacts/:id/topics', () => {
  it('lists every topic, newest first, with the choice of the contact or else its default', async () => {
    const id = await createContact(service, 'ada@example.com')
    const items = (subscriptions: [string, string]) => ({
      object: 'list',
      has_more: false,
      data: [
        { id: unwanted, name: 'Unwanted', description: null, subscription: subscriptions[0] },
        { id: wanted, name: 'Wanted', description: 'By everybody', subscription: subscriptions[1] },
      ],
    })
    expect((await resend.contacts.topics.list({ id })).data).toEqual(items(['opt_out', 'opt_in']))
    await chooseTopic(service, id, unwanted, 'opt_in')
    expect((await resend.contacts.topics.list({ email: 'ADA@example.com' })).data).toEqual(items(['opt_in', 'opt_in']))
    await chooseTopic(service, id, wanted, 'opt_out')
    expect((await resend.contacts.topics.list({ id })).data).toEqual(items(['opt_in', 'opt_out']))
  })

  it('lists no topic of another team, and none that was deleted', async () => {
    await createTopic(service, {}, service.other.token)
    const id = await createContact(service, 'ada@example.com')
    await chooseTopic(service, id, wanted, 'opt_out')
    await service.call('DELETE', `/topics/${wanted}`)
    expect(await subscriptionsOf(id)).toEqual({ [unwanted]: 'opt_out' })
  })

  it('pages only when it is asked to, in both directions', async () => {
    const id = await createContact(service, 'ada@example.com')
    const ids = [unwanted, wanted]
    for (let made = 0; made < 23; made += 1) ids.unshift(await createTopic(service))
    const list = async (query: string) => {
      const { body } = await service.call('GET', `/contacts/${id}/topics${query}`)
      const { data, has_more } = body as { data: { id: string }[]; has_more: boolean }
      return { ids: data.map((one) => one.id), has_more }
    }
    expect(await list('')).toEqual({ ids, has_more: false })
    expect(await list('?limit=2')).toEqual({ ids: ids.slice(0, 2), has_more: true })
    expect(await list(`?after=${ids[1]}`)).toEqual({ ids: ids.slice(2, 22), has_more: true })
    expect(await list(`?limit=2&before=${ids[4]}`)).toEqual({ ids: ids.slice(2, 4), has_more: true })
    expect(await list(`?limit=2&before=${ids[2]}`)).toEqual({ ids: ids.slice(0, 2), has_more: false })
  })
})

describe('PATCH /contacts/:id/topics', () => {
  it('takes an array as the official client sends it, or an object with it', async () => {
    const id = await createContact(service, 'ada@example.com')
    const reply = (topics: object[]) => ({ object: 'contact_topics', id, contact_id: id, topics })
    const first = [{ id: wanted, subscription: 'opt_out' as const }]
    const { data, error } = await resend.contacts.topics.update({ id, topics: first })
    expect({ data, error }).toEqual({ data: reply(first), error: null })

    const both = [
      { id: wanted, subscription: 'opt_in' },
      { id: unwanted, subscription: 'opt_in' },
    ]
    const answer = await set('ADA@example.com', { topics: both.map((one) => ({ ...one, id: one.id.toUpperCase() })) })
    expect(outcome(answer)).toEqual({ status: 200, body: reply(both) })
    expect(await subscriptionsOf(id)).toEqual({ [wanted]: 'opt_in', [unwanted]: 'opt_in' })
  })

  it('takes an empty array, and changes nothing', async () => {
    const id = await createContact(service, 'ada@example.com')
    expect(outcome(await set(id, []))).toEqual({ status: 200, body: { object: 'contact_topics', id, contact_id: id, topics: [] } })
    expect(await told(id)).toEqual([])
  })

  it('tells only of topics for which something else holds now', async () => {
    const id = await createContact(service, 'ada@example.com')
    await set(id, [
      { id: wanted, subscription: 'opt_in' },
      { id: unwanted, subscription: 'opt_out' },
    ])
    expect(await told(id)).toEqual([])
    await set(id, [
      { id: wanted, subscription: 'opt_out' },
      { id: unwanted, subscription: 'opt_out' },
    ])
    await set(id, [{ id: wanted, subscription: 'opt_out' }])
    const data = { email: 'ada@example.com', topics: [{ id: wanted, subscription: 'opt_out' }] }
    expect(await told(id)).toEqual([{ type: 'contact.topics.updated', data }])
  })

  it('remembers who opted out beyond the contact, until that person opts in again', async () => {
    const id = await createContact(service, 'ada@example.com')
    await chooseTopic(service, id, wanted, 'opt_out')
    await service.call('DELETE', `/contacts/${id}`)
    expect(await countTopicOptOuts(service, wanted)).toBe(1)

    const again = await createContact(service, 'Ada@Example.com', { topics: [{ id: wanted, subscription: 'opt_in' }] })
    expect(await subscriptionsOf(again)).toMatchObject({ [wanted]: 'opt_out' })
    await chooseTopic(service, again, wanted, 'opt_in')
    expect(await countTopicOptOuts(service, wanted)).toBe(0)
    await service.call('DELETE', `/contacts/${again}`)
    expect(await subscriptionsOf(await createContact(service, 'ada@example.com'))).toMatchObject({ [wanted]: 'opt_in' })
  })

  it('changes nothing when one of the topics is not the team’s', async () => {
    const id = await createContact(service, 'ada@example.com')
    const others = await createTopic(service, {}, service.other.token)
    for (const stranger of [UNKNOWN_ID, others]) {
      const topics = [wanted, unwanted, stranger].map((topic) => ({ id: topic, subscription: 'opt_out' }))
      expect(outcome(await set(id, topics))).toEqual(invalid('The `[2].id` field is not the id of one of your topics.'))
      expect(outcome(await set(id, { topics }))).toEqual(invalid('The `topics[2].id` field is not the id of one of your topics.'))
      expect(await rowsOf(id)).toEqual([])
    }
    expect(await countTopicOptOuts(service, wanted)).toBe(0)
  })

  it.each<[string, (topic: string) => unknown, string]>([
    ['nothing', () => undefined, 'Missing `topics` field.'],
    ['a string', () => '"x"', 'The request body must be an array or an object.'],
    ['topics that are no array', () => ({ topics: 'x' }), 'The `topics` field must be an array.'],
    ['no subscription', (id) => ({ topics: [{ id }] }), 'Missing `topics[0].subscription` field.'],
    [
      'an unknown subscription',
      (id) => ({ topics: [{ id, subscription: 'maybe' }] }),
      'The `topics[0].subscription` field must be one of: `opt_in`, `opt_out`. It is "maybe".',
    ],
    ['what is no id', () => ({ topics: [{ id: 'x', subscription: 'opt_in' }] }), 'The `topics[0].id` field must be a UUID. It is "x".'],
    ['what is no id in an array', () => [{ id: 'x', subscription: 'opt_in' }], 'The `[0].id` field must be a UUID. It is "x".'],
    [
      'a topic twice',
      (id) => [
        { id, subscription: 'opt_in' },
        { id: id.toUpperCase(), subscription: 'opt_out' },
      ],
      'The `[1].id` field names a topic more than once.',
    ],
    [
      'a topic twice in an object',
      (id) => ({ topics: ['opt_in', 'opt_out'].map((subscription) => ({ id, subscription })) }),
      'The `topics[1].id` field names a topic more than once.',
    ],
    [
      'too many topics',
      (id) => ({ topics: Array.from({ length: TOPICS_MAX + 1 }, () => ({ id, subscription: 'opt_in' })) }),
      'The `topics` field must have at most 200 entries.',
    ],
    [
      'too many topics in an array',
      (id) => Array.from({ length: TOPICS_MAX + 1 }, () => ({ id, subscription: 'opt_in' })),
      'The request body must have at most 200 entries.',
    ],
  ])('refuses %s', async (_what, body, message) => {
    const id = await createContact(service, 'ada@example.com')
    expect(outcome(await set(id, body(wanted)))).toEqual(invalid(message))
    expect(await rowsOf(id)).toEqual([])
  })
})

describe('a contact that does not exist, or is another team’s', () => {
  it.each([['GET'], ['PATCH', []]])('is a 404: %s', async (method, body?: unknown) => {
    const others = await createContact(service, 'ada@example.com', {}, service.other.token)
    for (const contact of [UNKNOWN_ID, others, 'ada@example.com', 'nobody'])
      expect(outcome(await service.call(method, `/contacts/${contact}/topics`, { body }))).toEqual(missing('Contact'))
  })
})
