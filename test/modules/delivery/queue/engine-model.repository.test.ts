import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type QueuePart, WHOLE_QUEUE } from '../../../../src/modules/delivery/lanes.ts'
import { lastEventOf, type RecipientState, type WholeState } from '../../../../src/modules/emails/email-states.ts'
import { createMovingClock, type MovingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { createEngineWorld, type EngineWorld } from './engine-world.ts'

/** Each run begins at the present again, so that the rows of all runs share the partitions of a few days. */
let runBeganAtMs = 0
const moving = createMovingClock()
const clock: MovingClock = { ...moving, now: () => new Date(moving.now().getTime() - runBeganAtMs) }

const service = shared(() => startTestService({ clock }))

const WORKERS = 3
/** Longer than the longest wait before a retry. */
const DAY_MS = 24 * 60 * 60 * 1_000
/** Each round serves every lane that is due; few emails have more recipients for one destination than a round has places. */
const ROUNDS_MAX = 30

const kind = fc.constantFrom('delivered' as const, 'delayed' as const, 'bounced' as const)
const destination = fc.constantFrom('one.test', 'two.test', 'three.test')
const parts: QueuePart[] = [
  WHOLE_QUEUE,
  { ...WHOLE_QUEUE, destination: 'one.test' },
  { ...WHOLE_QUEUE, destination: 'two.test', class: 'transactional' },
]
const inMs = fc.integer({ min: 5_000, max: 30_000 })

type Act = (world: EngineWorld) => unknown
type Named = { name: string; act: Act }

/** Shown by its name when a run fails. */
const step = <Input extends object>(
  weight: number,
  name: string,
  inputs: fc.Arbitrary<Input>,
  act: (world: EngineWorld, input: Input) => unknown,
) => ({
  weight,
  arbitrary: inputs.map((input): Named & { toString(): string } => ({
    name: `${name} ${JSON.stringify(input)}`,
    act: (world) => act(world, input),
    toString: () => `${name} ${JSON.stringify(input)}`,
  })),
})
/** An index among the candidates; small, so that the same one is often meant twice. */
const index = fc.nat(3)
const who = fc.record({ index })

const steps = fc.array(
  fc.oneof(
    step(
      4,
      'accept',
      fc.record({
        destinations: fc.array(destination, { minLength: 1, maxLength: 4 }),
        inMs: fc.option(inMs),
        isOtherTeam: fc.boolean(),
      }),
      (world, input) => world.accept(input),
    ),
    step(8, 'claim', who, (world, { index }) => world.claim(index)),
    step(4, 'begin', who, (world, { index }) => world.begin(index)),
    step(
      5,
      'settle',
      fc.record({ index, count: fc.integer({ min: 1, max: 5 }), kind, isTwice: fc.boolean() }),
      (world, { index, ...how }) => world.settle(index, how),
    ),
    step(1, 'give back', who, (world, { index }) => world.giveBack(index)),
    step(3, 'die', who, (world, { index }) => world.die(index)),
    step(4, 'haunt', fc.record({ index, kind }), (world, { index, kind: what }) => world.haunt(index, what)),
    step(4, 'cancel', who, (world, { index }) => world.cancel(index)),
    step(3, 'reschedule', fc.record({ index, ms: inMs }), (world, { index, ms }) => world.reschedule(index, ms)),
    step(1, 'pause', fc.record({ part: fc.constantFrom(...parts) }), (world, { part }) => world.pause(part)),
    step(1, 'resume', fc.record({ part: fc.constantFrom(...parts), isCutShort: fc.boolean() }), (world, { part, ...how }) =>
      world.resume(part, how),
    ),
    step(1, 'retry', fc.record({}), (world) => world.retry()),
    step(3, 'advance', fc.record({ ms: fc.integer({ min: 1_000, max: 100_000 }) }), (_world, { ms }) => clock.advance(ms)),
  ),
  { minLength: 20, maxLength: 50, size: 'max' },
)

const UNFINISHED = `('queued', 'sent', 'delivery_delayed')`

/** What must hold after every step, by any actor: the rows that violate it. */
const BREACHES = {
  'nothing is lost': `select r.id from recipients r join emails e on e.id = r.email_id where r.state in ${UNFINISHED} and e.state <> 'canceled'
    and not exists (select from deliveries d where d.id = r.id)`,
  'no delivery without its recipient': 'select d.id from deliveries d where not exists (select from recipients r where r.id = d.id)',
  'nothing is settled twice': `select subject_id, type from notifications where type in ('email.sent', 'email.delivered', 'email.bounced')
    group by subject_id, type, data->'to' having count(*) > 1`,
  'an open attempt belongs to a delivery': `select a.id from attempts a where a.outcome is null
    and not exists (select from deliveries d where d.attempt_id = a.id and d.leased_by is not null)`,
  'a canceled email was never tried': `select a.id from attempts a join emails e on e.id = a.email_id where e.state = 'canceled'`,
  'what is leased is leased by a living worker': `select d.id from deliveries d where d.leased_by is not null
    and not exists (select from worker_leases w where w.id = d.leased_by)`,
  'what is put aside is not ready': `select d.id from deliveries d where d.due_at = 'infinity' and (d.is_ready or d.leased_by is not null)`,
}

async function check(world: EngineWorld): Promise<void> {
  expect(world.broken).toEqual([])
  const found = await Promise.all(Object.entries(BREACHES).map(async ([name, sql]) => [name, await service.database.execute(sql)] as const))
  expect(found.filter(([, rows]) => rows.length > 0)).toEqual([])
  const emails = await service.database.execute<{ id: string; state: WholeState; lastEvent: string; recipients: RecipientState[] }>(
    `select e.id, e.state, e.last_event as "lastEvent", array_agg(r.state) as recipients from emails e join recipients r on r.email_id = e.id group by e.id`,
  )
  expect(emails.map(({ id, lastEvent }) => ({ id, lastEvent }))).toEqual(
    emails.map(({ id, state, recipients }) => ({ id, lastEvent: lastEventOf({ wholeState: state, recipientStates: recipients }) })),
  )
}

const countOf = async (sql: string) => (await service.database.execute(sql)).length

it('keeps every promise of the engine, whatever clients, workers and operators do in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (acts) => {
      await service.database.execute('truncate emails, recipients, deliveries, attempts, notifications, queue_pauses, worker_leases')
      runBeganAtMs = moving.monotonicMs()
      const world = await createEngineWorld(service, clock, WORKERS)
      for (const { act } of acts) {
        await act(world)
        await check(world)
      }

      // Every worker that holds something dies, all pauses end, all deliveries become due: then nothing is left after a bounded number of rounds.
      await world.dieAll()
      await world.resume(WHOLE_QUEUE, { isCutShort: true })
      clock.advance(DAY_MS)
      for (let round = 0; round < ROUNDS_MAX && (await countOf('select from deliveries')) > 0; round++) {
        await world.claim(round)
        await world.begin(round)
        await world.settle(round, { count: Number.POSITIVE_INFINITY, kind: 'delivered', isTwice: false })
      }
      await check(world)
      expect(await countOf('select from deliveries')).toBe(0)
      expect(
        await countOf(
          `select from recipients r join emails e on e.id = r.email_id where e.state <> 'canceled' and r.state in ${UNFINISHED}`,
        ),
      ).toBe(0)
    }),
    { numRuns: 25 },
  )
})
