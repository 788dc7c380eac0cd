import { setTimeout as sleep } from 'node:timers/promises'
import { isDeadlock } from '../lib/database-errors.ts'

const TRIES = 5
const PAUSE_MS = 100

/** Tries a transaction again that PostgreSQL has ended, because it and another waited for each other: nothing of it was done. */
export async function againAfterDeadlock<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isDeadlock(error) || triesLeft <= 1) throw error
    }
    // The other one goes first, or both would come to wait for each other again.
    await sleep(PAUSE_MS)
  }
}
