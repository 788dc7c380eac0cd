import { expect, it } from 'vitest'
import { createByteRates } from '../../../src/lib/limits/bytes.ts'

it('lets any single size through, and then waits until it is paid for', () => {
  let nowMs = 0
  const rates = createByteRates({ bytesPerSecond: 1_000, clock: { monotonicMs: () => nowMs } })
  expect(rates.take('a', 5_500)).toBe(null)
  expect(rates.take('a', 1)).toBe(5)
  expect(rates.take('b', 1)).toBe(null)
  nowMs = 4_499
  expect(rates.take('a', 1)).toBe(1)
  nowMs = 4_500
  expect(rates.take('a', 1)).toBe(null)
  expect(rates.take('a', 1)).toBe(1)
})

it('lets through what a second allows at once', () => {
  const rates = createByteRates({ bytesPerSecond: 1_000, clock: { monotonicMs: () => 0 } })
  expect([400, 400, 400, 400].map((bytes) => rates.take('a', bytes))).toEqual([null, null, null, 1])
})

it('limits nothing at 0', () => {
  const rates = createByteRates({ bytesPerSecond: 0, clock: { monotonicMs: () => 0 } })
  expect([rates.take('a', 1e9), rates.take('a', 1e9)]).toEqual([null, null])
})
