import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/lib/clock.ts'
import { createId, idBound, idTime, isId } from '../../src/lib/ids.ts'

const clockAt = (start: string) => {
  let ms = Date.parse(start)
  const clock: Clock = { now: () => new Date(ms), monotonicMs: () => ms }
  return { clock, move: (byMs: number) => (ms += byMs) }
}

describe('createId', () => {
  it('makes UUIDs of version 7 with the time of the clock', () => {
    const id = createId(clockAt('2026-11-20T07:26:55.123Z').clock)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(idTime(id)).toEqual(new Date('2026-11-20T07:26:55.123Z'))
  })

  it.each([
    ['a clock that stands still', clockAt('2026-11-20T00:00:00Z').clock],
    ['the clock of the system', undefined],
  ])('keeps the order of making with %s', (_name, clock) => {
    const ids = Array.from({ length: 5000 }, () => createId(clock))
    expect(ids).toEqual([...ids].sort())
    expect(new Set(ids).size).toBe(5000)
  })

  it('gives each id chance of its own, however many are made', () => {
    const { clock } = clockAt('2026-11-20T00:00:00Z')
    // The part after time and sequence: 40 bits each. Two equal ones among so few are less likely than one in ten thousand.
    const ends = Array.from({ length: 2_000 }, () => createId(clock).slice(-10))
    expect(new Set(ends).size).toBe(2_000)
  })

  it('keeps the order when the clock is set back a little, and follows it when it is set back far', () => {
    const { clock, move } = clockAt('2026-11-20T12:00:00Z')
    const first = createId(clock)
    move(-5_000)
    const second = createId(clock)
    move(-86_400_000)
    expect(second > first).toBe(true)
    expect(idTime(createId(clock))).toEqual(clock.now())
  })
})

describe('isId', () => {
  it.each([
    ['01990000-0000-7000-8000-000000000000', true],
    ['6BA7B810-9DAD-11D1-80B4-00C04FD430C8', true],
    ['00000000-0000-0000-0000-000000000000', true],
    ['01990000-0000-7000-8000-00000000000', false],
    ['01990000-0000-7000-8000-0000000000000', false],
    ['01990000-0000-7000-8000-00000000000g', false],
    ['01990000-0000-7000-8000-000000000000\n', false],
    ['0199000000007000800000000000000000', false],
    ['', false],
  ])('answers for %j: %s', (text, expected) => expect(isId(text)).toBe(expected))
})

describe('idBound', () => {
  it('lies at or below every id of its instant and above every id before it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (ms) => {
        const at = (instant: number) => createId({ now: () => new Date(instant), monotonicMs: () => 0 })
        expect(at(ms) >= idBound(ms)).toBe(true)
        expect(at(ms - 1) < idBound(ms)).toBe(true)
        expect(idTime(idBound(ms)).getTime()).toBe(ms)
      }),
    )
  })

  it.each([-1, 0.5, Number.NaN, 2 ** 48])('refuses %s, which no id can hold', (ms) => expect(() => idBound(ms)).toThrow(RangeError))
})
