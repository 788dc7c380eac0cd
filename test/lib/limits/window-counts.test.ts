import { describe, expect, it } from 'vitest'
import { createWindowCounts } from '../../../src/lib/limits/counts.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

describe('counts within windows', () => {
  it('count each key until its window ends, and begin anew after that', () => {
    const clock = createMovingClock()
    const counts = createWindowCounts({ keysMax: 10, clock })
    expect(counts.add('a', 1_000)).toEqual({ current: 1, ttl: 1_000 })
    clock.advance(400)
    expect(counts.add('a', 1_000)).toEqual({ current: 2, ttl: 600 })
    expect(counts.add('b', 1_000)).toEqual({ current: 1, ttl: 1_000 })
    clock.advance(600)
    expect(counts.add('a', 1_000)).toEqual({ current: 1, ttl: 1_000 })
    expect(counts.add('b', 1_000)).toEqual({ current: 2, ttl: 400 })
  })

  it('never tell of a longer window than there is, wherever the clock stands', () => {
    const startsMs = [16_246.891848222256, 1_289.957383628637]
    for (const nowMs of startsMs) {
      expect(nowMs + 1_000 - nowMs).toBeGreaterThan(1_000)
      expect(createWindowCounts({ keysMax: 1, clock: { monotonicMs: () => nowMs } }).add('a', 1_000).ttl).toBe(1_000)
    }
  })

  it('forget the key that was used least recently when there are too many', () => {
    const counts = createWindowCounts({ keysMax: 2, clock: createMovingClock() })
    counts.add('a', 1_000)
    counts.add('b', 1_000)
    counts.add('a', 1_000)
    counts.add('c', 1_000)
    expect(counts.add('a', 1_000).current).toBe(3)
    expect(counts.add('b', 1_000).current).toBe(1)
  })
})
