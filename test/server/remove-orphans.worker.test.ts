import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { takeLease } from '../../src/db/leases/lease.ts'
import { startJobs } from '../../src/server/jobs.ts'
import { findOrphans, OrphansHeld, removeMembers, removePropertyValues } from '../../src/server/orphan-cleanup.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const CONTACTS = 3_000

let stop: () => Promise<void>

const service = shared(() => startTestService())
beforeAll(async () => {
  const { context } = service.service
  const lease = await takeLease(context)
  const jobs = await startJobs(context, lease, { pool: service.database.pool, maintainPartitions: async () => {} })
  stop = async () => {
    await jobs.stop()
    await lease.leave()
  }
})
afterAll(() => stop())
beforeEach(async () => {
  await service.database.execute(
    'truncate contacts, contact_segments, contact_topics, topic_opt_outs, segments, topics, contact_properties, graphile_worker._private_jobs',
  )
  await service.database.execute(
    `insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
     select ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'person-' || n || '@example.com', md5(n::text), now(), now() from generate_series(1, ${CONTACTS}) n`,
    [service.teamId],
  )
})

const { signal } = new AbortController()
const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const create = async (path: string, body: object) => idOf(await service.call('POST', path, { body }))
const count = async (table: string) => (await service.database.execute(`select from ${table}`)).length

async function createFullSegment(): Promise<string> {
  const id = await create('/segments', { name: 'Full' })
  await service.database.execute('insert into contact_segments (segment_id, contact_id, created_at) select $1, id, now() from contacts', [
    id,
  ])
  return id
}
async function createFullTopic(): Promise<string> {
  const id = await create('/topics', { name: 'Full', default_subscription: 'opt_in' })
  await service.database.execute(
    `insert into contact_topics (topic_id, contact_id, subscription, updated_at) select $1, id, 'opt_out', now() from contacts`,
    [id],
  )
  await service.database.execute(
    'insert into topic_opt_outs (team_id, address_hash, topic_id, created_at) select team_id, email, $1, now() from contacts',
    [id],
  )
  return id
}
async function createFullProperty(): Promise<{ id: string; number: number }> {
  const id = await create('/contact-properties', { key: 'company', type: 'string' })
  const [row] = await service.database.execute<{ number: number }>('select number from contact_properties where id = $1', [id])
  const number = row?.number ?? 0
  await service.database.execute(`update contacts set properties = properties || jsonb_build_object($1::text, 'Engines')`, [String(number)])
  return { id, number }
}
const removeRow = (table: string, id: string) => service.database.execute(`delete from ${table} where id = $1`, [id])
const valuesLeft = async () => (await service.database.execute(`select from contacts where properties <> '{}'`)).length

/** Holds the locks of a statement while something else runs. */
const whileHeld = <Result>(sql: string, work: () => Promise<Result>): Promise<Result> =>
  service.database.transaction(async (inside) => {
    await inside(sql)
    return work()
  })

describe('deleting', () => {
  it('a segment takes its contacts out in the background, and no others', async () => {
    const gone = await createFullSegment()
    const kept = await createFullSegment()
    await service.call('DELETE', `/segments/${gone}`)
    await until(async () => expect(await count('contact_segments')).toBe(CONTACTS))
    expect(await service.database.execute('select distinct segment_id as id from contact_segments')).toEqual([{ id: kept }])
    expect(await count('contacts')).toBe(CONTACTS)
  })

  it('a topic removes what contacts chose and what is remembered of addresses, and nothing of another topic', async () => {
    const gone = await createFullTopic()
    const kept = await createFullTopic()
    await service.call('DELETE', `/topics/${gone}`)
    await until(async () => expect(await count('topic_opt_outs')).toBe(CONTACTS))
    await until(async () => expect(await count('contact_topics')).toBe(CONTACTS))
    expect(await service.database.execute('select distinct topic_id as id from contact_topics')).toEqual([{ id: kept }])
    expect(await service.database.execute('select distinct topic_id as id from topic_opt_outs')).toEqual([{ id: kept }])
  })

  it('a property removes its values in the background; a new one with the same key begins without any', async () => {
    const { id, number } = await createFullProperty()
    await service.call('DELETE', `/contact-properties/${id}`)
    await create('/contact-properties', { key: 'company', type: 'string' })
    expect((await service.call('GET', '/contacts/person-1@example.com')).body).toMatchObject({ properties: {} })
    await service.call('PATCH', '/contacts/person-1@example.com', { body: { properties: { company: 'New' } } })
    // The contact that is being changed may be skipped at first.
    await until(async () =>
      expect(await service.database.execute('select from contacts where properties ? $1', [String(number)])).toEqual([]),
    )
    expect(await valuesLeft()).toBe(1)
    expect((await service.call('GET', '/contacts/person-1@example.com')).body).toMatchObject({
      properties: { company: { value: 'New', type: 'string' } },
    })
  })
})

describe('in small batches', () => {
  it('contacts of a segment are removed to the last', async () => {
    const segmentId = await createFullSegment()
    await removeRow('segments', segmentId)
    const { orphanedMembers } = service.service.context.repositories
    expect(await orphanedMembers.removeOfSegmentAcrossTeams(segmentId, 100)).toBe(100)
    expect(await count('contact_segments')).toBe(CONTACTS - 100)
    await removeMembers(service.service.context, { segmentId }, { signal, rowsMax: 100 })
    expect(await count('contact_segments')).toBe(0)
  })

  it('choices of a topic are removed to the last', async () => {
    const topicId = await createFullTopic()
    await removeRow('topics', topicId)
    await removeMembers(service.service.context, { topicId }, { signal, rowsMax: 100 })
    expect([await count('contact_topics'), await count('topic_opt_outs')]).toEqual([0, 0])
  })

  it('values of a property are removed to the last, of this team alone', async () => {
    const { id, number } = await createFullProperty()
    await removeRow('contact_properties', id)
    await service.database.execute(
      `insert into contacts (id, team_id, email, address_hash, properties, created_at, updated_at) values (gen_random_uuid(), $1, 'theirs@example.com', 'theirs', $2, now(), now())`,
      [service.other.teamId, { [number]: 'Theirs' }],
    )
    await removePropertyValues(service.service.context, { teamId: service.teamId, number }, { signal, rowsMax: 100 })
    expect(await valuesLeft()).toBe(1)
  })

  it('nothing is removed of a segment and a topic that are there', async () => {
    const [segmentId, topicId] = [await createFullSegment(), await createFullTopic()]
    await removeMembers(service.service.context, { segmentId }, { signal })
    await removeMembers(service.service.context, { topicId }, { signal })
    expect([await count('contact_segments'), await count('contact_topics'), await count('topic_opt_outs')]).toEqual([
      CONTACTS,
      CONTACTS,
      CONTACTS,
    ])
  })

  it('the rest is left when the service stops', async () => {
    const segmentId = await createFullSegment()
    await removeRow('segments', segmentId)
    await expect(removeMembers(service.service.context, { segmentId }, { signal: AbortSignal.abort(), rowsMax: 100 })).rejects.toThrow(
      'aborted',
    )
    expect(await count('contact_segments')).toBe(CONTACTS - 100)
  })
})

describe('what another transaction holds for as long as any job is tried', () => {
  const addJob = (task: string) => service.database.execute('select graphile_worker.add_job($1)', [task])
  const jobs = () =>
    service.database.execute<{ id: string; attempts: number }>(
      'select id, attempts from graphile_worker._private_jobs where locked_at is null and attempts > 0',
    )
  const TRIES = 100

  it.each([
    ['values of a property', 'contacts', createFullProperty, '/contact-properties', valuesLeft],
    ['memberships', 'contact_segments', async () => ({ id: await createFullSegment() }), '/segments', () => count('contact_segments')],
    ['choices and opt-outs', 'topic_opt_outs', async () => ({ id: await createFullTopic() }), '/topics', () => count('topic_opt_outs')],
  ] as const)('is removed nevertheless when it is free: %s', async (_what, table, create, path, left) => {
    const { id } = await create()
    await whileHeld(`select from ${table} limit 1 for update`, async () => {
      await service.call('DELETE', `${path}/${id}`)
      await until(async () => expect(await jobs()).toMatchObject([{ attempts: 1 }]))
      // The job looks as if it had been retried for days.
      await service.database.execute('update graphile_worker._private_jobs set attempts = least($1, max_attempts)', [TRIES])
      await addJob('sweep-jobs')
      await until(async () => expect(await count(`graphile_worker._private_jobs where attempts < ${TRIES}`)).toBe(0))
      expect(await left()).toBe(1)
    })
    await until(async () => {
      // A try that still ran has put off the next one afterwards.
      await service.database.execute('update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()')
      expect(await left()).toBe(0)
    })
  })
})

describe('what no job removes', () => {
  it('is found once a day, and nothing that has an owner', async () => {
    const gone = { segment: await createFullSegment(), topic: await createFullTopic(), property: await createFullProperty() }
    const kept = { segment: await createFullSegment(), topic: await createFullTopic() }
    const answer = await service.call('POST', '/contact-properties', { body: { key: 'kept', type: 'string' } })
    await service.call('PATCH', '/contacts/person-1@example.com', { body: { properties: { kept: 'here' } } })
    await removeRow('segments', gone.segment)
    await removeRow('topics', gone.topic)
    await removeRow('contact_properties', gone.property.id)

    await service.database.execute(`select graphile_worker.add_job('find-leftovers')`)

    await until(async () => expect(await valuesLeft()).toBe(1))
    await until(async () => expect(await count('contact_segments')).toBe(CONTACTS))
    await until(async () => expect([await count('contact_topics'), await count('topic_opt_outs')]).toEqual([CONTACTS, CONTACTS]))
    expect(await service.database.execute('select distinct segment_id as id from contact_segments')).toEqual([{ id: kept.segment }])
    expect(await service.database.execute('select distinct topic_id as id from contact_topics')).toEqual([{ id: kept.topic }])
    expect((await service.call('GET', '/contacts/person-1@example.com')).body).toMatchObject({
      properties: { kept: { value: 'here', type: 'string' } },
    })
    expect(answer.status).toBe(201)
  })

  it('is found to the last batch, and enqueued once for each', async () => {
    const { number, id } = await createFullProperty()
    const topicId = await createFullTopic()
    await removeRow('contact_properties', id)
    await removeRow('topics', topicId)
    await service.database.execute('delete from contact_topics')
    await service.database.execute(`update contacts set properties = '{}' where email <> 'person-${CONTACTS}@example.com'`)
    const { repositories, log } = service.service.context
    const enqueued: unknown[] = []
    const orphans = { ...repositories.orphans, enqueueRemovals: async (...payloads: unknown[]) => void enqueued.push(...payloads) }

    await findOrphans({ repositories: { ...repositories, orphans }, log }, { signal, rowsMax: 100 })

    expect(enqueued).toEqual([[{ topicId }], [{ teamId: service.teamId, number }]])
  })

  it('is nothing in a database without contacts', async () => {
    await service.database.execute('truncate contacts')
    const { orphans } = service.service.context.repositories
    expect(await orphans.findMembersAcrossTeams()).toEqual([])
    expect(await orphans.findValuesAcrossTeams({ after: UNKNOWN_ID, contactsMax: 100 })).toEqual({ last: null, gone: [] })
  })
})

describe('what another transaction holds', () => {
  it('is passed over at first, and removed when the job is tried again', async () => {
    const segmentId = await createFullSegment()
    await removeRow('segments', segmentId)
    const { number, id } = await createFullProperty()
    await removeRow('contact_properties', id)
    const members = () => removeMembers(service.service.context, { segmentId }, { signal, rowsMax: 500 })
    const values = () => removePropertyValues(service.service.context, { teamId: service.teamId, number }, { signal, rowsMax: 500 })

    await whileHeld(`select from contact_segments order by contact_id limit 7 for update`, () =>
      expect(members()).rejects.toThrow(OrphansHeld),
    )
    await whileHeld(`select from contacts order by id limit 7 for update`, () => expect(values()).rejects.toThrow(OrphansHeld))
    expect([await count('contact_segments'), await valuesLeft()]).toEqual([7, 7])

    await members()
    await values()
    expect([await count('contact_segments'), await valuesLeft()]).toEqual([0, 0])
  })
})
