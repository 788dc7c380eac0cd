import { expect, it, vi } from 'vitest'
import { createDomainMemory } from '../../../src/modules/domains/domain-rows.repository.ts'

const lookup = (values: Record<string, string>) => vi.fn(async (_unknown: string[]) => new Map(Object.entries(values)))

it('asks for what it does not remember, and again for what is absent', async () => {
  const memory = createDomainMemory<string>('')
  await memory.find('team', ['a'], lookup({ a: 'one' }))
  const asked = lookup({ b: 'two' })
  const read = await memory.find('team', ['a', 'b', 'c'], asked)
  expect(['a', 'b', 'c'].map(read)).toEqual(['one', 'two', ''])
  expect(asked).toHaveBeenCalledExactlyOnceWith(['b', 'c'])
  await memory.find('team', ['a', 'b', 'c'], asked)
  expect(asked).toHaveBeenLastCalledWith(['c'])
})

it('keeps the answers of teams apart', async () => {
  const memory = createDomainMemory<string>('')
  await memory.find('team', ['a'], lookup({ a: 'one' }))
  expect((await memory.find('another', ['a'], lookup({})))('a')).toBe('')
})

it('asks again for what was forgotten, although an older lookup brings it late', async () => {
  const memory = createDomainMemory<string>('')
  const { promise, resolve } = Promise.withResolvers<Map<string, string>>()
  const early = memory.find('team', ['a'], () => promise)
  memory.forget('team', 'a')
  resolve(new Map([['a', 'deleted']]))
  await early
  expect((await memory.find('team', ['a'], lookup({})))('a')).toBe('')
})
