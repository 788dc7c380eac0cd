// All filters of a request share one time limit, and those of a team leave connections for everyone else.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createBoundedQueries, FILTER_QUERIES_MAX, FILTER_QUERIES_PER_TEAM_MAX } from '../../src/db/bounded-queries.ts'
import type { Database } from '../../src/db/database.ts'
import { createId } from '../../src/lib/ids.ts'
import { contactSegmentRepository } from '../../src/modules/audience/segments/contact-segments.repository.ts'
import { createContact, newAddress } from '../support/builders/contacts.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const FILTERS = 10
/** Each of them takes a fraction of the time, all together more than it. */
const ONE_TAKES_S = 0.05
const MS_MAX = 250
const ALL = { limit: 100, after: null, before: null }

let contactId: string

const service = shared(() => startTestService())
beforeEach(async () => {
  await service.database.execute('truncate segments, contacts')
  contactId = await createContact(service, { email: newAddress() })
})

const addFilters = (teamId: string, count: number) =>
  service.database.execute(
    `insert into segments (id, team_id, name, filter, created_at)
     select gen_random_uuid(), $1, 'Filter', '{"field": "email", "operator": "is_set"}', now() from generate_series(1, $2::int)`,
    [teamId, count],
  )

/** A database on which every read of a contact takes a while. */
const slowly =
  ({ transaction }: Database): Database['transaction'] =>
  (work, options) =>
    transaction(
      (inside) =>
        work(async (sql, values) => {
          if (String(sql).startsWith('select from contacts')) await inside('select pg_sleep($1)', [ONE_TAKES_S])
          return inside(sql, values)
        }),
      options,
    )

describe('the filters of one request', () => {
  const segmentsOf = (msMax: number) => {
    const { database, service: running } = service
    const filterQueries = createBoundedQueries({ ...database, transaction: slowly(database) }, { msMax })
    const segments = contactSegmentRepository(database, { clock: running.context.clock, filterQueries })
    return segments.list(service.teamId, contactId, ALL)
  }

  it('are given up together when all of them take too long, though none of them does', async () => {
    await addFilters(service.teamId, FILTERS)
    await expect(segmentsOf(MS_MAX)).rejects.toMatchObject({
      kind: 'validation',
      message:
        'The filter of this segment took longer than 0.25 seconds among so many contacts. Give it fewer rules, or put the contacts into a segment without a filter.',
    })
    expect((await segmentsOf(60_000)).rows).toHaveLength(FILTERS)
  })
})

describe('the filters of several requests', () => {
  /** Requests that hold their turn until they are let go. */
  function createHolders() {
    const held: string[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    onTestFinished(() => release())
    const queries = createBoundedQueries({ ...service.database, patience: 1 })
    const hold = (teamId: string) =>
      queries.run(teamId, async () => {
        held.push(teamId)
        await released
      })
    return { queries, held, hold, release }
  }
  const refusal = {
    kind: 'unavailable',
    message: 'Other filters of segments are being run already. Please try again in a few seconds.',
    retryAfterSeconds: 5,
  }

  it(`run ${FILTER_QUERIES_PER_TEAM_MAX} at once for a team and ${FILTER_QUERIES_MAX} in all, and the next is refused after a second`, async () => {
    const { held, hold, release } = createHolders()
    const teams = Array.from({ length: 4 }, () => createId())
    const results = Promise.allSettled(teams.flatMap((teamId) => [hold(teamId), hold(teamId), hold(teamId)]))
    await until(() => expect(held).toHaveLength(FILTER_QUERIES_MAX))
    for (const teamId of teams) expect(held.filter((holder) => holder === teamId).length).toBeLessThanOrEqual(FILTER_QUERIES_PER_TEAM_MAX)
    const waited = performance.now()
    await expect(hold(teams[3] ?? '')).rejects.toMatchObject(refusal)
    expect(performance.now() - waited).toBeLessThan(20_000)
    release()
    const statuses = (await results).map((result) => (result.status === 'rejected' ? result.reason.kind : 'done'))
    expect(statuses.filter((status) => status === 'done')).toHaveLength(FILTER_QUERIES_MAX)
    expect(statuses.filter((status) => status === 'unavailable')).toHaveLength(teams.length * 3 - FILTER_QUERIES_MAX)
  })

  it('do not keep a team waiting that has none', async () => {
    const { queries, hold, held, release } = createHolders()
    const holders = [hold(service.teamId), hold(service.teamId)]
    await until(() => expect(held).toHaveLength(2))
    expect(await queries.runEach(service.teamId, (_filtering, inside) => inside('select 1 as one'))).toEqual([{ one: 1 }])
    await addFilters(service.teamId, 1)
    await expect(queries.runEach(service.teamId, async () => 'run')).rejects.toMatchObject(refusal)
    release()
    await Promise.all(holders)
  })
})
