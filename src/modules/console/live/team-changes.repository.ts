// Whether something of teams has changed; in SQL, because each question is about all teams that are watched at once. Nothing is written for it: the counts
// of emails, the audit log and the request log tell, and the versions of the newest rows (`xmin`: the transaction that wrote a row last).
import { type Database, statement } from '../../../db/database.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'
import { idBoundOfAny } from '../../../lib/ids.ts'
import { COUNTERS, type Counter } from '../../metrics/email-metrics.ts'

/** A version of something of a team. What has another version than before has changed. */
export type TeamVersion = { teamId: string; what: string; version: string }

/** What was written within some seconds, by what it was: before a look, and until the next. */
export type TeamWrites = { teamId: string; what: string; before: number; now: number }

/** Buckets have a quarter of an hour. What happened is counted where its time lies, which may have just ended. */
const COUNTED_MS = 30 * MINUTE_MS

export function teamChangeRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Versions of what became of emails, and of the newest records. */
    async versionsAcrossTeams(teamIds: readonly string[], now: Date): Promise<TeamVersion[]> {
      const [counted, newest] = await Promise.all([
        execute<TeamVersion>(COUNTED, [teamIds, new Date(now.getTime() - COUNTED_MS)]),
        execute<TeamVersion>(NEWEST, [teamIds]),
      ])
      return [...counted, ...newest]
    },

    /** What was written since two instants, of which the earlier is that of the look before. Ids do not have the order of commits, so windows overlap. */
    writesAcrossTeams(teamIds: readonly string[], { before, now }: { before: Date; now: Date }): Promise<TeamWrites[]> {
      return execute<TeamWrites>(WRITTEN, [teamIds, idBoundOfAny(before.getTime()), idBoundOfAny(now.getTime())])
    },
  }
}

/** The counters whose rise changes what a section shows. */
const COUNTERS_OF_SECTIONS = {
  emails: COUNTERS.filter((counter) => counter !== 'unsubscribed'),
  broadcasts: COUNTERS,
  suppressions: ['bounced_transient', 'bounced_permanent', 'bounced_undetermined', 'complained'],
  contacts: ['unsubscribed'],
} satisfies Record<string, readonly Counter[]>

const OF_BROADCASTS = "broadcast_id <> '00000000-0000-0000-0000-000000000000'"
const kindsOf = (shown: (counters: readonly Counter[]) => string): string =>
  Object.entries(COUNTERS_OF_SECTIONS)
    .map(
      ([section, counters]) =>
        `('${section}', ${section === 'broadcasts' ? `case when ${OF_BROADCASTS} then ${shown(counters)} end` : shown(counters)})`,
    )
    .join(', ')

// Counts only rise within a bucket, in the transactions of what they count.
const COUNTED = statement(
  'live: counts of emails',
  `
select team_id as "teamId", section || ' ' || extract(epoch from bucket)::bigint as what, sum(count)::text as version
from (
  select team_id, bucket, k.section, k.count
  from email_counts cross join lateral (values ${kindsOf((counters) => counters.join(' + '))}) as k (section, count)
  where team_id = any($1::uuid[]) and bucket >= $2
  union all
  select team_id, bucket, k.section, count
  from email_count_changes cross join lateral (values ${kindsOf((counters) => `metric in (${counters.map((counter) => `'${counter}'`).join(', ')})`)}) as k (section, is_counted)
  where team_id = any($1::uuid[]) and bucket >= $2 and k.is_counted
) as counts
group by team_id, section, bucket
having sum(count) > 0`,
)

/** Rows of a kind that are looked at: what workers change is among the newest. Programs and people change others too, which the logs tell. */
const NEWEST_MAX = 20

const newestOf = (table: string): string =>
  `select md5(string_agg(r.version, ' ' order by r.id)) from (select id, xmin::text as version from ${table} where team_id = t.team_id order by id desc limit ${NEWEST_MAX}) r`

const NEWEST_TABLES: Readonly<Record<string, string>> = {
  contacts: newestOf('contacts'),
  'contacts jobs': newestOf('contact_jobs'),
  'contact-imports': newestOf('contact_imports'),
  broadcasts: newestOf('broadcasts'),
  domains: newestOf('domains'),
  'received-emails': newestOf('received_emails'),
  segments: newestOf('segments'),
  automations: newestOf('automations'),
  'automations runs': `select md5(string_agg(r.version, ' ' order by r.id)) from (
    select n.id, n.version from (select id from automations where team_id = t.team_id order by id desc limit ${NEWEST_MAX}) a
    cross join lateral (select id, xmin::text as version from automation_runs where automation_id = a.id order by id desc limit 1) n) r`,
  webhooks: newestOf('webhooks'),
}

const NEWEST = statement(
  'live: newest records',
  `
select t.team_id as "teamId", n.what, coalesce(n.version, '') as version
from unnest($1::uuid[]) as t (team_id) cross join lateral (
  ${Object.entries(NEWEST_TABLES)
    .map(([what, newest]) => `select '${what}' as what, (${newest}) as version`)
    .join('\n  union all ')}
) as n`,
)

/** `act`: an audited act, by its name; `request`: one that changed something, by its path without ids and addresses; `read`: any other. */
const WRITTEN = statement(
  'live: what was written',
  `
select t.team_id as "teamId", w.what, (count(*) filter (where w.id > $2::uuid))::integer as before, (count(*) filter (where w.id > $3::uuid))::integer as now
from unnest($1::uuid[]) as t (team_id) cross join lateral (
  select a.id, 'act ' || a.act as what from audit_log a where a.team_id = t.team_id and a.id > least($2::uuid, $3::uuid)
  union all
  select l.id, case when l.method in ('GET', 'HEAD') or l.response_status >= 400 then 'read' else
    'request ' || regexp_replace(l.endpoint, '[^/]*[0-9@%][^/]*', '', 'g') end
  from request_logs l where l.team_id = t.team_id and l.id > least($2::uuid, $3::uuid)
) as w
group by t.team_id, w.what`,
)
