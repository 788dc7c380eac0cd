// How requests to an endpoint ended, by the hour; in SQL, because rows are counted. Only the newest are read.
import { type Database, statement } from '../../../db/database.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { idBound } from '../../../lib/ids.ts'

/** The attempts of one webhook that are counted. */
export const WEBHOOK_ATTEMPTS_COUNTED_MAX = 10_000

/** A message is retried for 27 hours, so its attempts may be that much later than its id. */
const RETRIED_MS = 2 * DAY_MS

export type WebhookPeriodRow = {
  start: Date
  success: number
  failure: number
  unknown: number
  medianMs: number | null
  slowMs: number | null
}

export type WebhookCounts = { rows: WebhookPeriodRow[]; isComplete: boolean }

export function webhookMetricRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    async count(teamId: string, webhookId: string, { since, stepMs }: { since: Date; stepMs: number }): Promise<WebhookCounts> {
      const values = [teamId, webhookId, idBound(Math.max(0, since.getTime() - RETRIED_MS)), since, `${stepMs} milliseconds`]
      const rows = await transaction((inside) => inside<WebhookPeriodRow & { read: number }>(COUNT, values), { plans: 'by index' })
      return { rows, isComplete: (rows[0]?.read ?? 0) <= WEBHOOK_ATTEMPTS_COUNTED_MAX }
    },
  }
}

const COUNT = statement(
  'attempts of a webhook by periods',
  `
with newest as materialized (
  select started_at, outcome, duration_ms from webhook_attempts
   where webhook_id = $2 and message_id >= $3::uuid and team_id = $1 order by message_id desc limit ${WEBHOOK_ATTEMPTS_COUNTED_MAX + 1}
)
select date_bin($5::interval, started_at, '2000-01-01Z') as start, (select count(*) from newest)::int as read,
  count(*) filter (where outcome = 'success')::int as success, count(*) filter (where outcome = 'failure')::int as failure,
  count(*) filter (where outcome = 'unknown')::int as unknown,
  (percentile_disc(0.5) within group (order by duration_ms))::int as "medianMs",
  (percentile_disc(0.95) within group (order by duration_ms))::int as "slowMs"
from newest where started_at >= $4 and outcome is not null group by 1 order by 1`,
)
