// How many requests a team made, by what they were answered with; in SQL, because rows are counted. Only the newest are read.
import { type Database, statement } from '../../db/database.ts'
import { idBound } from '../../lib/ids.ts'

/** The requests that are counted. */
export const REQUESTS_COUNTED_MAX = 20_000

export type LogPeriodRow = {
  start: Date
  requests: number
  succeeded: number
  redirected: number
  clientErrors: number
  serverErrors: number
}

/** `countedFrom`: the time of the oldest request that was counted, if there are more before it within the span. */
export type LogCounts = { rows: LogPeriodRow[]; countedFrom: Date | null }

export function logMetricRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    async count(teamId: string, { since, stepMs }: { since: Date; stepMs: number }): Promise<LogCounts> {
      const values = [teamId, idBound(since.getTime()), `${stepMs} milliseconds`]
      const rows = await transaction((inside) => inside<LogPeriodRow & { read: number; oldest: Date }>(COUNT, values), {
        plans: 'by index',
      })
      const [first] = rows
      return { rows, countedFrom: first && first.read > REQUESTS_COUNTED_MAX ? first.oldest : null }
    },
  }
}

const ofClass = (hundred: number): string => `count(*) filter (where response_status / 100 = ${hundred})::int`

const COUNT = statement(
  'logged requests by periods',
  `
with newest as materialized (
  select created_at, response_status from request_logs where team_id = $1 and id >= $2::uuid order by id desc limit ${REQUESTS_COUNTED_MAX + 1}
)
select date_bin($3::interval, created_at, '2000-01-01Z') as start, (select count(*) from newest)::int as read, (select min(created_at) from newest) as oldest,
  count(*)::int as requests, ${ofClass(2)} as succeeded, ${ofClass(3)} as redirected, ${ofClass(4)} as "clientErrors", ${ofClass(5)} as "serverErrors"
from newest group by 1 order by 1`,
)
