import { expect, it } from 'vitest'
import { createUnawaitedWork } from '../../src/lib/unawaited-work.ts'

it('begins so much at once, tells of what fails, and waits for all of it at the end', async () => {
  const [failures, over]: [string[], string[]] = [[], []]
  const work = createUnawaitedWork({ max: 2, onFailure: (error) => failures.push((error as Error).message) })
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await work.begin(() => first.promise)
  await work.begin(() => second.promise)
  const third = work.begin(async () => {
    over.push('third')
  })
  const ended = work.ended().then(() => over.push('ended'))
  await Promise.resolve()
  expect(over).toEqual([])
  first.reject(new Error('first'))
  await third
  expect({ over, failures }).toEqual({ over: ['third'], failures: ['first'] })
  second.resolve()
  await ended
  expect(over).toEqual(['third', 'ended'])
})
