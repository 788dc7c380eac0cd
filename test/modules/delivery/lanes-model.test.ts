// The scheduler in a changing world: mail arrives, destinations slow down and recover, parts are paused, outcomes arrive in any order.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Allotment, chooseLanes, type Lane, NEW_ROUND_ROBIN, type RoundRobinState } from '../../../src/modules/delivery/lanes.ts'
import type { LaneClass } from '../../../src/modules/emails/new-delivery.ts'

const CLASSES: LaneClass[] = ['transactional', 'bulk']
const TEAMS = ['a', 'b', 'c']
const DESTINATIONS = ['one.test', 'two.test', 'three.test']
const LANES: Lane[] = CLASSES.flatMap((kind) =>
  TEAMS.flatMap((teamId) => DESTINATIONS.map((destination) => ({ class: kind, teamId, destination }))),
)
const FLOW_COUNT = CLASSES.length * TEAMS.length
/** After this many choices every flow has been first once for each of its destinations. */
const CHOICES_MAX = FLOW_COUNT * DESTINATIONS.length

type Step =
  | { kind: 'accept'; lane: number; count: number }
  | { kind: 'choose' }
  | { kind: 'settle'; picks: number[] }
  | { kind: 'back off' | 'come back'; destination: string }
  | { kind: 'pause' | 'resume'; lane: number }

const lane = fc.nat(LANES.length - 1)
const destination = fc.constantFrom(...DESTINATIONS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('accept' as const), lane, count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'choose' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), picks: fc.array(fc.nat(), { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('back off' as const, 'come back' as const), destination }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const), lane }) },
)
const world = fc.record({
  places: fc.integer({ min: 2, max: 40 }),
  limits: fc.record({
    'one.test': fc.integer({ min: 1, max: 3 }),
    'two.test': fc.integer({ min: 1, max: 50 }),
    'three.test': fc.integer({ min: 1, max: 50 }),
  }),
  steps: fc.array(step, { maxLength: 80 }),
})
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never

/** A queue of numbers instead of rows, and what the engine remembers of it. */
function createModel({ places, limits }: World) {
  const queued = LANES.map(() => 0)
  const inFlight: number[] = []
  const backingOff = new Set<string>()
  const paused = new Set<number>()
  const bulkPlaces = Math.max(1, Math.floor(places * 0.8))
  let turns: RoundRobinState = NEW_ROUND_ROBIN
  let accepted = 0
  let settled = 0

  const countIn = (wanted: (one: Lane) => boolean) => inFlight.filter((index) => wanted(laneAt(index))).length
  const limitAt = (name: string) => (backingOff.has(name) ? 0 : (new Map(Object.entries(limits)).get(name) ?? 0))
  const roomAt = (name: string) => Math.max(0, limitAt(name) - countIn((one) => one.destination === name))
  const bulkInFlight = () => countIn((one) => one.class === 'bulk')

  return {
    queued,
    accept(index: number, count: number) {
      queued[index] = (queued[index] ?? 0) + count
      accepted += count
    },
    /** Takes what is chosen from the lanes that have work and are not paused. */
    choose(): Allotment[] {
      const offered = LANES.filter((_, index) => (queued[index] ?? 0) > 0 && !paused.has(index))
      const chosen = chooseLanes(offered, { free: places - inFlight.length, freeForBulk: bulkPlaces - bulkInFlight(), at: roomAt }, turns)
      turns = chosen.turns
      for (const one of chosen.allotments) {
        const index = indexOf(one)
        expect(paused.has(index)).toBe(false)
        const taken = Math.min(one.count, queued[index] ?? 0)
        queued[index] = (queued[index] ?? 0) - taken
        inFlight.push(...Array<number>(taken).fill(index))
      }
      return chosen.allotments
    },
    settle(picks: number[]) {
      for (const pick of picks) if (inFlight.length > 0) settled += inFlight.splice(pick % inFlight.length, 1).length
    },
    settleAll() {
      settled += inFlight.splice(0).length
    },
    apply(one: Step) {
      switch (one.kind) {
        case 'accept':
          return this.accept(one.lane, one.count)
        case 'choose':
          return this.choose()
        case 'settle':
          return this.settle(one.picks)
        case 'back off':
          return backingOff.add(one.destination)
        case 'come back':
          return backingOff.delete(one.destination)
        case 'pause':
          return paused.add(one.lane)
        case 'resume':
          return paused.delete(one.lane)
      }
    },
    /** Nothing is lost or sent twice, and no more is in progress than there is room for, as far as the choice decides it. */
    check() {
      expect(accepted).toBe(settled + inFlight.length + queued.reduce((sum, count) => sum + count, 0))
      expect(inFlight.length).toBeLessThanOrEqual(places)
      expect(bulkInFlight()).toBeLessThanOrEqual(bulkPlaces)
      for (const [name, limit] of Object.entries(limits)) expect(countIn((one) => one.destination === name)).toBeLessThanOrEqual(limit)
    },
    wakeAll() {
      backingOff.clear()
      paused.clear()
    },
  }
}

const keyOf = ({ class: kind, teamId, destination: name }: Lane) => `${kind} ${teamId} ${name}`
const INDICES = new Map(LANES.map((one, index) => [keyOf(one), index]))
const indexOf = (one: Lane) => INDICES.get(keyOf(one)) ?? -1
const laneAt = (index: number): Lane => {
  const one = LANES[index]
  if (!one) throw new Error(`There is no lane ${index}`)
  return one
}

it('loses nothing and gives nothing twice, whatever happens in between, and all is served in the end', () => {
  fc.assert(
    fc.property(world, (given) => {
      const model = createModel(given)
      for (const one of given.steps) {
        model.apply(one)
        model.check()
      }
      model.wakeAll()
      // At least one place is used in each round.
      const roundsMax = model.queued.reduce((sum, count) => sum + count, 0) + 1
      for (let round = 0; round < roundsMax; round++) {
        model.settleAll()
        model.choose()
        model.check()
      }
      expect(model.queued).toEqual(LANES.map(() => 0))
    }),
    { numRuns: 300 },
  )
})

it('starves no lane while all are full, however little room its destination has and whatever happened before', () => {
  fc.assert(
    fc.property(world, (given) => {
      const model = createModel(given)
      for (const one of given.steps) model.apply(one)
      model.wakeAll()
      for (const index of LANES.keys()) model.accept(index, 1_000)
      const waiting = new Set(LANES.map(keyOf))
      for (let choice = 0; choice < CHOICES_MAX && waiting.size > 0; choice++) {
        model.settleAll()
        for (const one of model.choose()) waiting.delete(keyOf(one))
      }
      expect([...waiting]).toEqual([])
    }),
    { numRuns: 300 },
  )
})
