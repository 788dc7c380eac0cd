import { beforeEach, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { addSuppressions, type NewSuppression } from '../../../src/modules/suppressions/suppression-changes.repository.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const NOW = new Date()
const LATER = new Date(NOW.getTime() + 60_000)
const EMAIL = createId()

const service = shared(() => startTestService())
beforeEach(async () => {
  await service.database.execute('truncate suppressions, notifications')
})

const bounced = (email: string, changed: Partial<NewSuppression> = {}): NewSuppression => ({
  teamId: service.teamId,
  email,
  origin: 'bounce',
  sourceId: EMAIL,
  ...changed,
})

const add = (additions: NewSuppression[], now = NOW) => service.database.transaction((inside) => addSuppressions(inside, additions, now))

const listed = () =>
  service.database.execute(
    'select id, team_id as "teamId", email, origin, source_id as "sourceId", created_at as "createdAt", soft_bounces as "softBounces" from suppressions order by email, team_id',
  )

const told = () => service.database.execute('select team_id, type, subject_id, data from notifications order by id')

it('adds each address once, in lower case, and tells each that is new', async () => {
  const added = await add([bounced('Ada@example.com'), bounced('bob@example.com', { origin: 'complaint' }), bounced('ada@EXAMPLE.com')])
  const [ada, bob] = added.map(({ id }) => id)
  expect(added).toEqual([
    { id: ada, teamId: service.teamId, email: 'ada@example.com', origin: 'bounce', sourceId: EMAIL, createdAt: NOW, softBounces: null },
    { id: bob, teamId: service.teamId, email: 'bob@example.com', origin: 'complaint', sourceId: EMAIL, createdAt: NOW, softBounces: null },
  ])
  expect(await listed()).toEqual(added)
  const event = (id: string | undefined, email: string, origin: string) => ({
    team_id: service.teamId,
    type: 'suppression.added',
    subject_id: id,
    data: { id, email, origin, source_id: EMAIL, created_at: NOW.toISOString() },
  })
  expect(await told()).toEqual([event(ada, 'ada@example.com', 'bounce'), event(bob, 'bob@example.com', 'complaint')])
})

it('leaves an address that is on the list as it is, and tells nothing of it', async () => {
  const [first] = await add([bounced('ada@example.com')])
  await service.database.execute('truncate notifications')
  const manual = bounced('ADA@example.com', { origin: 'manual', sourceId: null })
  expect(await add([manual, bounced('bob@example.com')], LATER)).toMatchObject([{ email: 'bob@example.com' }])
  expect(await listed()).toMatchObject([first, { email: 'bob@example.com', createdAt: LATER }])
  expect(await told()).toMatchObject([{ data: { email: 'bob@example.com' } }])
})

it('keeps the lists of two teams apart', async () => {
  const added = await add([bounced('ada@example.com'), bounced('ada@example.com', { teamId: service.other.teamId })])
  expect(added.map(({ teamId }) => teamId)).toEqual([service.teamId, service.other.teamId])
})

it('leaves nothing if the transaction of the cause fails', async () => {
  const failure = new Error('The cause failed')
  const act = service.database.transaction(async (inside) => {
    await addSuppressions(inside, [bounced('ada@example.com')], NOW)
    throw failure
  })
  await expect(act).rejects.toBe(failure)
  expect(await listed()).toEqual([])
  expect(await told()).toEqual([])
})

it('never deadlocks when many transactions add the same addresses in different orders', async () => {
  const additions = Array.from({ length: 3_000 }, (_, index) => bounced(`person${index}@example.com`))
  const orders = [additions, additions.toReversed(), additions, additions.toReversed()]
  const added = await Promise.all(orders.map((order) => add(order)))
  expect(added.flat()).toHaveLength(additions.length)
  expect(await listed()).toHaveLength(additions.length)
  expect(await told()).toHaveLength(additions.length)
})

it('has an id for every address, and deadlocks with nothing, while others remove the same addresses', async () => {
  const { suppressions } = service.service.context.repositories
  const emails = Array.from({ length: 300 }, (_, index) => `person${index}@example.com`)
  const entries = emails.map((email) => ({ email, origin: 'manual' as const }))
  for (let round = 0; round < 10; round += 1) {
    const [added, again] = await Promise.all([
      suppressions.add(service.teamId, entries),
      suppressions.add(service.teamId, entries.toReversed()),
      suppressions.deleteSuppressions(service.teamId, { emails }),
      suppressions.deleteSuppressions(service.teamId, { emails: emails.toReversed() }),
    ])
    expect([new Set(added.ids).size, new Set(again.ids).size]).toEqual([emails.length, emails.length])
  }
  const counts = await service.database.execute<{ type: string; count: number }>(
    'select type, count(*)::int as count from notifications group by type order by type',
  )
  const [additions, removals] = counts.map(({ count }) => count)
  expect(await listed()).toHaveLength((additions ?? 0) - (removals ?? 0))
})
