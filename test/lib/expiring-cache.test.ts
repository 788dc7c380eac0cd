import { expect, it } from 'vitest'
import { createExpiringCache } from '../../src/lib/cache.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'

it('keeps each value for its own time', () => {
  const clock = createMovingClock()
  const cache = createExpiringCache<string>({ entriesMax: 10, clock })
  cache.set('short', 'a', 10)
  cache.set('long', 'b', 20)
  clock.advance(9)
  expect([cache.get('short'), cache.get('long')]).toEqual(['a', 'b'])
  clock.advance(1)
  expect([cache.get('short'), cache.get('long')]).toEqual([undefined, 'b'])
  clock.advance(10)
  expect([cache.get('short'), cache.get('long')]).toEqual([undefined, undefined])
})

it('gives up what was used least recently when it is full', () => {
  const cache = createExpiringCache<number>({ entriesMax: 2, clock: createMovingClock() })
  cache.set('a', 1, 10)
  cache.set('b', 2, 10)
  cache.get('a')
  cache.set('c', 3, 10)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
})
