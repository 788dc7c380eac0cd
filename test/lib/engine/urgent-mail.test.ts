import { expect, it } from 'vitest'
import { createUrgentMail } from '../../../src/lib/engine/urgent-mail.ts'

it('is recent for ten seconds', () => {
  let nowMs = 0
  const urgentMail = createUrgentMail({ monotonicMs: () => nowMs })
  const isRecentAt = (ms: number): boolean => {
    nowMs = ms
    return urgentMail.isRecent()
  }
  expect(isRecentAt(5_000)).toBe(false)
  urgentMail.note()
  expect([5_000, 14_999, 15_000].map(isRecentAt)).toEqual([true, true, false])
  urgentMail.note()
  expect([24_999, 25_000].map(isRecentAt)).toEqual([true, false])
})
