import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startJobs } from '../../src/workers/jobs.ts'
import { takeLease } from '../../src/workers/lease.ts'
import { LeftoversHeld, removeMembers, removePropertyValues } from '../../src/workers/remove-leftovers.ts'
import { startTestService, type TestService } from '../support/service.ts'

const CONTACTS = 3_000

let service: TestService
let stop: () => Promise<void>

beforeAll(async () => {
  service = await startTestService()
  const { context } = service.service
  const lease = await takeLease(context)
  const jobs = await startJobs(context, lease, { pool: service.database.pool, maintainPartitions: async () => {} })
  stop = async () => {
    await jobs.stop()
    await lease.leave()
  }
})
afterAll(async () => {
  await stop()
  await service.close()
})
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
const until = (assertion: () => Promise<void>) => vi.waitFor(assertion, { timeout: 10_000 })

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

/** Holds what a statement locks while something else is done. */
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
    await until(async () => expect(await valuesLeft()).toBe(1))
    expect((await service.call('GET', '/contacts/person-1@example.com')).body).toMatchObject({
      properties: { company: { value: 'New', type: 'string' } },
    })
    expect(await service.database.execute('select from contacts where properties ? $1', [String(number)])).toEqual([])
  })
})

describe('in small bites', () => {
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

describe('what somebody holds', () => {
  it('is passed over at first, and removed when the job is tried again', async () => {
    const segmentId = await createFullSegment()
    await removeRow('segments', segmentId)
    const { number, id } = await createFullProperty()
    await removeRow('contact_properties', id)
    const members = () => removeMembers(service.service.context, { segmentId }, { signal, rowsMax: 500 })
    const values = () => removePropertyValues(service.service.context, { teamId: service.teamId, number }, { signal, rowsMax: 500 })

    await whileHeld(`select from contact_segments order by contact_id limit 7 for update`, () =>
      expect(members()).rejects.toThrow(LeftoversHeld),
    )
    await whileHeld(`select from contacts order by id limit 7 for update`, () => expect(values()).rejects.toThrow(LeftoversHeld))
    expect([await count('contact_segments'), await valuesLeft()]).toEqual([7, 7])

    await members()
    await values()
    expect([await count('contact_segments'), await valuesLeft()]).toEqual([0, 0])
  })
})
