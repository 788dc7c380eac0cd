import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { TOPICS_MAX } from '../../../../src/modules/audience/topics/topics.schema.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { createTopic } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const read = async (id: string) => (await service.call('GET', `/topics/${id}`)).body

const record = (id: string, changes: Record<string, unknown> = {}) => ({
  object: 'topic',
  id,
  name: 'Weekly newsletter',
  description: null,
  default_subscription: 'opt_in',
  visibility: 'private',
  created_at: TIMESTAMP,
  ...changes,
})

const notificationsOf = (id: string) =>
  service.database.execute<{ type: string; data: unknown }>(
    'select type, data from notifications where subject_id = $1 order by created_at, id',
    [id],
  )

describe('POST /topics', () => {
  it('creates a topic, private and without a description unless told otherwise', async () => {
    const { data, error } = await resend.topics.create({ name: 'Weekly newsletter', defaultSubscription: 'opt_in' })
    expect({ data, error }).toEqual({ data: { object: 'topic', id: UUID }, error: null })
    expect((await resend.topics.get(data?.id ?? '')).data).toEqual(record(data?.id ?? ''))
  })

  it('takes everything that a topic has', async () => {
    const fields = { name: 'x'.repeat(50), description: 'y'.repeat(200), default_subscription: 'opt_out', visibility: 'public' }
    const id = await createTopic(service, fields)
    expect(await read(id)).toEqual(record(id, fields))
  })

  it('takes null as not given', async () => {
    const id = await createTopic(service, { description: null, visibility: null })
    expect(await read(id)).toEqual(record(id))
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { default_subscription: 'opt_in' }, 'Missing `name` field.'],
    ['an empty name', { name: '', default_subscription: 'opt_in' }, 'The `name` field must not be empty.'],
    ['a long name', { name: 'x'.repeat(51), default_subscription: 'opt_in' }, 'The `name` field must have at most 50 characters.'],
    [
      'a long description',
      { name: 'x', description: 'y'.repeat(201), default_subscription: 'opt_in' },
      'The `description` field must have at most 200 characters.',
    ],
    ['no default', { name: 'x' }, 'Missing `default_subscription` field.'],
    ['null as the default', { name: 'x', default_subscription: null }, 'Missing `default_subscription` field.'],
    [
      'another default',
      { name: 'x', default_subscription: 'maybe' },
      'The `default_subscription` field must be one of: `opt_in`, `opt_out`. It is "maybe".',
    ],
    [
      'another visibility',
      { name: 'x', default_subscription: 'opt_in', visibility: 'secret' },
      'The `visibility` field must be one of: `public`, `private`. It is "secret".',
    ],
    ['a name that is no text', { name: 5, default_subscription: 'opt_in' }, 'The `name` field must be a string.'],
  ])('refuses %s', async (_what, body, message) => {
    expect(outcome(await service.call('POST', '/topics', { body }))).toEqual(invalid(message))
  })

  it(`keeps a team at ${TOPICS_MAX} topics, also when several come at once`, async () => {
    const teamId = (await service.service.context.repositories.teams.create('Full')).id
    const token = await service.createKey(teamId)
    await service.database.execute(
      `insert into topics (id, team_id, name, default_subscription, visibility, created_at, updated_at)
       select gen_random_uuid(), $1, 'Topic', 'opt_in', 'private', now(), now() from generate_series(1, $2)`,
      [teamId, TOPICS_MAX - 1],
    )
    const body = { name: 'One more', default_subscription: 'opt_in' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.call('POST', '/topics', { token, body })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(outcome(answer)).toEqual(invalid('A team can have at most 200 topics. Delete one first.'))
  })
})

describe('GET /topics', () => {
  it('lists the topics of the team only, newest first, page by page in both directions', async () => {
    const { token } = service.other
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.unshift(await createTopic(service, { name }, token))
    const list = async (query: string) => (await service.call('GET', `/topics${query}`, { token })).body
    const items = ids.map((id, index) => {
      const { object: _, ...fields } = record(id, { name: ['c', 'b', 'a'][index] })
      return fields
    })
    expect(await list('')).toEqual({ object: 'list', has_more: false, data: items })
    expect((await new Resend(token, { baseUrl: service.url }).topics.list()).data).toEqual({ object: 'list', has_more: false, data: items })
    expect(await list('?limit=2')).toEqual({ object: 'list', has_more: true, data: items.slice(0, 2) })
    expect(await list(`?limit=2&after=${ids[1]}`)).toEqual({ object: 'list', has_more: false, data: items.slice(2) })
    expect(await list(`?limit=1&before=${ids[2]}`)).toEqual({ object: 'list', has_more: true, data: items.slice(1, 2) })
  })

  it('pages by 20 unless it is told otherwise', async () => {
    const token = await service.createKey((await service.service.context.repositories.teams.create('Many')).id)
    for (let made = 0; made < 21; made += 1) await createTopic(service, {}, token)
    const { body } = await service.call('GET', '/topics', { token })
    expect(body).toMatchObject({ has_more: true, data: { length: 20 } })
  })
})

describe('PATCH /topics/:id', () => {
  it('changes what is given, and names what cannot change', async () => {
    const id = await createTopic(service, { description: 'Before' })
    const { data, error } = await resend.topics.update({ id, name: 'After' })
    expect({ data, error }).toEqual({ data: { object: 'topic', id }, error: null })
    expect(await read(id)).toEqual(record(id, { name: 'After', description: 'Before' }))

    const answer = await service.call('PATCH', `/topics/${id}`, {
      body: { id, default_subscription: 'opt_out', description: 'Then', visibility: 'public' },
    })
    expect(outcome(answer)).toEqual({ status: 200, body: { object: 'topic', id } })
    expect(answer.headers.get('x-ignored-fields')).toBe('id, default_subscription')
    expect(await read(id)).toEqual(record(id, { name: 'After', description: 'Then', visibility: 'public' }))
  })

  it('takes the description away with null', async () => {
    const id = await createTopic(service, { description: 'Before' })
    await service.call('PATCH', `/topics/${id}`, { body: { description: null } })
    expect(await read(id)).toEqual(record(id))
  })

  it.each([
    [{ name: '' }, 'The `name` field must not be empty.'],
    [{ name: null }, 'The `name` field must be a string. Leave it out to keep what is there.'],
    [{ name: 'x'.repeat(51) }, 'The `name` field must have at most 50 characters.'],
    [{ description: 'x'.repeat(201) }, 'The `description` field must have at most 200 characters.'],
    [{ visibility: 'secret' }, 'The `visibility` field must be one of: `public`, `private`. It is "secret".'],
    [{ visibility: null }, 'The `visibility` field must be one of: `public`, `private`. Leave it out to keep what is there.'],
  ])('refuses %j', async (body, message) => {
    const id = await createTopic(service)
    expect(outcome(await service.call('PATCH', `/topics/${id}`, { body }))).toEqual(invalid(message))
    expect(await read(id)).toEqual(record(id))
  })
})

describe('DELETE /topics/:id', () => {
  it('deletes a topic and leaves what was chosen to a job', async () => {
    const id = await createTopic(service)
    const { data, error } = await resend.topics.remove(id.toUpperCase())
    expect({ data, error }).toEqual({ data: { object: 'topic', id, deleted: true }, error: null })
    expect(outcome(await service.call('GET', `/topics/${id}`))).toEqual(missing('Topic'))
    expect(outcome(await service.call('DELETE', `/topics/${id}`))).toEqual(missing('Topic'))
    expect(
      await service.database.execute(
        `select task_identifier as task, payload from graphile_worker.jobs join graphile_worker._private_jobs using (id)
          where payload->>'topicId' = $1`,
        [id],
      ),
    ).toEqual([{ task: 'remove-members', payload: { topicId: id } }])
  })

  it('keeps a topic that the filter of a segment names', async () => {
    const id = await createTopic(service)
    const segmentId = createId()
    await service.database.execute(
      `insert into segments (id, team_id, name, filter, filter_uses, created_at) values ($1, $2, 'Readers', '{}', array[$3::uuid], now())`,
      [segmentId, service.teamId, id],
    )
    expect(outcome(await service.call('DELETE', `/topics/${id}`))).toEqual(
      invalid('This topic is used by the filter of the segment `Readers`. Change that filter first.'),
    )
    expect(await read(id)).toEqual(record(id))
    await service.database.execute('delete from segments where id = $1', [segmentId])
    expect((await service.call('DELETE', `/topics/${id}`)).status).toBe(200)
  })
})

describe('an id in the path', () => {
  const calls: [string, unknown?][] = [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']]

  it.each(calls)('that is unknown or of another team is a 404, and one that is no UUID a 422: %s', async (method, body) => {
    const others = await createTopic(service, {}, service.other.token)
    const call = (id: string) => service.call(method, `/topics/${id}`, body === undefined ? {} : { body })
    expect(outcome(await call(UNKNOWN_ID))).toEqual(missing('Topic'))
    expect(outcome(await call(others))).toEqual(missing('Topic'))
    expect(outcome(await call('newsletter'))).toEqual(invalid('The `topic_id` parameter must be a UUID.'))
    expect((await service.call('GET', `/topics/${others}`, { token: service.other.token })).body).toEqual(record(others))
  })
})

it('tells that a topic was created, updated and deleted, as it was then', async () => {
  const id = await createTopic(service, { description: 'Once a week' })
  await service.call('PATCH', `/topics/${id}`, { body: { name: 'Monthly newsletter' } })
  await service.call('DELETE', `/topics/${id}`)

  const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const data = (name: string, deleted: boolean) => ({
    id,
    name,
    description: 'Once a week',
    default_subscription: 'opt_in',
    deleted,
    created_at: ISO_TIME,
    updated_at: ISO_TIME,
  })
  expect(await notificationsOf(id)).toEqual([
    { type: 'topic.created', data: data('Weekly newsletter', false) },
    { type: 'topic.updated', data: data('Monthly newsletter', false) },
    { type: 'topic.deleted', data: data('Monthly newsletter', true) },
  ])
})
