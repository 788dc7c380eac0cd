import { describe, expect, it } from 'vitest'
import { retryWaitMs } from '../../../src/modules/delivery/retry-schedule.ts'

const MINUTE_MS = 60_000

/** All waits from the first attempt on, until the time is used up. */
function waits(random: () => number): number[] {
  const all: number[] = []
  for (let wait = retryWaitMs(1, random); wait !== null; wait = retryWaitMs(all.length + 1, random)) all.push(wait)
  return all
}

describe('retryWaitMs', () => {
  it('gives up after three days', () => {
    const total = waits(() => 0.5).reduce((sum, wait) => sum + wait, 0)
    expect(total).toBe(3 * 24 * 60 * MINUTE_MS)
  })

  it('never waits shorter than before', () => {
    const all = waits(() => 0.5)
    expect(all).toEqual([...all].sort((a, b) => a - b))
    expect(all.length).toBeGreaterThan(10)
  })

  it('tries again after about a minute, and for a third time beyond five minutes, which greylisting asks for', () => {
    const [first = 0, second = 0] = waits(() => 0)
    expect(first).toBe(0.8 * MINUTE_MS)
    expect(first + second).toBeGreaterThan(5 * MINUTE_MS)
  })

  it('spreads a wait by 20 % to both sides', () => {
    expect(retryWaitMs(5, () => 0)).toBe(48 * MINUTE_MS)
    expect(retryWaitMs(5, () => 0.5)).toBe(60 * MINUTE_MS)
    expect(retryWaitMs(5, () => 1)).toBe(72 * MINUTE_MS)
  })

  it('has no wait beyond the last one', () => expect(retryWaitMs(1000, () => 0.5)).toBeNull())
})
