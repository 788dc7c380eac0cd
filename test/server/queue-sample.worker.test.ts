import { afterEach, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import type { LaneClass } from '../../src/modules/emails/new-delivery.ts'
import { sampleQueue } from '../../src/server/worker.ts'
import { queueRows } from '../support/builders/engine.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const service = shared(() => startTestService())
afterEach(() => service.database.execute('truncate deliveries, queue_pauses, destination_paces, automation_occurrences'))

const rows = (destination: string, count: number, more: { class?: LaneClass; teamId?: string; isReady?: boolean; dueAt?: Date } = {}) =>
  queueRows(
    service.database,
    Array.from({ length: count }, () => ({ class: 'transactional', teamId: service.teamId, destination, ...more })),
  )

/** The series of a name, as Prometheus reads them over HTTP; those that are 0 are left out. */
async function series(name: string): Promise<string[]> {
  await sampleQueue(service.service.context)
  const { text } = await service.call('GET', '/metrics')
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && !line.endsWith(' 0'))
    .map((line) => line.slice(name.length))
    .toSorted()
}

it('tells the depth of the queue by class, destination and state, over all teams', async () => {
  await rows('a.test', 2)
  await rows('a.test', 1, { teamId: service.other.teamId })
  await rows('a.test', 4, { class: 'bulk' })
  await rows('b.test', 1, { isReady: false, dueAt: new Date(Date.now() + 60_000) })
  await queueRows(service.database, [{ class: 'bulk', teamId: service.teamId, destination: 'c.test', leasedBy: createId() }])
  await service.database.execute(
    `update deliveries set is_ready = false, due_at = 'infinity' where class = 'bulk' and destination = 'a.test'`,
  )

  expect(await series('posthaste_queue_depth')).toEqual([
    '{state="leased",class="bulk",destination="c.test"} 1',
    '{state="parked",class="bulk",destination="a.test"} 4',
    '{state="ready",class="transactional",destination="a.test"} 3',
    '{state="waiting",class="transactional",destination="b.test"} 1',
  ])
})

it('has series for the 50 longest lanes and one for the others, and forgets lanes that have emptied', async () => {
  await queueRows(
    service.database,
    Array.from({ length: 60 }, (_, index) => ({ class: 'transactional' as const, teamId: service.teamId, destination: `d${index}.test` })),
  )
  await rows('long.test', 5)

  const found = await series('posthaste_queue_depth')
  expect(found).toHaveLength(51)
  expect(found).toContain('{state="ready",class="transactional",destination="long.test"} 5')
  expect(found).toContain('{state="ready",class="transactional",destination="other"} 11')

  await service.database.execute('truncate deliveries')
  await rows('next.test', 1)
  expect(await series('posthaste_queue_depth')).toEqual(['{state="ready",class="transactional",destination="next.test"} 1'])
})

it('tells how long the oldest has been due, how many parts are paused, and how many destinations are backing off', async () => {
  const { queuePauses, destinationPaces } = service.service.context.repositories
  await rows('a.test', 1, { isReady: false, dueAt: new Date(Date.now() - 100_000) })
  await queuePauses.addAcrossTeams({ class: 'bulk', teamId: null, destination: null }, new Date())
  const pace = { connections: 1, pauseCount: 1, slowedAtMs: null }
  const paces = [60_000, 120_000, -1_000].map((ms, index) => ({
    key: `mx${index}.test`,
    pace: { ...pace, pausedUntilMs: Date.now() + ms },
  }))
  await destinationPaces.save(paces, createId(), new Date())

  const [oldest] = await series('posthaste_queue_oldest_due_seconds')
  expect(Number(oldest)).toBeGreaterThanOrEqual(100)
  expect(await series('posthaste_queue_paused_parts')).toEqual([' 1'])
  expect(await series('posthaste_destinations_backing_off')).toEqual([' 2'])
})

it('tells how old the last whole backup is, and NaN before the first', async () => {
  expect(await series('posthaste_backup_age_seconds')).toEqual([' Nan'])
  await service.service.context.repositories.lastBackup.record(100)
  const [age] = await series('posthaste_backup_age_seconds')
  expect(Number(age)).toBeGreaterThanOrEqual(100)
  expect(Number(age)).toBeLessThan(200)
})

it('tells how many events are set aside until someone asks for another try, up to a bound', async () => {
  const addEvents = (count: number, setAsideUntil: string) =>
    service.database.execute(
      `insert into automation_occurrences (id, team_id, name, email, payload, created_at, failures, set_aside_until)
       select gen_random_uuid(), $1::uuid, 'signed.up', 'ada@example.org', '{}', now(), 5, ${setAsideUntil} from generate_series(1, ${count})`,
      [service.teamId],
    )
  await addEvents(1, 'null')
  await addEvents(1, `now() + interval '1 minute'`)
  expect(await series('posthaste_automation_events_set_aside')).toEqual([])
  await addEvents(3, `'infinity'`)
  expect(await series('posthaste_automation_events_set_aside')).toEqual([' 3'])
  await addEvents(10_000, `'infinity'`)
  expect(await series('posthaste_automation_events_set_aside')).toEqual([' 10000'])
  await service.service.context.repositories.automationOccurrences.dispatchAgainAcrossTeams(null)
  expect(await series('posthaste_automation_events_set_aside')).toEqual([])
})

it('tells nothing about what waits for its time as if it were late', async () => {
  await rows('a.test', 1, { isReady: false, dueAt: new Date(Date.now() + 60_000) })

  expect(await series('posthaste_queue_oldest_due_seconds')).toEqual([])
})
