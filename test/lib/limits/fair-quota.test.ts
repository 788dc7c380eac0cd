import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFairQuota } from '../../../src/lib/limits/fair.ts'

/** Takes as much as it gets, one by one. */
function takeAll(shares: ReturnType<typeof createFairQuota>, owner: string): number {
  let count = 0
  while (shares.take(owner, 1)) count += 1
  return count
}

it('one alone gets six tenths of the room, and the next ones find room too', () => {
  const shares = createFairQuota(900)
  expect(['ann', 'bob', 'cid'].map((owner) => takeAll(shares, owner))).toEqual([540, 180, 60])
  expect(shares.take('dan', 1)).toBe(true)
})

it('many who want all of it leave something for those who have nothing', () => {
  const shares = createFairQuota(900)
  for (let owner = 0; owner < 80; owner += 1) takeAll(shares, `greedy ${owner}`)
  expect([takeAll(shares, 'ann'), takeAll(shares, 'bob')]).toEqual([1, 1])
  shares.giveBack('ann', 1)
  expect(takeAll(shares, 'ann')).toBe(1)
})

it('those who want all of it get the same, as soon as what was taken is given back', () => {
  const shares = createFairQuota(900)
  const owners = { ann: takeAll(shares, 'ann'), bob: takeAll(shares, 'bob') }
  for (let round = 0; round < 900; round += 1) {
    for (const owner of ['ann', 'bob'] as const) {
      shares.giveBack(owner, 1)
      owners[owner] -= 1
    }
    for (const owner of ['bob', 'ann'] as const) owners[owner] += takeAll(shares, owner)
  }
  expect(Math.abs(owners.ann - owners.bob)).toBeLessThan(10)
})

it('never gives more than there is, and what is given back can be taken again', () => {
  const acts = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c'), size: fc.nat(60), givesBack: fc.boolean() }))
  fc.assert(
    fc.property(acts, (all) => {
      const shares = createFairQuota(100)
      const had: { owner: string; size: number }[] = []
      for (const { owner, size, givesBack } of all) {
        const back = givesBack ? had.pop() : undefined
        if (back) shares.giveBack(back.owner, back.size)
        else if (shares.take(owner, size)) had.push({ owner, size })
        expect(had.reduce((sum, one) => sum + one.size, 0)).toBeLessThanOrEqual(100)
      }
      for (const { owner, size } of had) shares.giveBack(owner, size)
      expect(takeAll(shares, 'a')).toBe(60)
    }),
  )
})
