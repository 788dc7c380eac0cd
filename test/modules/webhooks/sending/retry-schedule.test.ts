import { describe, expect, it } from 'vitest'
import { nextAttemptAt } from '../../../../src/modules/webhooks/sending/retry-schedule.ts'

const now = new Date('2026-03-01T00:00:00Z')
const waited = (failures: number, { retryAfterMs = null, random = 0 }: { retryAfterMs?: number | null; random?: number } = {}) => {
  const at = nextAttemptAt({ failures, retryAfterMs }, { now, random: () => random })
  return at && (at.getTime() - now.getTime()) / 1_000
}

describe('a message that was not accepted is tried again', () => {
  it.each([
    [1, 5],
    [2, 5 * 60],
    [3, 30 * 60],
    [4, 2 * 3_600],
    [5, 5 * 3_600],
    [6, 10 * 3_600],
    [7, 10 * 3_600],
    [8, null],
  ])('after failure %i: %s seconds later', (failures, seconds) => {
    expect(waited(failures)).toBe(seconds)
    expect(waited(failures, { random: 1 })).toBe(seconds && (seconds * 11) / 10)
  })

  it.each([
    ['no sooner than the endpoint asks', 2, 3_600, 3_600],
    ['no sooner than the ladder says', 4, 60, 2 * 3_600],
    ['no later than after the longest wait', 1, 30 * 24 * 3_600, 10 * 3_600],
    ['never after the last failure, whatever the endpoint asks', 8, 60, null],
  ])('%s', (_name, failures, askedSeconds, seconds) => {
    expect(waited(failures, { retryAfterMs: askedSeconds * 1_000 })).toBe(seconds)
  })
})
