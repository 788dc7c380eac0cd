import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVENTS_MAX } from '../../../src/modules/events/events.schema.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { createEvent } from '../../support/builders/automations.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const record = (id: string, name: string, changes: Record<string, unknown> = {}) => ({
  object: 'event',
  id,
  name,
  schema: null,
  created_at: TIMESTAMP,
  updated_at: null,
  ...changes,
})

const SCHEMA = { order_id: 'string', total: 'number', isGift: 'boolean', 'due on': 'date' } as const

describe('POST /events', () => {
  it('creates an event with a schema, which is found by its id and its name', async () => {
    const { data, error } = await resend.events.create({ name: 'order.placed', schema: SCHEMA })
    expect({ data, error }).toEqual({ data: { object: 'event', id: UUID }, error: null })
    const id = data?.id ?? ''
    for (const identifier of [id, id.toUpperCase(), 'order.placed'])
      expect((await resend.events.get(identifier)).data).toEqual(record(id, 'order.placed', { schema: SCHEMA }))
  })

  it('takes null as not given', async () => {
    const id = await createEvent(service, { name: 'no.schema', schema: null })
    expect((await resend.events.get('no.schema')).data).toEqual(record(id, 'no.schema'))
  })

  it.each(['a/b', 'a%2Fb', '.a..b.', 'send', 'Größe übermittelt 📦', '?#&=+ ', 'x'.repeat(100), 'Resend:a', 'constructor'])(
    'takes the name %j, which a path names URL-encoded',
    async (name) => {
      const id = await createEvent(service, { name })
      expect((await resend.events.get(name)).data).toEqual(record(id, name))
      expect((await resend.events.update(name, { schema: { a: 'date' } })).data).toEqual({ object: 'event', id })
      expect((await resend.events.remove(name)).data).toEqual({ object: 'event', id, deleted: true })
    },
  )

  it('takes a schema with as many fields as it may have, of names as long as they may be', async () => {
    const schema = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [String(index).padStart(100, 'k'), 'string']))
    const id = await createEvent(service, { name: 'largest', schema })
    expect((await resend.events.get(id)).data).toEqual(record(id, 'largest', { schema }))
  })

  it.each<[string, unknown, string]>([
    ['no name', {}, 'Missing `name` field.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
    ['an invisible name', { name: ' ' }, 'The `name` field must have at least one visible character.'],
    ['a long name', { name: 'x'.repeat(101) }, 'The `name` field must have at most 100 characters.'],
    ['a name of 1 MB', { name: 'x'.repeat(1_000_000) }, 'The `name` field must have at most 100 characters.'],
    ['a name with a NUL', { name: 'a\0b' }, 'The `name` field holds a NUL or half of a surrogate pair, which cannot be stored. Remove it.'],
    [
      'a reserved name',
      { name: 'resend:email.opened' },
      'The `name` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    [
      'a name like an id',
      { name: UNKNOWN_ID.toUpperCase() },
      'The `name` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    ['a schema that is a list', { name: 'a', schema: ['string'] }, 'The `schema` field must be an object.'],
    [
      'an unknown type',
      { name: 'a', schema: { total: 'money' } },
      'The `schema.total` field must be one of: `string`, `number`, `boolean`, `date`. It is "money".',
    ],
    [
      'a nested schema',
      { name: 'a', schema: { order: { id: 'string' } } },
      'The `schema.order` field must be one of: `string`, `number`, `boolean`, `date`.',
    ],
    [
      'too many fields',
      { name: 'a', schema: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 'string'])) },
      'The `schema` field must have at most 100 entries.',
    ],
    ['a field without a name', { name: 'a', schema: { '': 'string' } }, 'The `schema` field must have field names of 1 to 100 characters.'],
    [
      'a field with a long name',
      { name: 'a', schema: { ['k'.repeat(101)]: 'string' } },
      'The `schema` field must have field names of 1 to 100 characters.',
    ],
  ])('refuses %s', async (_what, body, sentence) => {
    expect(outcome(await service.call('POST', '/events', { body }))).toEqual(invalid(sentence))
  })

  it('gives a name to one event of a team, and to one of each team', async () => {
    await createEvent(service, { name: 'one.only' })
    const again = () => service.call('POST', '/events', { body: { name: 'one.only' } })
    expect(outcome(await again())).toEqual(invalid('Another of your events already has this `name`. Choose another one.'))
    const { status } = await service.call('POST', '/events', { body: { name: 'one.only' }, token: service.other.token })
    expect(status).toBe(201)
  })

  it('keeps a team at 1,000 events, also when several come at once', async () => {
    const teamId = (await service.service.context.repositories.teams.create('Full')).id
    const token = await service.createKey(teamId)
    await service.database.execute(
      `insert into events (id, team_id, name, created_at) select gen_random_uuid(), $1, 'event ' || n, now() from generate_series(1, $2) n`,
      [teamId, EVENTS_MAX - 1],
    )
    const names = ['a', 'b', 'c', 'd', 'e']
    const answers = await Promise.all(names.map((name) => service.call('POST', '/events', { token, body: { name } })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(outcome(answer)).toEqual(invalid('A team can have at most 1,000 events. Delete one first.'))
  })
})

describe('GET /events', () => {
  it('lists the events of the team only, newest first, page by page in both directions', async () => {
    const teamId = (await service.service.context.repositories.teams.create('Lists')).id
    const token = await service.createKey(teamId)
    const client = new Resend(token, { baseUrl: service.url })
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await createEvent(service, { name }, token))
    const items = ['c', 'b', 'a'].map((name, index) => {
      const { object: _object, ...item } = record(ids[index] ?? '', name)
      return item
    })
    expect((await client.events.list()).data).toEqual({ object: 'list', has_more: false, data: items })
    expect((await client.events.list({ limit: 2 })).data).toEqual({ object: 'list', has_more: true, data: items.slice(0, 2) })
    expect((await client.events.list({ limit: 1, before: ids[2] ?? '' })).data).toEqual({
      object: 'list',
      has_more: true,
      data: items.slice(1, 2),
    })
  })
})

describe('PATCH /events/:id', () => {
  it('replaces the schema, and null removes it', async () => {
    const id = await createEvent(service, { name: 'changed', schema: { before: 'string' } })
    const { data, error } = await resend.events.update('changed', { schema: { after: 'number' } })
    expect({ data, error }).toEqual({ data: { object: 'event', id }, error: null })
    expect((await resend.events.get(id)).data).toEqual(record(id, 'changed', { schema: { after: 'number' }, updated_at: TIMESTAMP }))
    await resend.events.update(id, { schema: null })
    expect((await resend.events.get(id)).data).toEqual(record(id, 'changed', { updated_at: TIMESTAMP }))
  })

  it('needs a schema or null', async () => {
    await createEvent(service, { name: 'unchanged' })
    expect(outcome(await service.call('PATCH', '/events/unchanged', { body: {} }))).toEqual(invalid('Missing `schema` field.'))
  })
})

describe('an event of another team, or none', () => {
  it.each(['GET', 'PATCH', 'DELETE'])('is not found by %s, by its id and its name', async (method) => {
    const name = `others.${method}`
    const id = await createEvent(service, { name })
    for (const path of [`/events/${id}`, `/events/${name}`, '/events/none', `/events/${UNKNOWN_ID}`]) {
      const options = { token: service.other.token, ...(method === 'PATCH' && { body: { schema: null } }) }
      expect(outcome(await service.call(method, path, options))).toEqual(missing('Event'))
    }
    expect((await resend.events.get(id)).data).toEqual(record(id, name))
  })
})

describe('DELETE /events/:id', () => {
  it('frees the name', async () => {
    const id = await createEvent(service, { name: 'deleted' })
    expect((await resend.events.remove('deleted')).data).toEqual({ object: 'event', id, deleted: true })
    expect(outcome(await service.call('GET', '/events/deleted'))).toEqual(missing('Event'))
    expect(await createEvent(service, { name: 'deleted' })).not.toBe(id)
  })
})
