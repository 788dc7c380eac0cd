// Whose runs and events are worked on when several teams have some, and what one that fails holds up.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Lease, takeLease } from '../../../../src/db/leases/lease.ts'
import { createId } from '../../../../src/lib/ids.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { createEventDispatcher } from '../../../../src/modules/automations/pending-events/dispatch-events.worker.ts'
import { NotDispatched } from '../../../../src/modules/automations/pending-events/notified-runs.repository.ts'
import {
  createAutomationWork,
  runAutomations,
  startRunningAutomations,
} from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import { addAutomation, createRunner, graphOf, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { LONG_LEASE } from '../../../support/clocks/lease-times.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService, type TestService } from '../../../support/servers/service.ts'

const HOUR_MS = 3_600_000
/** Runs that one look takes further, so that many looks follow each other. */
const RUNS_MAX = 10
/** Much more than a few looks take. */
const MANY = 300
const MANY_EVENTS = 900

const clock = createShiftingClock()
const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
let other: TestService
let lease: Lease | null = null

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  const { teamId, token } = service.other
  other = { ...service, teamId, call: (method, path, options) => service.call(method, path, { token, ...options }) }
})
afterEach(async () => {
  await lease?.leave()
  lease = null
  await service.database.execute(
    'truncate automations, automation_versions, automation_runs, automation_waits, automation_facts, automation_occurrences',
  )
})

const oneOf = async (automationId: string) => {
  const [run] = await runsOf(service, automationId)
  if (!run) throw new Error('There is no run')
  return run
}

async function addManyEvents(name: string, count: number): Promise<void> {
  await service.database.execute(
    `insert into automation_occurrences (id, team_id, name, email, payload, created_at)
     select uuidv7(), $1, $2, 'many' || n || '@example.org', '{}', now() from generate_series(1, ${count}) n`,
    [service.teamId, name],
  )
}

describe('a look', () => {
  it('says whether it told events that no run waits for', async () => {
    await addManyEvents('unheard', 2)
    const { context } = service.service
    const work = createAutomationWork(context, { id: createId(), isHeld: () => true })
    expect(await runAutomations(context, work)).toEqual({ hasMore: false, hasDispatched: true })
    expect(await runAutomations(context, work)).toEqual({ hasMore: false, hasDispatched: false })
  })
})

describe('a team with many', () => {
  it('runs that are due does not hold up the later one of another team', async () => {
    const [many, one] = [await addAutomation(service, graphOf([pause])), await addAutomation(other, graphOf([pause]))]
    await addManyEvents('signed.up', MANY)
    await createRunner(service).runAll()
    clock.shift(1_000)
    await sendEvent(other, 'signed.up')
    await createRunner(service).runAll()
    clock.shift(HOUR_MS)
    const { context } = service.service
    const work = createAutomationWork(context, { id: createId(), isHeld: () => true }, { runsMax: RUNS_MAX })
    for (let looks = 0; looks < 3; looks += 1) expect((await runAutomations(context, work)).hasMore).toBe(true)
    expect(await oneOf(one)).toMatchObject({ status: 'completed' })
    const left = (await runsOf(service, many)).filter(({ status }) => status === 'running')
    expect(left.length).toBeGreaterThan(MANY - 4 * RUNS_MAX)
  })

  it('events does not hold up the later one of another team', async () => {
    const [, one] = [await addAutomation(service, graphOf([])), await addAutomation(other, graphOf([]))]
    await addManyEvents('signed.up', MANY_EVENTS)
    await sendEvent(other, 'signed.up')
    const eventDispatcher = createEventDispatcher(service.service.context)
    for (let looks = 0; looks < 3; looks += 1) expect(await eventDispatcher.dispatch()).toBe(true)
    expect(await runsOf(service, one)).toHaveLength(1)
    const [left] = await service.database.execute<{ count: number }>('select count(*)::int as count from automation_occurrences')
    expect(left?.count).toBeGreaterThan(MANY_EVENTS / 4)
  })

  it('events has them told in the order in which they happened', async () => {
    const id = await addAutomation(service, graphOf([]))
    await addManyEvents('signed.up', MANY_EVENTS)
    await createRunner(service).runAll()
    const runs = await service.database.execute<{ eventId: string }>(
      'select event_id as "eventId" from automation_runs where automation_id = $1 order by id',
      [id],
    )
    const eventIds = runs.map(({ eventId }) => eventId)
    expect(eventIds).toEqual([...eventIds].sort())
    expect(eventIds).toHaveLength(MANY_EVENTS)
  })
})

describe('a wait', () => {
  it('whose time is over, but whose event is not told yet, is put back for a moment', async () => {
    const wait: Step = { key: 'wait', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 hour' } }
    const id = await addAutomation(service, graphOf([wait]))
    const { runAll } = createRunner(service)
    await sendEvent(service, 'signed.up')
    await runAll()
    await sendEvent(service, 'paid')
    clock.shift(HOUR_MS)
    await service.database.transaction(async (inside) => {
      // Another worker tells, and is not done.
      await inside(`select pg_advisory_xact_lock(hashtextextended('telling automations', 0))`)
      const before = clock.now()
      await runAll()
      const { status, wakeAt } = await oneOf(id)
      expect({ status, isLater: wakeAt !== null && wakeAt > before }).toEqual({ status: 'running', isLater: true })
    })
    await runAll()
    expect(await oneOf(id)).toMatchObject({ status: 'completed', state: { steps: { wait: { output: { timed_out: false } } } } })
  })
})

describe('a run that takes long, and failed with others', () => {
  it('is taken further beside the others, which go on', async () => {
    const [slow, quick] = [
      await addAutomation(service, graphOf([pause], 'slow.run')),
      await addAutomation(service, graphOf([pause], 'quick')),
    ]
    await sendEvent(service, 'slow.run')
    await createRunner(service).runAll()
    const { id: slowId } = await oneOf(slow)
    await service.database.execute('update automation_runs set claims = 3, wake_at = now() where id = $1', [slowId])
    await service.database.execute(`
      create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(42); return new; end $$;
      create trigger wait_for_test before update of state on automation_runs for each row when (new.id = '${slowId}') execute function wait_for_test()`)
    const { context } = service.service
    const held = await takeLease(context, LONG_LEASE)
    lease = held
    const runners: ReturnType<typeof startRunningAutomations>[] = []
    try {
      await service.database.transaction(async (inside) => {
        await inside('select pg_advisory_xact_lock(42)')
        runners.push(startRunningAutomations(context, held))
        await until(async () => expect((await oneOf(slow)).leasedBy).not.toBeNull())
        await sendEvent(service, 'quick')
        runners[0]?.wake()
        await until(async () => expect(await runsOf(service, quick)).toMatchObject([{ state: { at: 'pause' } }]))
        expect(await oneOf(slow)).toMatchObject({ leasedBy: held.id, claims: 4 })
      })
      await until(async () => expect(await oneOf(slow)).toMatchObject({ leasedBy: null, claims: 0 }))
    } finally {
      for (const runner of runners) await runner.stop()
      await service.database.execute('drop function wait_for_test cascade')
    }
  })
})

describe('events that take too long to tell', () => {
  it('take no more than a tenth of the time, and hold up no other team', async () => {
    const [slowOne, alsoSlow] = [await addAutomation(service, graphOf([], 'slow')), await addAutomation(other, graphOf([], 'quick'))]
    for (let times = 0; times < 3; times += 1) await sendEvent(service, 'slow')
    await sendEvent(other, 'quick')
    const { context } = service.service
    const { automationOccurrences } = context.repositories
    let nowMs = 0
    const alone: number[] = []
    const repositories = {
      ...context.repositories,
      automationOccurrences: {
        ...automationOccurrences,
        async dispatchAcrossTeams(...[telling, batch]: Parameters<typeof automationOccurrences.dispatchAcrossTeams>) {
          const waiting = await service.database.execute<{ seq: string; teamId: string; name: string }>(
            'select seq::text as seq, team_id as "teamId", name from automation_occurrences where set_aside_until is null order by seq',
          )
          const found = waiting.filter(({ seq, teamId }) =>
            batch.kind === 'one'
              ? seq === batch.seq
              : batch.kind === 'shares'
                ? batch.shares.some((share) => share.teamId === teamId)
                : batch.kind === 'first',
          )
          if (!found.some(({ name }) => name === 'slow')) return automationOccurrences.dispatchAcrossTeams(telling, batch)
          if (batch.kind === 'one') alone.push(nowMs)
          nowMs += 10_000
          throw new NotDispatched(found, Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }))
        },
      },
    }
    const eventDispatcher = createEventDispatcher({ ...context, repositories, clock: { now: clock.now, monotonicMs: () => nowMs } })
    for (let looks = 0; looks < 500; looks += 1) {
      await eventDispatcher.dispatch()
      await eventDispatcher.dispatchSuspect()
      if (looks === 5) expect(await runsOf(service, alsoSlow)).toHaveLength(1)
      nowMs += 1_000
    }
    expect(alone).toHaveLength(3)
    for (const [index, atMs] of alone.slice(1).entries()) expect(atMs - (alone[index] ?? 0)).toBeGreaterThanOrEqual(100_000)
    expect(await runsOf(service, slowOne)).toEqual([])
  })
})
