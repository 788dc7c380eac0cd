// What all teams send, by the quarter of an hour; in SQL, because it adds up the counts of all teams.
import { type Database, statement } from '../../db/database.ts'

export type ThroughputRow = { start: Date; received: number; sent: number; delivered: number; bounced: number; delayed: number }

export function throughputRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Quarters of an hour in which something happened, in order. For operators. */
    listAcrossTeams: (since: Date): Promise<ThroughputRow[]> => execute<ThroughputRow>(THROUGHPUT, [since]),
  }
}

const BOUNCED = ['bounced_transient', 'bounced_permanent', 'bounced_undetermined']
const bouncedIn = BOUNCED.map((metric) => `'${metric}'`).join(', ')

// Workers add the changes up within a second or two.
const THROUGHPUT = statement(
  'throughput of all teams',
  `
select bucket as start, sum(received)::int as received, sum(sent)::int as sent, sum(delivered)::int as delivered, sum(bounced)::int as bounced,
  sum(delayed)::int as delayed
from (
  select bucket, received, sent, delivered, ${BOUNCED.join(' + ')} as bounced, delivery_delayed as delayed from email_counts where bucket >= $1
  union all
  select bucket, case metric when 'received' then count else 0 end, case metric when 'sent' then count else 0 end,
    case metric when 'delivered' then count else 0 end, case when metric in (${bouncedIn}) then count else 0 end,
    case metric when 'delivery_delayed' then count else 0 end
  from email_count_changes where bucket >= $1
) counted group by 1 order by 1`,
)
