// What became of emails, as the counters of the guard and the metrics have it.
import { LOWEST_ID } from '../../../src/lib/ids.ts'
import type { TestService } from '../servers/service.ts'

export type Counted = {
  sent?: number
  bounced?: number
  unknown?: number
  trapped?: number
  complained?: number
  transient?: number
  simulated?: number
}

/** The names of the counters, with those that go with each. */
const METRICS: Record<keyof Counted, string[]> = {
  sent: ['sent'],
  bounced: ['bounced_permanent'],
  unknown: ['bounced_unknown_user'],
  trapped: ['bounced_spam_trap'],
  complained: ['complained'],
  transient: ['bounced_transient'],
  simulated: ['sent', 'sent_simulated', 'bounced_permanent', 'bounced_simulated', 'complained', 'complained_simulated'],
}

/** Counts outcomes as they are counted now, as the trigger of the database does. */
export async function countOutcomes(
  service: TestService,
  teamId: string,
  { counts, domain = 'shop.example', at }: { counts: Counted; domain?: string; at: Date },
): Promise<void> {
  const rows = Object.entries(counts).flatMap(([name, count]) =>
    METRICS[name as keyof Counted].map((metric) => ({ teamId, domain, metric, count })),
  )
  await service.database.execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select "teamId", email_count_bucket($2), domain, '${LOWEST_ID}', metric, count
     from jsonb_to_recordset($1::jsonb) as r("teamId" uuid, domain text, metric text, count int) where count > 0`,
    [JSON.stringify(rows), at],
  )
}
