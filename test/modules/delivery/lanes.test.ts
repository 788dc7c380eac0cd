import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseLanes, type Lane, type LaneRoom, NEW_ROUND_ROBIN, type RoundRobinState } from '../../../src/modules/delivery/lanes.ts'

const lane = fc.record({
  class: fc.constantFrom<Lane['class']>('transactional', 'bulk'),
  teamId: fc.constantFrom('a', 'b', 'c', 'd'),
  destination: fc.constantFrom('one.test', 'two.test', 'three.test', 'four.test', 'five.test'),
})
const lanesOf = fc.uniqueArray(lane, {
  selector: ({ class: kind, teamId, destination }) => `${kind} ${teamId} ${destination}`,
  maxLength: 40,
})
const rooms = fc.record({
  free: fc.nat(60),
  bulkShare: fc.double({ min: 0, max: 1, noNaN: true }),
  room: fc.dictionary(fc.constantFrom('one.test', 'two.test', 'three.test', 'four.test', 'five.test'), fc.nat(20)),
})

const roomOf = ({ free, bulkShare, room }: { free: number; bulkShare: number; room: Record<string, number> }): LaneRoom => ({
  free,
  freeForBulk: Math.floor(free * bulkShare),
  at: (destination) => room[destination] ?? 3,
})
const total = (allotments: { count: number }[]) => allotments.reduce((sum, { count }) => sum + count, 0)
const keyOf = ({ class: kind, teamId, destination }: Lane) => `${kind} ${teamId} ${destination}`

describe('the choice of lanes', () => {
  it('never gives more places than there are: in all, to bulk mail, at any destination', () => {
    fc.assert(
      fc.property(lanesOf, rooms, (lanes, given) => {
        const room = roomOf(given)
        const { allotments } = chooseLanes(lanes, room, NEW_ROUND_ROBIN)
        expect(total(allotments)).toBeLessThanOrEqual(room.free)
        expect(total(allotments.filter((one) => one.class === 'bulk'))).toBeLessThanOrEqual(room.freeForBulk)
        for (const { destination } of lanes) {
          expect(total(allotments.filter((one) => one.destination === destination))).toBeLessThanOrEqual(room.at(destination))
        }
        const known = new Set(lanes.map(keyOf))
        expect(allotments.every((one) => known.has(keyOf(one)) && one.count > 0)).toBe(true)
      }),
    )
  })

  it('leaves no place empty that a lane could use', () => {
    fc.assert(
      fc.property(lanesOf, rooms, (lanes, given) => {
        const room = roomOf(given)
        const { allotments } = chooseLanes(lanes, room, NEW_ROUND_ROBIN)
        const bulk = total(allotments.filter((one) => one.class === 'bulk'))
        const hasRoom = (one: Lane) =>
          total(allotments.filter(({ destination }) => destination === one.destination)) < room.at(one.destination) &&
          (one.class === 'transactional' || bulk < room.freeForBulk)
        expect(total(allotments) === room.free || !lanes.some(hasRoom)).toBe(true)
      }),
    )
  })

  it('serves every lane that has room within a bounded number of choices, whatever the others have queued', () => {
    fc.assert(
      fc.property(lanesOf, fc.integer({ min: 1, max: 5 }), (lanes, free) => {
        const waitingFor = new Set(lanes.map(keyOf))
        let turns: RoundRobinState = NEW_ROUND_ROBIN
        // Each choice serves at least one place, and a flow that was served waits until all the others were.
        const choicesMax = lanes.length * (8 + lanes.length)
        for (let choice = 0; choice < choicesMax && waitingFor.size > 0; choice += 1) {
          const chosen = chooseLanes(lanes, { free, freeForBulk: free, at: () => 100 }, turns)
          turns = chosen.turns
          for (const one of chosen.allotments) waitingFor.delete(keyOf(one))
        }
        expect([...waitingFor]).toEqual([])
      }),
    )
  })

  it('gives teams with the same kind of mail the same number of places, however many destinations they have', () => {
    const lanes: Lane[] = [
      { class: 'bulk', teamId: 'many', destination: 'one.test' },
      { class: 'bulk', teamId: 'many', destination: 'two.test' },
      { class: 'bulk', teamId: 'many', destination: 'three.test' },
      { class: 'bulk', teamId: 'single', destination: 'four.test' },
    ]
    const { allotments } = chooseLanes(lanes, { free: 40, freeForBulk: 40, at: () => 100 }, NEW_ROUND_ROBIN)
    expect(total(allotments.filter(({ teamId }) => teamId === 'single'))).toBe(20)
    expect(total(allotments.filter(({ teamId }) => teamId === 'many'))).toBe(20)
  })

  it('prefers transactional mail four to one, and never takes all from bulk mail', () => {
    const lanes: Lane[] = [
      { class: 'bulk', teamId: 'a', destination: 'one.test' },
      { class: 'transactional', teamId: 'a', destination: 'two.test' },
    ]
    const { allotments } = chooseLanes(lanes, { free: 50, freeForBulk: 50, at: () => 100 }, NEW_ROUND_ROBIN)
    expect(allotments.find((one) => one.class === 'transactional')?.count).toBe(40)
    expect(allotments.find((one) => one.class === 'bulk')?.count).toBe(10)
  })

  it('passes over a destination that backs off without costing the others a place', () => {
    const lanes: Lane[] = ['down.test', 'up.test'].map((destination) => ({ class: 'transactional', teamId: 'a', destination }))
    const { allotments } = chooseLanes(
      lanes,
      { free: 10, freeForBulk: 8, at: (destination) => (destination === 'down.test' ? 0 : 100) },
      NEW_ROUND_ROBIN,
    )
    expect(allotments).toEqual([{ class: 'transactional', teamId: 'a', destination: 'up.test', count: 10 }])
  })
})
