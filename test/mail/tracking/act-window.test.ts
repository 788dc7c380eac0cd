import { describe, expect, it } from 'vitest'
import { createActWindow, HELD_MS, type TrackedAct } from '../../../src/mail/tracking/act-window.ts'

const act = (changes: Partial<TrackedAct> = {}): TrackedAct => ({
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
const link = (number: number, recipientId = 'ann') => act({ target: `https://example.com/${number}`, recipientId })

it('hands out each act once, after its time, in the order in which they came', () => {
  const window = createActWindow()
  window.add(act({ kind: 'open' }), 0)
  window.add(link(1), 500)
  expect(window.takeDue(HELD_MS - 1)).toEqual([])
  expect(window.takeDue(HELD_MS).map(({ act: { kind } }) => kind)).toEqual(['open'])
  expect(window.takeDue(HELD_MS + 500).map(({ act: { kind } }) => kind)).toEqual(['click'])
  expect([window.takeAll(), window.isEmpty()]).toEqual([[], true])
})

describe('the different links that a recipient follows at once are counted', () => {
  it('also for the first of them', () => {
    const window = createActWindow()
    for (const number of [1, 2, 2, 3]) window.add(link(number), number * 100)
    window.add(link(1, 'bob'), 300)
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([3, 3, 3, 3, 1])
  })

  it('and those that were followed before are not', () => {
    const window = createActWindow()
    for (const number of [1, 2, 3]) window.add(link(number), number * (HELD_MS + 1))
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([1, 1, 1])
  })

  it('however many there are', () => {
    const window = createActWindow()
    for (let number = 0; number < 50; number += 1) window.add(link(number), 0)
    expect(new Set(window.takeAll().map(({ linksAtOnce }) => linksAtOnce))).toEqual(new Set([10]))
    window.add(link(1), HELD_MS * 3)
    expect(window.takeAll().map(({ linksAtOnce }) => linksAtOnce)).toEqual([1])
  })
})

it('an invisible link is no act, and gives away the others of the same recipient', () => {
  const window = createActWindow()
  window.add(link(1), 0)
  window.add(act({ kind: 'trap', target: '' }), HELD_MS)
  window.add(link(2), HELD_MS * 2 + 1)
  window.add(link(2, 'bob'), HELD_MS)
  expect(window.takeAll().map(({ act: { target, recipientId }, isTrapped }) => [recipientId, target, isTrapped])).toEqual([
    ['ann', 'https://example.com/1', true],
    ['ann', 'https://example.com/2', false],
    ['bob', 'https://example.com/2', false],
  ])
})

it('does not take more than it may hold', () => {
  const window = createActWindow({ heldMax: 2 })
  expect([1, 2, 3].map((number) => window.add(link(number), 0))).toEqual([true, true, false])
  window.takeAll()
  expect(window.add(link(3), 0)).toBe(true)
})

it('takes at most 60 acts of a recipient in a minute', () => {
  const window = createActWindow()
  for (let count = 0; count < 100; count += 1) window.add(act({ kind: 'open' }), count)
  window.add(act({ kind: 'open', recipientId: 'bob' }), 0)
  expect(window.takeAll().length).toBe(61)
  window.add(act(), 60_000)
  expect(window.takeAll().length).toBe(1)
})
