// What a team has accepted, as it is stored; in SQL, because it counts addresses.
import type { Database } from '../../db/database.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'

/** Emails of one statement, so that none runs into the time limit of statements, however many a team sends in a month. */
const EMAILS_COUNTED_AT_ONCE = 10_000
/** Longer than from the id of an email to its acceptance. */
const IDS_BEFORE_MS = HOUR_MS

type Counted = { emails: number; last: string | null; addresses: number }

export function acceptedEmailRepository(
  { transaction }: Pick<Database, 'transaction'>,
  { simulatorDomains }: { simulatorDomains: readonly string[] },
) {
  return {
    /**
     * Addresses to which emails were accepted since then, as limits count them: whether they were sent yet or not, without canceled emails and addresses of
     * the simulator. Emails of a broadcast that has reserved for all of them are left out.
     */
    async countSince(teamId: string, since: Date): Promise<number> {
      let sum = 0
      for (let after = idBound(Math.max(0, since.getTime() - IDS_BEFORE_MS)); ; ) {
        const values = [teamId, after, since, simulatorDomains, EMAILS_COUNTED_AT_ONCE]
        const [row] = await transaction((inside) => inside<Counted>(COUNT, values), { plans: 'by index' })
        sum += row?.addresses ?? 0
        if (!row?.last || row.emails < EMAILS_COUNTED_AT_ONCE) return sum
        after = row.last
      }
    },
  }
}

const COUNT = `
with chosen as materialized (
  select id, created_at, state, broadcast_id from emails where team_id = $1 and id > $2::uuid order by id limit $5
)
select (select count(*)::int from chosen) as emails, (select id from chosen order by id desc limit 1) as last,
  (select count(*)::int from chosen e join recipients r on r.email_id = e.id
    where e.created_at >= $3 and e.state <> 'canceled' and substring(r.address from '[^@]*$') <> all($4::text[])
      and not exists (select from quota_reservations q where q.broadcast_id = e.broadcast_id)) as addresses`
