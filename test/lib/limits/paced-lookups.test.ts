import { expect, it } from 'vitest'
import { createPacedLookups } from '../../../src/lib/limits/paced-lookups.ts'

function lookups() {
  const asked: string[][] = []
  const pending: PromiseWithResolvers<void>[] = []
  const { find } = createPacedLookups({
    everyMs: 1,
    keysMax: 4,
    keysPerAskerMax: 3,
    async findAll(keys) {
      asked.push(keys)
      const held = Promise.withResolvers<void>()
      pending.push(held)
      await held.promise
      return new Map(keys.filter((key) => key.startsWith('known')).map((key) => [key, key.toUpperCase()]))
    },
  })
  return { find, asked, pending }
}

it('answers all who ask before a statement by it, the same key once, and the next by the next', async () => {
  const { find, asked, pending } = lookups()
  const first = Promise.all([find('a', 'known 1'), find('b', 'known 1'), find('a', 'wrong')])
  await expect.poll(() => asked).toEqual([['known 1', 'wrong']])
  const second = find('a', 'known 2')
  pending[0]?.resolve()
  expect(await first).toEqual(['KNOWN 1', 'KNOWN 1', null])
  await expect.poll(() => asked.slice(1)).toEqual([['known 2']])
  pending[1]?.resolve()
  expect(await second).toBe('KNOWN 2')
})

it('refuses what is more than one asker may ask for at once, or all together', async () => {
  const { find, asked, pending } = lookups()
  const asking = [find('a', '1'), find('a', '2'), find('a', '3'), find('a', '4'), find('b', '5'), find('b', '6'), find('c', '1')]
  await expect.poll(() => asked).toEqual([['1', '2', '3', '5']])
  pending[0]?.resolve()
  expect(await Promise.all(asking)).toEqual([null, null, null, 'tooMany', null, 'tooMany', null])
})

it('tells everyone who waits of an error, and continues', async () => {
  let isAway = true
  const { find } = createPacedLookups({
    everyMs: 1,
    keysMax: 10,
    keysPerAskerMax: 10,
    findAll: async (keys) => {
      if (isAway) throw new Error('away')
      return new Map(keys.map((key) => [key, key]))
    },
  })
  expect(await Promise.allSettled([find('a', '1'), find('b', '2')])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  isAway = false
  expect(await find('a', '1')).toBe('1')
})
