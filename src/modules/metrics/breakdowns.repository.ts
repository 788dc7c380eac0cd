// What became of the newest emails, by the provider of the mailbox or by tags; in SQL, because rows are grouped. Neither is kept in counts: each would
// multiply their rows.
import { type Database, type Statement, statement } from '../../db/database.ts'
import { HIGHEST_ID, idBound, LOWEST_ID } from '../../lib/ids.ts'
import { providerSql } from './mailbox-providers.ts'

/** The emails that are looked at. */
export const BREAKDOWN_EMAILS_MAX = 5_000
/** Tags have values of clients. Those of most recipients are shown. */
const GROUPS_MAX = 100

export type BreakdownRow = {
  name: string
  value: string | null
  recipients: number
  sent: number
  delivered: number
  bounced: number
  complained: number
  opened: number
  clicked: number
  suppressed: number
  failed: number
}

export type BreakdownQuery = { by: 'provider' | 'tag'; since: Date | null; until: Date | null; broadcastId: string | null }

export type Breakdown = { rows: BreakdownRow[]; emails: number; isComplete: boolean }

export function breakdownRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    async count(teamId: string, { by, since, until, broadcastId }: BreakdownQuery): Promise<Breakdown> {
      const range = [since === null ? LOWEST_ID : idBound(since.getTime()), until === null ? HIGHEST_ID : idBound(until.getTime())]
      const [sql, values] = broadcastId === null ? [OF_TEAM[by], [teamId, ...range]] : [OF_BROADCAST[by], [teamId, ...range, broadcastId]]
      const rows = await transaction((inside) => inside<BreakdownRow & { emails: number }>(sql, values), { plans: 'by index' })
      const emails = rows[0]?.emails ?? 0
      return { rows, emails: Math.min(emails, BREAKDOWN_EMAILS_MAX), isComplete: emails <= BREAKDOWN_EMAILS_MAX }
    },
  }
}

/** As each state is counted: one that was opened was delivered too. */
const STATES: Record<Exclude<keyof BreakdownRow, 'name' | 'value' | 'recipients'>, readonly string[]> = {
  sent: ['sent', 'delivery_delayed', 'delivered', 'opened', 'clicked', 'complained', 'bounced'],
  delivered: ['delivered', 'opened', 'clicked', 'complained'],
  bounced: ['bounced'],
  complained: ['complained'],
  opened: ['opened', 'clicked'],
  clicked: ['clicked'],
  suppressed: ['suppressed'],
  failed: ['failed'],
}

const COUNTS = Object.entries(STATES)
  .map(([name, states]) => `count(*) filter (where state in (${states.map((state) => `'${state}'`).join(', ')}))::int as ${name}`)
  .join(', ')

const NEWEST = {
  team: `select id, tags from emails where team_id = $1 and id >= $2::uuid and id < $3::uuid order by id desc limit ${BREAKDOWN_EMAILS_MAX + 1}`,
  // A range instead of an equality, because only the index of broadcasts has that order.
  broadcast: `select id, tags from (
    select id, tags, team_id from emails where broadcast_id is not null and (broadcast_id, id) >= ($4::uuid, $2::uuid) and (broadcast_id, id) < ($4::uuid, $3::uuid)
    order by broadcast_id desc, id desc limit ${BREAKDOWN_EMAILS_MAX + 1}
  ) e where team_id = $1`,
}

const GROUPED = {
  provider: `select ${providerSql('domain')} as name, null as value, state from (
    select lower(split_part(r.address, '@', -1)) as domain, r.state from newest e cross join lateral (select address, state from recipients where email_id = e.id and team_id = $1 offset 0) r
  ) d`,
  tag: `select t.name, t.value, r.state from newest e cross join lateral jsonb_to_recordset(coalesce(e.tags, '[]')) as t(name text, value text)
    cross join lateral (select state from recipients where email_id = e.id and team_id = $1 offset 0) r`,
}

const breakdown = (of: keyof typeof NEWEST, by: keyof typeof GROUPED): Statement =>
  statement(
    `breakdown of the emails of a ${of} by ${by}`,
    `
with newest as materialized (${NEWEST[of]}), grouped as (${GROUPED[by]})
select name, value, (select count(*) from newest)::int as emails, count(*)::int as recipients, ${COUNTS}
from grouped group by 1, 2 order by recipients desc, 1, 2 limit ${GROUPS_MAX}`,
  )

const OF_TEAM = { provider: breakdown('team', 'provider'), tag: breakdown('team', 'tag') }
const OF_BROADCAST = { provider: breakdown('broadcast', 'provider'), tag: breakdown('broadcast', 'tag') }
