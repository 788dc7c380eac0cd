// Waits for what is about to happen, inside Vitest and outside.
import { setTimeout as wait } from 'node:timers/promises'

/** Shorter than a test may take, so that a test that waits in vain ends with the reason. */
const TIMEOUT_MS = 45_000
const POLL_MS = 10

/** Repeats `check` until it does not throw. After `timeout` milliseconds its last error is thrown. */
export async function until<Result>(
  check: () => Result | Promise<Result>,
  { timeout = TIMEOUT_MS, interval = POLL_MS }: { timeout?: number; interval?: number } = {},
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
