// Which addresses bounced softly so often in a row that they are suppressed; in SQL, inside the transaction of the bounce. Crosses teams: for workers.
// A delivery writes nothing for it: whether mail was delivered in between is seen from the states of its recipients.

import { type Execute, statement } from '../../db/database.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../lib/ids.ts'
import type { SoftBounceLimits } from '../suppressions/soft-bounces.ts'
import type { NewSuppression, SoftBounce } from '../suppressions/suppression-changes.repository.ts'
import { isOfTeamTo, NEWEST_OF_TEAM } from './email-searches.repository.ts'
import { markRefused } from './recipient-states.repository.ts'

/** The newest mails to an address that are looked at. Its other ones do not count. */
const MAILS_LOOKED_AT_MAX = 1_000

/** Soft bounces that a suppression names: the first of the row, and the latest. */
export const SOFT_BOUNCES_SHOWN_MAX = 50

/**
 * Notes that mail to these recipients bounced softly, and finds the addresses that did so in enough mails in a row. Inside the caller's transaction,
 * after the states of the recipients were written. Two such transactions for one address wait for each other, so that the second sees both bounces.
 */
export async function suppressedBySoftBounces(
  inside: Execute,
  recipientIds: string[],
  { limits, now }: { limits: SoftBounceLimits; now: Date },
): Promise<NewSuppression[]> {
  if (recipientIds.length === 0 || limits.bounces === 0) return []
  const marked = await inside<{ teamId: string; email: string }>(MARK, [recipientIds, now])
  if (marked.length === 0) return []
  const addresses = [marked.map(({ teamId }) => teamId), marked.map(({ email }) => email)]
  await inside(LOCK, addresses)
  const found = await inside<Found>(IN_A_ROW, [...addresses, limits.bounces, limits.days])
  await markRefused(
    inside,
    found.map(({ newestId }) => newestId),
  )
  return found.map(({ teamId, email, softBounces }) => ({
    teamId,
    email,
    origin: 'bounce',
    sourceId: softBounces.at(-1)?.email_id ?? null,
    softBounces,
  }))
}

type Found = { teamId: string; email: string; newestId: string; softBounces: SoftBounce[] }

// Only of those whose state says so: of mail that was opened, a bounce says nothing.
const MARK = statement(
  'mark soft bounces',
  `
update recipients set soft_bounced_at = $2 where id = any($1::uuid[]) and state = 'bounced' and not is_refused and soft_bounced_at is null
returning team_id as "teamId", lower(address) as email`,
)

// In one order, so that no two transactions deadlock.
const LOCK = statement(
  'lock addresses of soft bounces',
  `
select pg_advisory_xact_lock(key)::text from (
  select distinct hashtextextended('soft bounces of ' || team_id || ' ' || email, 0) as key
  from unnest($1::uuid[], $2::text[]) as a(team_id, email) order by key offset 0
) keys`,
)

/**
 * The row begins after the newest mail that was delivered, or that led to a suppression. Mail that was accepted before, such as scheduled one, may have
 * been delivered since the first bounce: then they are not in a row either.
 *
 * @internal for tests: its plan.
 */
export const IN_A_ROW = statement(
  'soft bounces in a row',
  `
with asked as materialized (
  select distinct a.team_id, a.email from unnest($1::uuid[], $2::text[]) as a(team_id, email) join teams t on t.id = a.team_id
  where t.suppresses_soft_bounces
)
select a.team_id as "teamId", a.email, r."newestId", r."softBounces" from asked a cross join lateral (
  with mails as materialized (
    select id, email_id, state, is_refused, soft_bounced_at from recipients
    where ${isOfTeamTo({ team: 'a.team_id', address: 'a.email', from: `'${LOWEST_ID}'`, before: `'${HIGHEST_ID}'` })}
    order by ${NEWEST_OF_TEAM} limit ${MAILS_LOOKED_AT_MAX}
  ), delivered as (
    select * from mails where state in ('delivered', 'opened', 'clicked', 'complained')
  ), bounced as (
    select distinct on (email_id) * from mails
    where state = 'bounced' and soft_bounced_at is not null and id > coalesce((
      select id from (select id from delivered union all select id from mails where is_refused) ended order by id desc limit 1
    ), '${LOWEST_ID}')
    order by email_id, id desc
  ), counted as (
    select *, count(*) over () as total, min(soft_bounced_at) over () as first_at, max(soft_bounced_at) over () as last_at,
      row_number() over (order by soft_bounced_at, id) as place
    from bounced
  )
  select (array_agg(id order by id desc))[1] as "newestId",
    jsonb_agg(jsonb_build_object('email_id', email_id, 'bounced_at', soft_bounced_at) order by place)
      filter (where place = 1 or place > total - ${SOFT_BOUNCES_SHOWN_MAX - 1}) as "softBounces"
  from counted where total >= $3 and last_at - first_at >= make_interval(days => $4::int) and not exists (
    select from delivered d join emails e on e.id = d.email_id and coalesce(e.final_at, 'infinity') > first_at
    join attempts a on a.email_id = d.email_id and a.recipient_id = d.id and a.outcome = 'delivered' and a.ended_at > first_at
  ) having count(*) > 0
) r`,
)
