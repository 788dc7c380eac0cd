// Searches in the console read text from senders, for words from others. Here they get a time limit, and some of the connections. One team never has
// all of these.
import { Failure } from '../../lib/failure.ts'
import { createTurns } from '../../lib/limits/turns.ts'
import { type BoundedQueries, createBoundedQueries } from '../bounded-queries.ts'
import type { Database } from '../database.ts'

/** The time that one search may take. */
const SEARCH_MS_MAX = 2_000
/** At once, each on its own connection; per team, and of all teams. */
const SEARCHES_AT_ONCE = { perKey: 1, inAll: 4 }
/** Searches of the field on all pages, which asks while one types. They are short, and do not wait for the others. */
const RECORD_SEARCHES_AT_ONCE = { perKey: 2, inAll: 4 }
/** How many may wait, and how long. */
const SEARCHES_WAITING = { perKey: 3, inAll: 20 }
const SEARCH_WAIT_MS_MAX = 1_000
const RETRY_AFTER_SECONDS = 2

type SearchDatabase = Pick<Database, 'execute' | 'transaction'>
type Limits = { msMax?: number }

/** For searches that read very many rows, one after the other. */
export const createEmailSearches = (database: SearchDatabase, limits: Limits = {}): BoundedQueries =>
  createSearches(database, { ...limits, atOnceMax: SEARCHES_AT_ONCE, advice: 'Please look for fewer letters, or choose a state.' })

/** Finds any record by its id or its name. */
export const createRecordSearches = (database: SearchDatabase, limits: Limits = {}): BoundedQueries =>
  createSearches(database, { ...limits, atOnceMax: RECORD_SEARCHES_AT_ONCE, advice: 'Please look for an id or a whole address.' })

function createSearches(
  database: SearchDatabase,
  { msMax = SEARCH_MS_MAX, atOnceMax, advice }: Limits & { atOnceMax: typeof SEARCHES_AT_ONCE; advice: string },
): BoundedQueries {
  return createBoundedQueries(database, {
    msMax,
    turns: createTurns({
      atOnceMax,
      waitingMax: SEARCHES_WAITING,
      waitMsMax: SEARCH_WAIT_MS_MAX,
      refusal: () => unavailable('Other searches are being run already. Please try again in a few seconds.'),
    }),
    tooSlow: () => unavailable(`This search took longer than ${(msMax / 1_000).toLocaleString('en')} seconds and was given up. ${advice}`),
  })
}

const unavailable = (message: string): Failure => new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
