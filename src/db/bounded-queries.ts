// Filters of clients, which may read every contact of a team, get a time limit here, and only some of the connections; in SQL, because the limit is a
// setting of the transaction.

import { Failure } from '../lib/failure.ts'
import { createFairSemaphore, type FairSemaphore } from '../lib/limits/fair-semaphore.ts'
import type { Database, Execute } from './database.ts'
import { isCanceled } from './database-errors.ts'

/** The time that filters may take in one request. */
const FILTER_QUERY_MS_MAX = 5_000
/** At once, each on its own connection. With all searches, values and counts below these leave two connections of twenty free, and one team never has most of the others. */
export const FILTER_QUERIES_PER_TEAM_MAX = 2
export const FILTER_QUERIES_MAX = 6
/** How many may wait for a turn, and how long. People of a team have several pages open, which all read again when something changes. */
export const WAITING_PER_TEAM_MAX = 10
const WAITING_MAX = { perKey: WAITING_PER_TEAM_MAX, inAll: 60 }
const WAIT_MS_MAX = 1_000
const RETRY_AFTER_SECONDS = 5

/**
 * `filtering` runs statements with filters; those of one transaction share the time that filters may take. `inside` runs all other statements,
 * before these.
 */
type Work<Result> = (filtering: Execute, inside: Execute) => Promise<Result>

/** The error after the time limit. */
type TooSlow = (msMax: number) => Failure
type BoundedQueryOptions = { msMax?: number; semaphore?: FairSemaphore; tooSlow?: TooSlow }

export type BoundedQueries = ReturnType<typeof createBoundedQueries>

type BoundedDatabase = Pick<Database, 'execute' | 'transaction'> & Partial<Pick<Database, 'patience'>>

export function createBoundedQueries(
  { execute, transaction, patience = 1 }: BoundedDatabase,
  {
    msMax = FILTER_QUERY_MS_MAX * patience,
    semaphore = createFilterSemaphore({ patience }),
    tooSlow = filterTooSlow,
  }: BoundedQueryOptions = {},
) {
  const withLimit = <Result>(work: Work<Result>): Promise<Result> =>
    transaction((inside) => work(limited(inside, { msMax, tooSlow }), inside))

  return {
    /**
     * A transaction that takes a turn first; a request that waits for a turn holds no connection.
     * @throws Failure if no turn or no time is left.
     */
    run: <Result>(teamId: string, work: Work<Result>): Promise<Result> => semaphore.run(teamId, () => withLimit(work)),

    /** Runs the work for every filter of the team. A team without filters does not wait. */
    async runEach<Result>(teamId: string, work: Work<Result>): Promise<Result> {
      const filters = await execute('select from segments where team_id = $1 and filter is not null limit 1', [teamId])
      return filters.length === 0 ? withLimit(work) : semaphore.run(teamId, () => withLimit(work))
    },
  }
}

function limited(inside: Execute, { msMax, tooSlow }: { msMax: number; tooSlow: TooSlow }): Execute {
  let deadline: number | undefined
  return async (sql, values) => {
    deadline ??= performance.now() + msMax
    const leftMs = Math.ceil(deadline - performance.now())
    if (leftMs <= 0) throw tooSlow(msMax)
    try {
      await inside(`set local statement_timeout = ${leftMs}; set local jit = off`)
      return await inside(sql, values)
    } catch (error) {
      throw isCanceled(error) ? tooSlow(msMax) : error
    }
  }
}

/** Runs counts that a page waits for. */
export const createQuickCounts = (database: BoundedDatabase): BoundedQueries =>
  createCounts(database, { msMax: QUICK_COUNT_MS_MAX, atOnceMax: { perKey: 1, inAll: QUICK_COUNTS_MAX } })

const QUICK_COUNT_MS_MAX = 1_000
const QUICK_COUNTS_MAX = 2

/** Counts whom a broadcast reaches: a million contacts in about seven seconds, for which someone waits who is about to send to them. */
export const createAudienceQueries = (database: BoundedDatabase): BoundedQueries =>
  createCounts(database, { msMax: AUDIENCE_MS_MAX, atOnceMax: { perKey: 1, inAll: AUDIENCE_COUNTS_MAX } })

const AUDIENCE_MS_MAX = 15_000
const AUDIENCE_COUNTS_MAX = 1

function createCounts(database: BoundedDatabase, { msMax, atOnceMax }: { msMax: number; atOnceMax: AtOnce }): BoundedQueries {
  const { patience = 1 } = database
  return createBoundedQueries(database, { msMax: msMax * patience, semaphore: createFilterSemaphore({ atOnceMax, patience }) })
}

type AtOnce = { perKey: number; inAll: number }

const FILTERS_AT_ONCE = { perKey: FILTER_QUERIES_PER_TEAM_MAX, inAll: FILTER_QUERIES_MAX }

const createFilterSemaphore = ({ atOnceMax = FILTERS_AT_ONCE, patience }: { atOnceMax?: AtOnce; patience: number }): FairSemaphore =>
  createFairSemaphore({
    atOnceMax,
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS_MAX * patience,
    refusal: () =>
      new Failure('unavailable', 'Other filters of segments are being run already. Please try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  })

const filterTooSlow: TooSlow = (msMax) =>
  new Failure(
    'validation',
    `The filter of this segment took longer than ${(msMax / 1_000).toLocaleString('en')} seconds among so many contacts. Give it fewer rules, or put the contacts into a segment without a filter.`,
  )

// Searches in the console read text from senders, for words from others. Here they get a time limit, and some of the connections. One team never has
// all of these.

/** The time that one search may take. */
const SEARCH_MS_MAX = 2_000
/** At once, each on its own connection; per team, and of all teams. */
const SEARCHES_AT_ONCE = { perKey: 1, inAll: 4 }
/** Searches of the field on all pages, which asks while one types. They are short, and do not wait for the others. */
const RECORD_SEARCHES_AT_ONCE = { perKey: 2, inAll: 4 }
const SEARCH_RETRY_AFTER_SECONDS = 2

type Limits = { msMax?: number }

/** For searches that read very many rows, one after the other. */
export const createEmailSearches = (database: BoundedDatabase, limits: Limits = {}): BoundedQueries =>
  createSearches(database, { ...limits, atOnceMax: SEARCHES_AT_ONCE, ...ofSearch('Please look for fewer letters, or choose a state.') })

/** Finds any record by its id or its name. */
export const createRecordSearches = (database: BoundedDatabase, limits: Limits = {}): BoundedQueries =>
  createSearches(database, { ...limits, atOnceMax: RECORD_SEARCHES_AT_ONCE, ...ofSearch('Please look for an id or a whole address.') })

/** Finds values of a property for a field, while one types in it. They take some hundredths of a second. */
export const createValueSearches = (database: BoundedDatabase, limits: Limits = {}): BoundedQueries =>
  createSearches(database, {
    ...{ msMax: VALUES_MS_MAX * (database.patience ?? 1), ...limits, atOnceMax: VALUES_AT_ONCE },
    busy: `Values of properties are being read already. ${LATER}`,
    slow: (seconds) => `Reading the values of this property took longer than ${seconds} and was given up. ${LATER}`,
  })

const VALUES_MS_MAX = 1_000
const VALUES_AT_ONCE = { perKey: 1, inAll: 1 }

type Sentences = { busy: string; slow: (seconds: string) => string }

const LATER = 'Please try again in a few seconds.'

const ofSearch = (advice: string): Sentences => ({
  busy: `Other searches are being run already. ${LATER}`,
  slow: (seconds) => `This search took longer than ${seconds} and was given up. ${advice}`,
})

function createSearches(
  database: BoundedDatabase,
  { msMax: msMaxGiven, atOnceMax, busy, slow }: Limits & Sentences & { atOnceMax: AtOnce },
): BoundedQueries {
  const { patience = 1 } = database
  const msMax = msMaxGiven ?? SEARCH_MS_MAX * patience
  const seconds = msMax / 1_000
  return createBoundedQueries(database, {
    msMax,
    semaphore: createFairSemaphore({
      atOnceMax,
      waitingMax: WAITING_MAX,
      waitMsMax: WAIT_MS_MAX * patience,
      refusal: () => unavailable(busy),
    }),
    tooSlow: () => unavailable(slow(`${seconds.toLocaleString('en')} ${seconds === 1 ? 'second' : 'seconds'}`)),
  })
}

const unavailable = (message: string): Failure => new Failure('unavailable', message, { retryAfterSeconds: SEARCH_RETRY_AFTER_SECONDS })

export const EMAILS_SEARCHED_MAX = 10_000

export const BROADCASTS_SEARCHED_MAX = 10_000

export const LOGS_SEARCHED_MAX = 10_000

export const CONTACTS_SEARCHED_MAX = 20_000

/** Emails to one address lie apart, so that each is a page of the table. */
export const EMAILS_OF_ADDRESS_SEARCHED_MAX = 2_000

/** Received emails to one address lie apart too. So many are read to find those from one sender. */
export const RECEIVED_SEARCHED_MAX = 2_000
