import { expect, it } from 'vitest'
import { createRecentFanOut, createUrgentMail } from '../../../src/modules/delivery/recent-work.ts'

it.each([
  ['transactional mail', 'ten seconds', createUrgentMail, 10_000],
  ['making the emails of broadcasts', 'three seconds', createRecentFanOut, 3_000],
])('%s is recent for %s', (_what, _time, create, forMs) => {
  let nowMs = 0
  const work = create({ monotonicMs: () => nowMs })
  const isRecentAt = (ms: number): boolean => {
    nowMs = ms
    return work.isRecent()
  }
  expect(isRecentAt(5_000)).toBe(false)
  work.note()
  expect([5_000, 5_000 + forMs - 1, 5_000 + forMs].map(isRecentAt)).toEqual([true, true, false])
  work.note()
  expect([5_000 + 2 * forMs - 1, 5_000 + 2 * forMs].map(isRecentAt)).toEqual([true, false])
})
