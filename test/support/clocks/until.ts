// Waits for what is about to happen, inside Vitest and outside.
import { setTimeout as wait } from 'node:timers/promises'

/** Shorter than a test may take, so that a test that waits in vain ends with the reason. */
const TIMEOUT_MS = 90_000
const POLL_MS = 10
/** The longer it has waited, the less often it looks: after a twentieth of that time. Each look takes processor time from what is waited for. */
const POLL_MS_MAX = 200
const WAIT_SHARE = 1 / 20

/** Repeats `check` until it does not throw, every `interval` milliseconds if it is given. After `timeout` milliseconds its last error is thrown. */
export async function until<Result>(
  check: () => Result | Promise<Result>,
  { timeout = TIMEOUT_MS, interval }: { timeout?: number; interval?: number } = {},
): Promise<Result> {
  const begunMs = performance.now()
  for (;;) {
    try {
      return await check()
    } catch (error) {
      const waitedMs = performance.now() - begunMs
      if (waitedMs > timeout) throw error
      await wait(interval ?? Math.min(Math.max(POLL_MS, waitedMs * WAIT_SHARE), POLL_MS_MAX))
    }
  }
}
