import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFairSemaphore } from '../../../src/lib/limits/fair-semaphore.ts'

const WAIT_MS = 1_000
const REFUSAL = new Error('no room')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const settled = () => vi.advanceTimersByTimeAsync(0)

/** Work that lasts until it is ended, and what became of each. */
function createWork({ atOnceMax = { perKey: 2, inAll: 3 }, waitingMax = { perKey: 10, inAll: 60 } } = {}) {
  const turns = createFairSemaphore({ atOnceMax, waitingMax, waitMsMax: WAIT_MS, refusal: () => REFUSAL })
  const running = new Map<string, { end: () => void; fail: (reason: Error) => void }>()
  const refused: string[] = []
  return {
    running: () => [...running.keys()].sort(),
    refused,
    close: turns.close,
    /** `name` begins with its key. */
    start(name: string): Promise<string> {
      const done = turns.run(
        name.charAt(0),
        () => new Promise<string>((resolve, reject) => running.set(name, { end: () => resolve(name), fail: reject })),
      )
      done.catch((error) => error === REFUSAL && refused.push(name))
      return done
    },
    async end(name: string) {
      running.get(name)?.end()
      running.delete(name)
      await settled()
    },
    async fail(name: string, reason: Error) {
      running.get(name)?.fail(reason)
      running.delete(name)
      await settled()
    },
  }
}

describe('turns', () => {
  it('that are closed refuse what waits and what would have to, and let the rest end', async () => {
    const work = createWork()
    const done = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => work.start(name))
    await settled()
    work.close()
    done.push(work.start('c2'))
    await settled()
    expect([work.running(), work.refused]).toEqual([
      ['a1', 'a2', 'b1'],
      ['c2', 'a3', 'c1'],
    ])
    for (const name of work.running()) await work.end(name)
    expect((await Promise.allSettled(done)).map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected'],
    ])
  })

  it('are given to two of a key and three in all; the others follow one by one', async () => {
    const work = createWork()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) work.start(name)
    await settled()
    expect(work.running()).toEqual(['a1', 'a2', 'b1'])
    await work.end('a1')
    expect(work.running()).toEqual(['a2', 'b1', 'c1'])
    await work.end('c1')
    expect(work.running()).toEqual(['a2', 'a3', 'b1'])
    await work.end('b1')
    expect(work.running()).toEqual(['a2', 'a3', 'b2'])
  })

  it('go to the key that has the fewest, of these to who came first', async () => {
    const work = createWork()
    for (const name of ['a1', 'b1', 'b2', 'a2', 'a3', 'c1', 'd1']) work.start(name)
    await settled()
    expect(work.running()).toEqual(['a1', 'b1', 'b2'])
    await work.end('b1')
    expect(work.running()).toEqual(['a1', 'b2', 'c1'])
    await work.end('b2')
    expect(work.running()).toEqual(['a1', 'c1', 'd1'])
    await work.end('c1')
    expect(work.running()).toEqual(['a1', 'a2', 'd1'])
  })

  it('go round the keys that wait, however many wait of each', async () => {
    const work = createWork({ atOnceMax: { perKey: 1, inAll: 2 } })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'c2', 'd1']) work.start(name)
    await settled()
    const order: string[] = []
    for (const name of ['a1', 'b1', 'a2', 'b2', 'c1', 'd1', 'a3']) {
      const before = work.running()
      await work.end(name)
      order.push(...work.running().filter((each) => !before.includes(each)))
    }
    expect(order).toEqual(['a2', 'b2', 'c1', 'd1', 'a3', 'b3', 'c2'])
  })

  it('end with the work, and pass on what becomes of it', async () => {
    const work = createWork()
    const first = work.start('a1')
    const second = work.start('a2')
    const third = work.start('a3')
    await settled()
    await work.end('a1')
    expect(await first).toBe('a1')
    const failed = expect(second).rejects.toThrow('lost')
    await work.fail('a2', new Error('lost'))
    await failed
    await work.end('a3')
    expect(await third).toBe('a3')
    work.start('a4')
    work.start('a5')
    await settled()
    expect(work.running()).toEqual(['a4', 'a5'])
  })

  it('are refused to who has waited for a second, and go to the next one then', async () => {
    const work = createWork()
    for (const name of ['a1', 'a2', 'a3']) work.start(name)
    await vi.advanceTimersByTimeAsync(WAIT_MS - 1)
    work.start('a4')
    expect(work.refused).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(work.refused).toEqual(['a3'])
    await work.end('a1')
    expect(work.running()).toEqual(['a2', 'a4'])
    await vi.advanceTimersByTimeAsync(WAIT_MS)
    expect(work.refused).toEqual(['a3'])
  })

  it('are refused at once when as many of a key, or in all, are waiting as may', async () => {
    const work = createWork({ waitingMax: { perKey: 2, inAll: 3 } })
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4', 'a5', 'c1', 'd1']) work.start(name)
    await settled()
    expect(work.running()).toEqual(['a1', 'a2', 'b1'])
    expect(work.refused).toEqual(['a5', 'd1'])
    await work.end('b1')
    expect(work.running()).toEqual(['a1', 'a2', 'c1'])
    work.start('d2')
    await settled()
    expect(work.refused).toEqual(['a5', 'd1'])
  })

  it('are never too many, and never left while someone waits who could have one', async () => {
    const step = fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'd').map((key) => ({ start: key })),
      fc.nat(2).map((end) => ({ end })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const work = createWork({ waitingMax: { perKey: 100, inAll: 100 } })
        const left: string[] = []
        for (const [index, each] of steps.entries()) {
          if ('start' in each) {
            const name = `${each.start}${index}`
            left.push(name)
            work.start(name)
            await settled()
          } else {
            const name = work.running()[each.end]
            if (name === undefined) continue
            left.splice(left.indexOf(name), 1)
            await work.end(name)
          }
          const running = work.running()
          const ofKey = (key: string) => running.filter((name) => name.startsWith(key)).length
          expect(running.length).toBeLessThanOrEqual(3)
          for (const key of 'abcd') expect(ofKey(key)).toBeLessThanOrEqual(2)
          const idle = left.filter((name) => !running.includes(name) && running.length < 3 && ofKey(name.charAt(0)) < 2)
          expect(idle).toEqual([])
        }
        while (left.length > 0) {
          const [name = ''] = work.running()
          left.splice(left.indexOf(name), 1)
          await work.end(name)
        }
        expect(work.running()).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})
