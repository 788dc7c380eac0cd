// Filters of clients, which may read every contact of a team, get a time limit here, and only some of the connections; in SQL, because the limit is a
// setting of the transaction.
import { isCanceled } from '../lib/database-errors.ts'
import { Failure } from '../lib/failure.ts'
import { createTurns, type Turns } from '../lib/limits/turns.ts'
import type { Database, Execute } from './database.ts'

/** The time that filters may take in one request. */
const FILTER_QUERY_MS_MAX = 5_000
/** At once, each on its own connection. With the searches of the console these leave four connections of twenty free, most of the others for other teams. */
export const FILTER_QUERIES_PER_TEAM_MAX = 2
export const FILTER_QUERIES_MAX = 6
/** How many may wait, and how long. */
const FILTER_QUERIES_WAITING_PER_TEAM_MAX = 10
const FILTER_QUERIES_WAITING_MAX = 60
const FILTER_QUERY_WAIT_MS_MAX = 1_000
const RETRY_AFTER_SECONDS = 5

/**
 * `filtering` runs statements with filters; those of one transaction share the time that filters may take. `inside` runs all other statements,
 * before these.
 */
type Work<Result> = (filtering: Execute, inside: Execute) => Promise<Result>

/** The error after the time limit. */
type TooSlow = (msMax: number) => Failure
type BoundedQueryOptions = { msMax?: number; turns?: Turns; tooSlow?: TooSlow }

export type BoundedQueries = ReturnType<typeof createBoundedQueries>

export function createBoundedQueries(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { msMax = FILTER_QUERY_MS_MAX, turns = createFilterTurns(), tooSlow = filterTooSlow }: BoundedQueryOptions = {},
) {
  const withLimit = <Result>(work: Work<Result>): Promise<Result> =>
    transaction((inside) => work(limited(inside, { msMax, tooSlow }), inside))

  return {
    /**
     * A transaction that takes a turn first; a request that waits for a turn holds no connection.
     * @throws Failure if no turn or no time is left.
     */
    run: <Result>(teamId: string, work: Work<Result>): Promise<Result> => turns.take(teamId, () => withLimit(work)),

    /** Runs the work for every filter of the team. A team without filters does not wait. */
    async runEach<Result>(teamId: string, work: Work<Result>): Promise<Result> {
      const filters = await execute('select from segments where team_id = $1 and filter is not null limit 1', [teamId])
      return filters.length === 0 ? withLimit(work) : turns.take(teamId, () => withLimit(work))
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
export const createQuickCounts = (database: Pick<Database, 'execute' | 'transaction'>): BoundedQueries =>
  createBoundedQueries(database, { msMax: QUICK_COUNT_MS_MAX, turns: createFilterTurns({ perKey: 1, inAll: QUICK_COUNTS_MAX }) })

const QUICK_COUNT_MS_MAX = 1_000
const QUICK_COUNTS_MAX = 2

const createFilterTurns = (atOnceMax = { perKey: FILTER_QUERIES_PER_TEAM_MAX, inAll: FILTER_QUERIES_MAX }): Turns =>
  createTurns({
    atOnceMax,
    waitingMax: { perKey: FILTER_QUERIES_WAITING_PER_TEAM_MAX, inAll: FILTER_QUERIES_WAITING_MAX },
    waitMsMax: FILTER_QUERY_WAIT_MS_MAX,
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
