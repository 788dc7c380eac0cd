import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Failure } from '../../src/lib/failure.ts'
import { createGroupCommit } from '../../src/lib/group-commit.ts'

/** Commits that wait until they are let through, and remember what they were given. */
function createCommits() {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const commit = async (items: number[]): Promise<string[]> => {
    batches.push(items)
    await new Promise<void>((resolve) => gates.push(resolve))
    return items.map((item) => `stored ${item}`)
  }
  return {
    batches,
    commit,
    letThrough() {
      for (const open of gates.splice(0)) open()
    },
  }
}

const isFaultOfOne = (error: unknown) => error instanceof RangeError
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a group commit', () => {
  it('stores what arrives in one turn together, and answers each its own result', async () => {
    const { batches, commit, letThrough } = createCommits()
    const group = createGroupCommit({ commit, isFaultOfOne })
    const results = Promise.all([1, 2, 3].map((item) => group.submit(item, 1)))
    await turn()
    letThrough()
    expect(await results).toEqual(['stored 1', 'stored 2', 'stored 3'])
    expect(batches).toEqual([[1, 2, 3]])
  })

  it('has at most two batches on their way; the rest waits and then goes together', async () => {
    const { batches, commit, letThrough } = createCommits()
    const group = createGroupCommit({ commit, isFaultOfOne })
    const results: Promise<string>[] = []
    const submit = (count: number) => results.push(...Array.from({ length: count }, (_, item) => group.submit(item, 1)))
    for (const count of [1, 20, 20, 20]) {
      submit(count)
      await turn()
      await turn()
    }
    expect(batches.map(({ length }) => length)).toEqual([1, 20])
    letThrough()
    await Promise.all(results.slice(0, 21))
    await turn()
    expect(batches.map(({ length }) => length)).toEqual([1, 20, 40])
    letThrough()
    await Promise.all(results)
  })

  it('lets few items wait for the batch before them, but only for a moment', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { batches, commit, letThrough } = createCommits()
    const group = createGroupCommit({ commit, isFaultOfOne })
    const results: Promise<string>[] = []
    for (const item of [1, 2, 3]) {
      results.push(group.submit(item, 1))
      await turn()
    }
    expect(batches).toEqual([[1]])
    letThrough()
    await results[0]
    await turn()
    await turn()
    expect(batches).toEqual([[1], [2, 3]])
    results.push(group.submit(4, 1))
    await turn()
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[1], [2, 3]])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[1], [2, 3], [4]])
    letThrough()
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4].map((item) => `stored ${item}`))
  })

  it('puts at most 200 items and 4 MB into a batch, and a larger item alone', async () => {
    const { batches, commit, letThrough } = createCommits()
    const group = createGroupCommit({ commit, isFaultOfOne })
    const many = Array.from({ length: 201 }, (_, item) => group.submit(item, 1))
    await turn()
    expect(batches.map(({ length }) => length)).toEqual([200, 1])
    letThrough()
    await Promise.all(many)
    const large = [group.submit(1_000, 1), group.submit(1_001, 5 * 1024 * 1024), group.submit(1_002, 1)]
    await turn()
    letThrough()
    await Promise.all(large.slice(0, 2))
    await turn()
    letThrough()
    await Promise.all(large)
    expect(batches.slice(2)).toEqual([[1_000], [1_001], [1_002]])
  })

  it('refuses more than 2,000 waiting items with a failure that says when to come back', async () => {
    const { commit, letThrough } = createCommits()
    const group = createGroupCommit({ commit, isFaultOfOne })
    const taken = Array.from({ length: 2_000 }, (_, item) => group.submit(item, 1))
    await expect(group.submit(2_000, 1)).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 } satisfies Partial<Failure>)
    for (let round = 0; round < 10; round += 1) {
      await turn()
      letThrough()
    }
    expect(await Promise.all(taken)).toHaveLength(2_000)
  })

  it('lets only the item at fault fail, and all items when none is at fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { minLength: 1, maxLength: 30 }), fc.nat(20), async (items, poisoned) => {
        const group = createGroupCommit({
          async commit(batch: number[]) {
            if (batch.includes(poisoned)) throw new RangeError('poisoned')
            return batch
          },
          isFaultOfOne,
        })
        const results = await Promise.allSettled(items.map((item) => group.submit(item, 1)))
        expect(results.map(({ status }) => status)).toEqual(items.map((item) => (item === poisoned ? 'rejected' : 'fulfilled')))
      }),
    )
    const lost = createGroupCommit({ commit: () => Promise.reject(new Error('connection lost')), isFaultOfOne })
    const results = await Promise.allSettled([lost.submit(1, 1), lost.submit(2, 1)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
