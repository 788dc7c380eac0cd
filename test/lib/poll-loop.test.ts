import { afterEach, describe, expect, test } from 'vitest'
import { type PollLoop, startPollLoop, type Turn } from '../../src/lib/poll-loop.ts'

const LONG_MS = 600_000

describe('a loop', () => {
  let loop: PollLoop | undefined
  afterEach(() => loop?.stop())

  test('takes the next turn at once when it is woken while it rests', async () => {
    const turns = begun()
    loop = startPollLoop(({ rest }) => turns.begin(() => rest(LONG_MS)))
    await turns.reached(1)
    loop.wake()
    await turns.reached(2)
  })

  test('does not rest when it was woken during the turn', async () => {
    const turns = begun()
    loop = startPollLoop(({ rest }) =>
      turns.begin(async (count) => {
        if (count === 1) loop?.wake()
        await rest(LONG_MS)
      }),
    )
    await turns.reached(2)
  })

  test('is not hurried in a pause by what wakes it', async () => {
    const turns = begun()
    loop = startPollLoop(({ pause }) => turns.begin(() => pause(LONG_MS)))
    await turns.reached(1)
    loop.wake()
    await new Promise(setImmediate)
    expect(turns.count()).toBe(1)
  })

  test.for<keyof Pick<Turn, 'rest' | 'pause'>>(['rest', 'pause'])('is stopped in a %s, and its turn has ended then', async (wait) => {
    const turns = begun()
    let hasEnded = false
    const stopped = startPollLoop((turn) =>
      turns.begin(async () => {
        await turn[wait](LONG_MS)
        hasEnded = true
      }),
    )
    await turns.reached(1)
    await stopped.stop()
    expect(hasEnded).toBe(true)
    expect(stopped.signal.aborted).toBe(true)
    expect(turns.count()).toBe(1)
  })
})

function begun() {
  let count = 0
  const waiting: { at: number; resolve: () => void }[] = []
  return {
    count: () => count,
    begin(act: (count: number) => Promise<void>): Promise<void> {
      count += 1
      for (const { at, resolve } of waiting) if (at <= count) resolve()
      return act(count)
    },
    reached(at: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (at <= count) resolve()
      else waiting.push({ at, resolve })
      return promise
    },
  }
}
