import { expect, it, vi } from 'vitest'
import { createSharedLookups } from '../../src/lib/shared-lookups.ts'

/** Answers that a test gives one after the other. */
function world() {
  const lookups = createSharedLookups<string | null>((value) => value !== null)
  const asked: PromiseWithResolvers<string | null>[] = []
  const lookUp = vi.fn(() => {
    const answer = Promise.withResolvers<string | null>()
    asked.push(answer)
    return answer.promise
  })
  return { lookups, find: () => lookups.find('key', lookUp), lookUp, asked }
}

it('what is found answers everyone who asked meanwhile', async () => {
  const { find, lookUp, asked } = world()
  const answers = [find(), find(), find()]
  asked[0]?.resolve('here')
  expect(await Promise.all(answers)).toEqual(['here', 'here', 'here'])
  expect(lookUp).toHaveBeenCalledOnce()
})

it('that nothing was found answers only the one who began; the others share a second lookup', async () => {
  const { find, lookUp, asked } = world()
  const answers = [find(), find(), find()]
  asked[0]?.resolve(null)
  await answers[0]
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  asked[1]?.resolve('here')
  expect(await Promise.all(answers)).toEqual([null, 'here', 'here'])
  expect(lookUp).toHaveBeenCalledTimes(2)
})

it('a lookup that was forgotten answers no one who asks afterwards, and its end ends no other', async () => {
  const { lookups, find, lookUp, asked } = world()
  const early = find()
  lookups.forget('key')
  const late = find()
  asked[0]?.resolve('old')
  expect(await early).toBe('old')
  const joined = find()
  asked[1]?.resolve('new')
  expect([await late, await joined]).toEqual(['new', 'new'])
  expect(lookUp).toHaveBeenCalledTimes(2)
})
