import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBytePace } from '../../../src/lib/limits/bytes.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

function pace(bytesPerSecond: number) {
  const clock = createMovingClock()
  return { ...createBytePace({ bytesPerSecond, clock }), advance: clock.advance }
}

describe('a sender', () => {
  it('falls behind by what it does not send in time', () => {
    const sender = pace(1_000)
    sender.advance(2_000)
    expect(sender.behindMs()).toBe(2_000)
    sender.arrived(500)
    expect(sender.behindMs()).toBe(1_500)
    sender.advance(1_000)
    expect(sender.behindMs()).toBe(2_500)
  })

  it('catches up, and does not get ahead, however much it sends', () => {
    const sender = pace(1_000)
    sender.advance(2_000)
    sender.arrived(10_000_000)
    expect(sender.behindMs()).toBe(0)
    sender.advance(1)
    expect(sender.behindMs()).toBe(1)
  })

  it('does not count the time in which it was kept waiting', () => {
    const sender = pace(1_000)
    sender.advance(300)
    expect(sender.behindMs()).toBe(300)
    sender.advance(5_000)
    sender.excuse()
    expect(sender.behindMs()).toBe(300)
  })

  it('has sent what was due in any stretch up to now, but for the time that it is behind', () => {
    const steps = fc.array(fc.record({ ms: fc.nat(10_000), bytes: fc.nat(20_000) }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(steps, fc.nat(50), (sent, from) => {
        const sender = pace(1_000)
        for (const { ms, bytes } of sent) {
          sender.advance(ms)
          sender.arrived(bytes)
        }
        const due = sent.slice(from).reduce((sum, { ms, bytes }) => sum + ms - bytes, 0)
        expect(sender.behindMs()).toBeGreaterThanOrEqual(due)
      }),
    )
  })
})
