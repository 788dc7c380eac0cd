// Waiting for what is about to happen, inside Vitest and outside of it.
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20

/** Asks again until `check` does not throw; after `timeout` milliseconds its last error is thrown. */
export async function until<Result>(
  check: () => Result | Promise<Result>,
  { timeout, interval = POLL_MS }: { timeout: number; interval?: number },
): Promise<Result> {
  const deadline = performance.now() + timeout
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await wait(interval)
  }
}
