import { expect, it, vi } from 'vitest'
import { createCachedAnswer } from '../../src/lib/cache.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'

it('an answer is made once for everyone who asks, and kept for its time from when it was made', async () => {
  const clock = createMovingClock()
  const made = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let count = 0
  const make = vi.fn(() => made[count++]?.promise ?? Promise.resolve(0))
  const ask = createCachedAnswer(make, { lifetimeMs: 60_000, clock })

  const asked = [ask(), ask()]
  clock.advance(120_000)
  asked.push(ask())
  made[0]?.resolve(1)
  expect(await Promise.all(asked)).toEqual([1, 1, 1])
  clock.advance(59_999)
  expect(await ask()).toBe(1)
  expect(make).toHaveBeenCalledTimes(1)

  clock.advance(1)
  made[1]?.resolve(2)
  expect(await ask()).toBe(2)
  expect(make).toHaveBeenCalledTimes(2)
})

it('a failure reaches everyone who waits, and is not kept', async () => {
  const make = vi.fn(async () => {
    if (make.mock.calls.length === 1) throw new Error('not this time')
    return 'made'
  })
  const ask = createCachedAnswer(make, { lifetimeMs: 60_000, clock: createMovingClock() })
  const results = await Promise.allSettled([ask(), ask()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe('made')
})
