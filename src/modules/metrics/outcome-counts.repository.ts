// What became of the mail of teams in the last day and the last week, by the domain of the sender, as the guard of reputations judges it; in SQL, because
// it adds up what was counted by quarters of an hour.
import type { Database, Execute } from '../../db/database.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { OutcomePeriod } from '../limits/reputation.schema.ts'
import { type CountedPeriod, NO_OUTCOMES, type Outcomes } from '../limits/reputation-evaluation.ts'
import { BUCKET_MS, bucketOf } from './email-metrics.ts'

/** A team with more domains is judged by those with the most mail. */
const DOMAINS_MAX = 1_000

/** `countedFrom`: what happened before does not count; null: everything does. */
export type CountedTeam = { teamId: string; countedFrom: Date | null }

export function outcomeCountRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Counts the whole team first, then each of its domains. */
    async of(teamId: string, { countedFrom, now }: { countedFrom: Date | null; now: Date }): Promise<CountedPeriod[]> {
      const found = await transaction((inside) => countOutcomes(inside, [{ teamId, countedFrom }], now), { plans: 'by index' })
      return found.get(teamId) ?? []
    },
  }
}

/** Some teams with new bounces or complaints, which are then no longer new. Those that another process takes at the moment are left to it. */
export async function takeTeamsWithOutcomes(execute: Execute, max: number): Promise<string[]> {
  return (await execute<{ teamId: string }>(TAKE, [max])).map(({ teamId }) => teamId)
}

const TAKE = `
delete from outcome_changes where team_id = any(array(select team_id from outcome_changes order by team_id limit $1 for update skip locked))
returning team_id as "teamId"`

type Row = { teamId: string; domain: string } & Record<OutcomePeriod, Outcomes>

/** For each team the day and the week of all its mail, and then those of its domains. */
export async function countOutcomes(execute: Execute, teams: readonly CountedTeam[], now: Date): Promise<Map<string, CountedPeriod[]>> {
  const rows = await execute<Row>(COUNT, [
    teams.map(({ teamId }) => teamId),
    teams.map(({ countedFrom }) => (countedFrom === null ? null : new Date(bucketOf(countedFrom.getTime()) + BUCKET_MS))),
    new Date(bucketOf(now.getTime() - 7 * DAY_MS)),
    new Date(bucketOf(now.getTime() - DAY_MS)),
    now,
  ])
  const byTeam = Map.groupBy(rows, ({ teamId }) => teamId)
  return new Map(teams.map(({ teamId }) => [teamId, periodsOf(byTeam.get(teamId) ?? [])]))
}

function periodsOf(rows: Row[]): CountedPeriod[] {
  const total = (period: OutcomePeriod): Outcomes => rows.reduce((sum, row) => added(sum, row[period]), NO_OUTCOMES)
  const busiest = rows.toSorted((a, b) => b.week.sent - a.week.sent).slice(0, DOMAINS_MAX)
  return [
    { period: 'day', domain: null, outcomes: total('day') },
    { period: 'week', domain: null, outcomes: total('week') },
    ...busiest.flatMap(({ domain, day, week }): CountedPeriod[] => [
      { period: 'day', domain, outcomes: day },
      { period: 'week', domain, outcomes: week },
    ]),
  ]
}

const added = (a: Outcomes, b: Outcomes): Outcomes => ({
  sent: a.sent + b.sent,
  bounced: a.bounced + b.bounced,
  complained: a.complained + b.complained,
  unknownUsers: a.unknownUsers + b.unknownUsers,
  spamTraps: a.spamTraps + b.spamTraps,
})

const COLUMNS: Record<keyof Outcomes, string> = {
  sent: 'sent - sent_simulated',
  bounced: 'bounced_permanent + bounced_undetermined - bounced_simulated',
  complained: 'complained - complained_simulated',
  unknownUsers: 'bounced_unknown_user',
  spamTraps: 'bounced_spam_trap',
}

const outcomesSince = (since: string): string =>
  `json_build_object(${Object.entries(COLUMNS)
    .map(([name, sum]) => `'${name}', coalesce(sum(${sum}) filter (where bucket >= ${since}), 0)`)
    .join(', ')})`

const COUNT = `
select t.team_id as "teamId", c.* from unnest($1::uuid[], $2::timestamptz[]) as t(team_id, counted_from) cross join lateral (
  select domain, ${outcomesSince('$4::timestamptz')} as day, ${outcomesSince('$3::timestamptz')} as week
  from email_counts where team_id = t.team_id and bucket >= greatest($3::timestamptz, t.counted_from) and bucket <= $5::timestamptz group by domain
) c`
