import { beforeEach, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../../src/db/bounded-queries.ts'
import { Failure } from '../../../../src/lib/failure.ts'
import { segmentMemberRepository } from '../../../../src/modules/audience/segments/segment-members.repository.ts'
import { createSegmentMetrics } from '../../../../src/modules/audience/segments/segment-metrics.service.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())
beforeEach(() => service.database.execute('truncate segments, contact_segments, contacts, topics'))

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id
const create = async (path: string, body: object) => idOf(await service.call('POST', path, { body }))
const isAda = { field: 'first_name', operator: 'equals', value: 'Ada' }

/** The service's own counting, with a clock that the test moves. It records how often it counted. */
function createMetrics({ msMax }: { msMax?: number } = {}) {
  const clock = createMovingClock()
  const { repositories } = service.service.context
  const state = { countings: 0, onMembers: () => {} }
  const contacts = {
    ...repositories.contacts,
    count(teamId: string) {
      state.countings += 1
      return repositories.contacts.count(teamId)
    },
  }
  const members = segmentMemberRepository(service.database, {
    filterQueries: createBoundedQueries(service.database, { ...(msMax !== undefined && { msMax }) }),
  })
  const segmentMembers: typeof members = {
    ...members,
    count(teamId, segment) {
      state.onMembers()
      return members.count(teamId, segment)
    },
  }
  return { clock, state, metricsOf: createSegmentMetrics({ repositories: { ...repositories, contacts, segmentMembers }, clock }) }
}

it('counts a team, a segment that contacts are put into, and one that finds them', async () => {
  const filtered = await create('/segments', { name: 'Adas', filter: isAda })
  const plain = await create('/segments', { name: 'Customers' })
  const empty = await create('/segments', { name: 'Empty' })
  await create('/contacts', { email: 'ada@example.com', first_name: 'Ada', segments: [plain] })
  await create('/contacts', { email: 'ada2@example.com', first_name: 'Ada', unsubscribed: true, segments: [plain] })
  await create('/contacts', { email: 'bob@example.com', first_name: 'Bob', segments: [plain] })
  await create('/contacts', { email: 'eve@example.com' })
  await service.call('POST', '/contacts', { body: { email: 'theirs@example.com' }, token: service.other.token })

  expect((await service.call('GET', '/segments/metrics')).body).toEqual({
    object: 'metrics',
    totals: { all_contacts: 4, subscribers: 3, unsubscribers: 1 },
    data: [
      { id: empty, name: 'Empty', all_contacts: 0, subscribers: 0, unsubscribers: 0 },
      { id: plain, name: 'Customers', all_contacts: 3, subscribers: 2, unsubscribers: 1 },
      { id: filtered, name: 'Adas', all_contacts: 2, subscribers: 1, unsubscribers: 1 },
    ],
    has_more: false,
    counted_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/),
  })
  expect((await service.call('GET', '/segments/metrics', { token: service.other.token })).body).toMatchObject({
    totals: { all_contacts: 1, subscribers: 1, unsubscribers: 0 },
    data: [],
  })
})

it('counts once for all who ask within a minute, and again after it', async () => {
  const { clock, state, metricsOf } = createMetrics()
  const together = await Promise.all(Array.from({ length: 20 }, () => metricsOf(service.teamId)))
  expect(state.countings).toBe(1)
  await create('/contacts', { email: 'ada@example.com' })
  clock.advance(59_999)
  expect(await metricsOf(service.teamId)).toBe(together[0])
  clock.advance(1)
  expect((await metricsOf(service.teamId)).totals).toEqual({ contacts: 1, unsubscribed: 0 })
  expect(state.countings).toBe(2)
})

it('remembers each team for itself', async () => {
  const { metricsOf } = createMetrics()
  await create('/contacts', { email: 'ada@example.com' })
  expect((await metricsOf(service.teamId)).totals.contacts).toBe(1)
  expect((await metricsOf(service.other.teamId)).totals.contacts).toBe(0)
})

it('does not remember a failure', async () => {
  const { state, metricsOf } = createMetrics()
  await create('/segments', { name: 'Customers' })
  state.onMembers = () => {
    throw new Error('connection lost')
  }
  await expect(metricsOf(service.teamId)).rejects.toThrow('connection lost')
  state.onMembers = () => {}
  expect((await metricsOf(service.teamId)).segments).toMatchObject([{ counts: { contacts: 0, unsubscribed: 0 } }])
})

it('fails, and does not remember it, when there is no turn for a filter', async () => {
  const { state, metricsOf } = createMetrics()
  await create('/segments', { name: 'Adas', filter: isAda })
  const failure = new Failure('unavailable', 'Others are being run')
  state.onMembers = () => {
    throw failure
  }
  await expect(metricsOf(service.teamId)).rejects.toBe(failure)
  state.onMembers = () => {}
  expect((await metricsOf(service.teamId)).segments).toMatchObject([{ counts: { contacts: 0, unsubscribed: 0 } }])
})

it('leaves out the counts of a filter that takes too long, and counts the others', async () => {
  const { metricsOf } = createMetrics({ msMax: 50 })
  const plain = await create('/segments', { name: 'Customers' })
  const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
  const slow = await create('/segments', { name: 'Slow', filter: { topic, subscription: 'opt_out' } })
  await create('/contacts', { email: 'ada@example.com', segments: [plain] })
  // Every reader of it waits.
  const counted = await service.database.transaction(async (inside) => {
    await inside('lock table contact_topics in access exclusive mode')
    return metricsOf(service.teamId)
  })
  expect(counted.segments).toEqual([
    { id: slow, name: 'Slow', counts: null },
    { id: plain, name: 'Customers', counts: { contacts: 1, unsubscribed: 0 } },
  ])
})

it('stops counting after twenty seconds, and leaves out the rest', async () => {
  const { clock, state, metricsOf } = createMetrics()
  for (const name of ['Oldest', 'Middle', 'Newest']) await create('/segments', { name })
  state.onMembers = () => clock.advance(10_000)
  const { segments } = await metricsOf(service.teamId)
  expect(segments).toMatchObject([
    { name: 'Newest', counts: { contacts: 0 } },
    { name: 'Middle', counts: { contacts: 0 } },
    { name: 'Oldest', counts: null },
  ])
})

it('counts the 100 newest segments, and says that there are more', async () => {
  const insert = (count: number) =>
    service.database.execute(
      `insert into segments (id, team_id, name, created_at)
       select ('01990000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'Segment ' || n, now() from generate_series(1, $2::int) n`,
      [service.teamId, count],
    )
  await insert(100)
  expect(await createMetrics().metricsOf(service.teamId)).toMatchObject({ segments: { length: 100 }, hasMore: false })
  await service.database.execute('truncate segments')
  await insert(101)
  const { segments, hasMore } = await createMetrics().metricsOf(service.teamId)
  expect({ newest: segments[0]?.name, oldest: segments.at(-1)?.name, count: segments.length, hasMore }).toEqual({
    newest: 'Segment 101',
    oldest: 'Segment 2',
    count: 100,
    hasMore: true,
  })
})
