import { describe, expect, it } from 'vitest'
import { createWriteBehind, type WriteBehindOptions } from '../../src/lib/write-behind.ts'
import { until } from '../support/clocks/until.ts'

const FAULT = new Error('the database is away')

/** Writes into `written` while `isWorking`; nothing is written by time unless `everyMs` is given. */
function createBehind(options: Partial<WriteBehindOptions<string>> = {}) {
  const written: string[][] = []
  const lost: { count: number; reason: unknown }[] = []
  const state = { isWorking: true }
  const behind = createWriteBehind<string>({
    everyMs: 1_000_000,
    batchItemsMax: 3,
    waitingItemsMax: 10,
    waitingBytesMax: 100,
    onLost: (count, reason) => lost.push({ count, reason }),
    async write(items) {
      if (!state.isWorking) throw FAULT
      written.push(items)
    },
    ...options,
  })
  return { behind, written, lost, state }
}

describe('createWriteBehind', () => {
  it('writes what waits when it is flushed, in order', async () => {
    const { behind, written } = createBehind()
    behind.add('a')
    behind.add('b')
    expect(written).toEqual([])
    await behind.flush()
    expect(written).toEqual([['a', 'b']])
  })

  it('writes by itself a little later', async () => {
    const { behind, written } = createBehind({ everyMs: 1 })
    behind.add('a')
    await until(() => expect(written).toEqual([['a']]))
    behind.add('b')
    await until(() => expect(written).toEqual([['a'], ['b']]))
  })

  it('writes at once when a batch is full, and in batches of that size', async () => {
    const { behind, written } = createBehind()
    for (const item of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) behind.add(item)
    await behind.flush()
    expect(written).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']])
  })

  it('writes nothing when nothing waits', async () => {
    const { behind, written } = createBehind()
    await behind.flush()
    expect(written).toEqual([])
  })

  it('never writes two batches at once', async () => {
    let running = 0
    let most = 0
    const { behind } = createBehind({
      async write() {
        running += 1
        most = Math.max(most, running)
        await new Promise(setImmediate)
        running -= 1
      },
    })
    for (let count = 0; count < 9; count += 1) behind.add('x')
    await Promise.all([behind.flush(), behind.flush(), behind.flush()])
    expect({ running, most }).toEqual({ running: 0, most: 1 })
  })

  it('flushes also what is added while it writes', async () => {
    const written: string[] = []
    const { behind } = createBehind({
      async write(items) {
        await new Promise(setImmediate)
        if (written.length === 0) behind.add('late')
        written.push(...items)
      },
    })
    behind.add('early')
    await behind.flush()
    expect(written).toEqual(['early', 'late'])
  })

  it('retries a failed batch once, before what came after it', async () => {
    const { behind, written, lost, state } = createBehind({ everyMs: 1 })
    state.isWorking = false
    behind.add('a')
    // One try by time fails; the next one succeeds, because the fault is over.
    await until(() => expect(written).toEqual([]))
    state.isWorking = true
    behind.add('b')
    await behind.flush()
    expect({ items: written.flat(), lost }).toEqual({ items: ['a', 'b'], lost: [] })
  })

  it('gives a batch up that failed twice, says how many items with the reason, and continues with the next', async () => {
    const { behind, written, lost, state } = createBehind()
    state.isWorking = false
    behind.add('a')
    behind.add('b')
    await behind.flush()
    expect(lost).toEqual([{ count: 2, reason: FAULT }])
    state.isWorking = true
    behind.add('c')
    await behind.flush()
    expect(written).toEqual([['c']])
  })

  it('retries a failed batch as often as it is told, at its pace, whatever is added meanwhile', async () => {
    let tries = 0
    const { behind, lost } = createBehind({
      batchItemsMax: 1,
      waitingItemsMax: 100,
      triesMax: 3,
      retriesEveryMs: 1_000_000,
      async write() {
        tries += 1
        throw FAULT
      },
    })
    for (let count = 0; count < 50; count += 1) {
      behind.add('x')
      await new Promise(setImmediate)
    }
    expect({ tries, lost }).toEqual({ tries: 1, lost: [] })
    await behind.flush()
    expect(lost.reduce((sum, { count }) => sum + count, 0)).toBe(50)
  })

  it('writes all, in order, after a fault that is shorter than its retries', async () => {
    let tries = 0
    const written: string[] = []
    const { behind, lost } = createBehind({
      everyMs: 1,
      triesMax: 1_000,
      batchItemsMax: 2,
      async write(items) {
        tries += 1
        if (tries < 5) throw FAULT
        written.push(...items)
      },
    })
    for (const item of ['a', 'b', 'c', 'd', 'e']) behind.add(item)
    await until(() => expect({ written, lost }).toEqual({ written: ['a', 'b', 'c', 'd', 'e'], lost: [] }))
  })

  it('drops the newest when too many wait, and says how many', async () => {
    const { behind, written, lost } = createBehind({ batchItemsMax: 100 })
    for (let count = 0; count < 15; count += 1) behind.add(String(count))
    await behind.flush()
    expect(written.flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(lost).toEqual([{ count: 5, reason: new Error('too much was waiting') }])
  })

  it('drops the newest when too many bytes wait, and takes items again once those are written', async () => {
    const { behind, written, lost } = createBehind()
    behind.add('large', 90)
    behind.add('too much', 11)
    behind.add('fits', 10)
    await behind.flush()
    behind.add('afterwards', 100)
    await behind.flush()
    expect(written).toEqual([['large', 'fits'], ['afterwards']])
    expect(lost.map(({ count }) => count)).toEqual([1])
  })

  it('counts bytes right through failures: what was given up takes no room, and leaves none over', async () => {
    const { behind, written, lost, state } = createBehind()
    state.isWorking = false
    behind.add('lost', 100)
    await behind.flush()
    state.isWorking = true
    behind.add('kept', 100)
    behind.add('over', 1)
    await behind.flush()
    expect({ written, lost: lost.map(({ count }) => count) }).toEqual({ written: [['kept']], lost: [1, 1] })
  })

  it('says which items wait no longer, each once: when they are written, given up or dropped', async () => {
    const left: string[] = []
    const { behind, state } = createBehind({ onLeft: (items) => left.push(...items) })
    behind.add('written', 90)
    behind.add('dropped', 11)
    expect(left).toEqual(['dropped'])
    await behind.flush()
    state.isWorking = false
    behind.add('given up')
    await behind.flush()
    expect(left).toEqual(['dropped', 'written', 'given up'])
  })

  it('never throws into the caller, whatever the writing does', async () => {
    const { behind, lost } = createBehind({
      batchItemsMax: 1,
      write: () => {
        throw FAULT
      },
    })
    behind.add('a')
    await behind.flush()
    await until(() => expect(lost).toEqual([{ count: 1, reason: FAULT }]))
  })
})
