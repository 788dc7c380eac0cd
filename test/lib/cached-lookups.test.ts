import { expect, it } from 'vitest'
import { createCachedLookups } from '../../src/lib/cached-lookups.ts'

const options = { entriesMax: 10, lifetimeMs: 60_000 }

it('looks a value up once for all who ask, and knows it from then on', async () => {
  const lookups = createCachedLookups<string>(options)
  let asked = 0
  const lookUp = async () => `value ${++asked}`
  expect(lookups.known('a')).toBeUndefined()
  expect(await Promise.all([lookups.find('a', lookUp), lookups.find('a', lookUp)])).toEqual(['value 1', 'value 1'])
  expect([await lookups.find('a', lookUp), lookups.known('a'), await lookups.find('b', lookUp)]).toEqual(['value 1', 'value 1', 'value 2'])
})

it('keeps only what it may, and knows of a kept null', async () => {
  const answers: unknown[] = []
  const lookups = createCachedLookups<string | null>({
    ...options,
    isKept: (value) => value !== null,
    onAnswer: (...answer) => answers.push(answer),
  })
  await lookups.find('a', async () => null)
  expect(await lookups.find('a', async () => 'there')).toBe('there')
  expect(answers).toEqual([
    ['a', null, false],
    ['a', 'there', true],
  ])
  const all = createCachedLookups<string | null>(options)
  await all.find('a', async () => null)
  expect([all.known('a'), await all.find('a', async () => 'there')]).toEqual([null, null])
})

it.each([
  ['its key', (lookups: ReturnType<typeof createCachedLookups<string>>) => lookups.forget('a')],
  ['all', (lookups: ReturnType<typeof createCachedLookups<string>>) => lookups.forgetAll()],
])(
  'a lookup that began before %s was forgotten puts nothing back, and who asks after that is not told its value',
  async (_what, forget) => {
    const lookups = createCachedLookups<string>(options)
    const held = Promise.withResolvers<string>()
    const earlier = lookups.find('a', () => held.promise)
    const remember = lookups.begin()
    forget(lookups)
    expect(await lookups.find('a', async () => 'later')).toBe('later')
    held.resolve('earlier')
    remember('a', 'earlier')
    expect([await earlier, lookups.known('a')]).toEqual(['earlier', 'later'])
    forget(lookups)
    expect(lookups.known('a')).toBeUndefined()
  },
)
