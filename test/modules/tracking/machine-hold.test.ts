import { describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { bytesOf, createMachineHold, EVENT_BYTES, HELD_MS, type TrackedEvent } from '../../../src/modules/tracking/machine-hold.ts'

const event = (changes: Partial<TrackedEvent> = {}): TrackedEvent => ({
  kind: 'click',
  emailId: 'email',
  recipientId: 'ann',
  domainId: null,
  target: 'https://example.com/1',
  method: 'GET',
  userAgent: 'Mozilla/5.0 Firefox',
  address: '192.0.2.7',
  at: new Date(0),
  ...changes,
})
const link = (number: number, recipientId = 'ann') => event({ target: `https://example.com/${number}`, recipientId })

it('hands out each event once, after its time, in the order in which they came', () => {
  const window = createMachineHold()
  window.add(event({ kind: 'open' }), 0)
  window.add(link(1), 500)
  expect(window.takeDue(HELD_MS - 1)).toEqual([])
  expect(window.takeDue(HELD_MS).map(({ event: { kind } }) => kind)).toEqual(['open'])
  expect(window.takeDue(HELD_MS + 500).map(({ event: { kind } }) => kind)).toEqual(['click'])
  expect([window.takeAll(), window.isEmpty()]).toEqual([[], true])
})

describe('the different links that a recipient follows at once are counted', () => {
  it('also for the first of them', () => {
    const window = createMachineHold()
    for (const number of [1, 2, 2, 3]) window.add(link(number), number * 100)
    window.add(link(1, 'bob'), 300)
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([3, 3, 3, 3, 1])
  })

  it('and those that were followed before are not', () => {
    const window = createMachineHold()
    for (const number of [1, 2, 3]) window.add(link(number), number * (HELD_MS + 1))
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([1, 1, 1])
  })

  it('however many there are', () => {
    const window = createMachineHold()
    for (let number = 0; number < 50; number += 1) window.add(link(number), 0)
    expect(new Set(window.takeAll().map(({ linksAtOnce }) => linksAtOnce))).toEqual(new Set([10]))
    window.add(link(1), HELD_MS * 3)
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([1])
  })
})

it('an invisible link is no event, and gives away the others of the same recipient', () => {
  const window = createMachineHold()
  window.add(link(1), 0)
  window.add(event({ kind: 'trap', target: '' }), HELD_MS)
  window.add(link(2), HELD_MS * 2 + 1)
  window.add(link(2, 'bob'), HELD_MS)
  expect(window.takeAll().map(({ event: { target, recipientId }, isTrapped }) => [recipientId, target, isTrapped])).toEqual([
    ['ann', 'https://example.com/1', true],
    ['ann', 'https://example.com/2', false],
    ['bob', 'https://example.com/2', false],
  ])
})

describe('room', () => {
  const ofDomain = (domainId: string | null, emailId = 'email') =>
    event({ kind: 'open', target: '', domainId, emailId, recipientId: createId() })
  const BYTES = bytesOf(ofDomain('a'))

  it('is taken up by what is held, and by what was taken until it is released', () => {
    const window = createMachineHold({ bytesMax: 4 * BYTES })
    expect([1, 2, 3].map(() => window.add(ofDomain('a'), 0))).toEqual(['held', 'held', 'full'])
    const taken = window.takeAll()
    expect(window.add(ofDomain('a'), 0)).toBe('full')
    window.release(taken)
    expect(window.add(ofDomain('a'), 0)).toBe('held')
  })

  it('is left for other domains, and for emails without one, by those that flood it', () => {
    const window = createMachineHold({ bytesMax: 900 * BYTES })
    const flood = (domainId: string | null) =>
      Array.from({ length: 1_000 }, () => window.add(ofDomain(domainId), 0)).filter((verdict) => verdict === 'held').length
    expect([flood('a'), flood('b'), flood(null)]).toEqual([540, 180, 60])
    expect([window.add(ofDomain('c'), 0), window.add(ofDomain(null), 0), window.add(ofDomain('a'), 0)]).toEqual(['held', 'full', 'full'])
  })

  it('is left for domains by emails without one, however many those are', () => {
    const window = createMachineHold({ bytesMax: 900 * BYTES })
    for (let number = 0; number < 20_000; number += 1) window.add(ofDomain(null, `email ${number}`), 0)
    expect(Array.from({ length: 100 }, () => window.add(ofDomain('a'), 0))).toEqual(Array(100).fill('held'))
  })

  it('is measured by the texts of an event', () => {
    expect(bytesOf(event({ target: 'x'.repeat(100), userAgent: 'y'.repeat(50) }))).toBe(EVENT_BYTES + 150)
  })

  it('is not taken up by invisible links once they were seen', () => {
    const window = createMachineHold({ bytesMax: 2 * BYTES })
    for (let round = 0; round < 10; round += 1) {
      expect(window.add({ ...ofDomain('a'), kind: 'trap' }, 0)).toBe('held')
      expect(window.takeAll()).toEqual([])
    }
  })
})

describe('of one recipient', () => {
  it('60 events in a minute are taken', () => {
    const window = createMachineHold()
    const verdicts = Array.from({ length: 61 }, (_one, count) => window.add(event({ kind: 'open' }), count))
    expect([verdicts.slice(0, 60).every((verdict) => verdict === 'held'), verdicts[60]]).toEqual([true, 'minute'])
    expect(window.add(event({ kind: 'open', recipientId: 'bob' }), 60)).toBe('held')
    expect(window.add(event(), 60_000)).toBe('held')
  })

  it('1,000 events in a day are taken, however evenly they come', () => {
    const window = createMachineHold()
    const SECOND = 1_000
    const verdicts = Array.from({ length: 2_000 }, (_one, count) => {
      window.release(window.takeAll())
      return window.add(event({ kind: 'open' }), count * SECOND)
    })
    expect([verdicts.filter((verdict) => verdict === 'held').length, verdicts.indexOf('day')]).toEqual([1_000, 1_000])
    expect(window.add(event({ recipientId: 'bob' }), 2_000 * SECOND)).toBe('held')
    expect(window.add(event(), 86_400 * SECOND)).toBe('held')
  })
})
