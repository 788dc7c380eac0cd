import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFairQueue } from '../../../src/lib/limits/fair.ts'

it('hands out the items of each owner in order, and takes turns between owners', () => {
  const queue = createFairQueue<string>({ itemsMax: 10 })
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.add(item.charAt(0), item)
  const first = [queue.take(), queue.take()]
  queue.add('d', 'd1')
  queue.add('a', 'a4')
  const rest = Array.from({ length: 7 }, () => queue.take())
  expect([...first, ...rest]).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'd1', 'a3', 'a4', undefined])
})

it('takes as many as it may hold, and more when some have left', () => {
  const queue = createFairQueue<number>({ itemsMax: 2 })
  expect([queue.add('a', 1), queue.add('b', 2), queue.add('c', 3)]).toEqual([true, true, false])
  queue.take()
  expect([queue.add('c', 4), queue.add('c', 5)]).toEqual([true, false])
  expect([queue.take(), queue.take(), queue.take()]).toEqual([2, 4, undefined])
})

it('takes as many of an owner as that may have waiting', () => {
  const queue = createFairQueue<number>({ itemsMax: 3, itemsPerOwnerMax: 2 })
  expect([queue.add('a', 1), queue.add('a', 2), queue.add('a', 3), queue.add('b', 4), queue.add('b', 5)]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
})

it('lets no one wait for more than one item of each other owner', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), (owners) => {
      const queue = createFairQueue<string>({ itemsMax: 100 })
      for (const owner of owners) queue.add(owner, owner)
      const taken = owners.map(() => queue.take())
      expect([...taken].sort()).toEqual([...owners].sort())
      for (let at = 0; at < taken.length; at += 1) {
        const again = taken.indexOf(taken[at], at + 1)
        if (again === -1) continue
        const waiting = new Set(taken.slice(again))
        for (const owner of waiting) if (owner !== taken[at]) expect(taken.slice(at, again)).toContain(owner)
      }
    }),
  )
})
