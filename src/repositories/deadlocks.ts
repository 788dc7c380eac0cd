import { setTimeout as sleep } from 'node:timers/promises'
import { isDeadlock } from '../lib/database-errors.ts'

const TRIES = 5
const PAUSE_MS = 100

/** Retries a transaction that PostgreSQL has ended because it and another waited for each other. Nothing of it was done. */
export async function againAfterDeadlock<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isDeadlock(error) || triesLeft <= 1) throw error
    }
    // Lets the other one finish first, or both would wait for each other again.
    await sleep(PAUSE_MS)
  }
}
