// Work that is looked for again and again in the background, until it is stopped. The timers hold up no process that could end.
import { setTimeout as sleep } from 'node:timers/promises'

/** Ends sooner with the signal. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, { signal, ref: false }).catch(() => {})

export type Turn = {
  /** Aborted by the stop. */
  signal: AbortSignal
  /** Ends sooner with the stop. */
  pause(ms: number): Promise<void>
  /** Ends sooner with the stop, and at once if the loop was woken since the turn began. */
  rest(ms: number): Promise<void>
}

export type PollLoop = {
  signal: AbortSignal
  wake(): void
  /** Resolves when the turn has ended. */
  stop(): Promise<void>
}

/** Runs one turn after another. A turn catches what fails in it, and waits before it ends if nothing is left to do. */
export function startPollLoop(turn: (turn: Turn) => Promise<unknown>): PollLoop {
  const stopping = new AbortController()
  const { signal } = stopping
  let isWoken = false
  let endRest: () => void = () => {}

  async function rest(ms: number): Promise<void> {
    if (isWoken || signal.aborted) return
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    endRest = resolve
    const timer = setTimeout(resolve, ms).unref()
    await ended
    clearTimeout(timer)
  }

  function wake(): void {
    isWoken = true
    endRest()
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false
      await turn({ signal, pause: (ms) => pause(ms, signal), rest })
    }
  }

  // The caller's turn may use the loop.
  const running = Promise.resolve().then(run)
  return {
    signal,
    wake,
    async stop() {
      stopping.abort()
      wake()
      await running
    },
  }
}
