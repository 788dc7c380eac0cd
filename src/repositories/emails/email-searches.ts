// Searches in the console read text from senders, for words from others. Here they get a time limit, and few of the connections.
import { Failure } from '../../lib/failure.ts'
import { createTurns } from '../../lib/limits/turns.ts'
import { type BoundedQueries, createBoundedQueries } from '../bounded-queries.ts'
import type { Database } from '../database.ts'

/** The time that one search may take. */
const SEARCH_MS_MAX = 2_000
/** At once, each on its own connection. */
const SEARCHES_AT_ONCE = { perKey: 1, inAll: 2 }
/** How many may wait, and how long. */
const SEARCHES_WAITING = { perKey: 3, inAll: 20 }
const SEARCH_WAIT_MS_MAX = 1_000
const RETRY_AFTER_SECONDS = 2

export const createEmailSearches = (
  database: Pick<Database, 'execute' | 'transaction'>,
  { msMax = SEARCH_MS_MAX }: { msMax?: number } = {},
): BoundedQueries =>
  createBoundedQueries(database, {
    msMax,
    turns: createTurns({
      atOnceMax: SEARCHES_AT_ONCE,
      waitingMax: SEARCHES_WAITING,
      waitMsMax: SEARCH_WAIT_MS_MAX,
      refusal: () => unavailable('Other searches are being run already. Please try again in a few seconds.'),
    }),
    tooSlow: () =>
      unavailable(
        `This search took longer than ${(msMax / 1_000).toLocaleString('en')} seconds and was given up. Please look for fewer letters, or choose a state.`,
      ),
  })

const unavailable = (message: string): Failure => new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
