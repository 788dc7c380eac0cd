// Counts the events of a day again, and compares; in SQL, because one statement sees the events and what was counted of them at one moment.
import type { Database, Execute } from '../../db/database.ts'
import { lockEmailCounts } from '../../db/transactions.ts'
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { idBound, LOWEST_ID } from '../../lib/ids.ts'
import { COUNTERS, type Counter } from './email-metrics.ts'

// Adds up what was counted in the transactions that made it happen; in SQL, because removing the changes and adding them is one statement.

/** A change is what one statement counted of one kind. */
const CHANGES_MAX = 10_000

const ROWS_REMOVED_MAX = 10_000

export type AddedCounts = {
  /** As many changes as are added up at a time: more may be left. */
  isFull: boolean
  totals: { counter: Counter; count: number }[]
}

export function countChangeRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /**
     * Takes changes away and adds them to the counts of their quarters of an hour, both in one statement: each counts once, in whatever order
     * their transactions are committed and wherever a process dies. One process does it at a time. Null if another one is doing it.
     */
    addUpAcrossTeams(): Promise<AddedCounts | null> {
      return transaction(async (inside) => {
        if (!(await lockEmailCounts(inside, { waits: false }))) return null
        const rows = await inside<{ metric: Counter | null; count: number; changes: number }>(ADD_UP, [CHANGES_MAX])
        const totals = rows.flatMap(({ metric, count }) => (metric === null ? [] : [{ counter: metric, count }]))
        return { isFull: rows.some(({ metric, changes }) => metric === null && changes === CHANGES_MAX), totals }
      })
    },

    /** Removes some of the counts of quarters of an hour before this time, but none of broadcasts. Returns how many. */
    removeBeforeAcrossTeams(before: Date): Promise<number> {
      return transaction(async (inside) => (await inside(REMOVE, [before, ROWS_REMOVED_MAX])).length)
    },
  }
}

const columns = COUNTERS.join(', ')

/** @internal for tests: its plan. */
export const ADD_UP = `
with taken as (
  delete from email_count_changes where id = any(array(select id from email_count_changes order by id limit $1))
  returning team_id, bucket, domain, broadcast_id, metric, count
), added as (
  insert into email_counts as c (team_id, bucket, domain, broadcast_id, ${columns})
  select team_id, bucket, domain, broadcast_id, ${COUNTERS.map((name) => `coalesce(sum(count) filter (where metric = '${name}'), 0)`).join(', ')}
  from taken group by 1, 2, 3, 4
  on conflict (team_id, bucket, domain, broadcast_id) do update set ${COUNTERS.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}
), judged as (
  insert into outcome_changes (team_id)
  select distinct team_id from taken where metric in ('bounced_permanent', 'bounced_undetermined', 'complained') order by team_id on conflict do nothing
)
select metric, sum(count)::float8 as count, count(*)::float8 as changes from taken group by rollup (metric)`

const REMOVE = `
delete from email_counts where ctid = any(array(
  select ctid from email_counts where bucket < $1 and broadcast_id = '${LOWEST_ID}' limit $2
)) returning 1`

export type Recount = {
  /** For each metric that differs: what had been counted, and what the events say. */
  differences: { counter: Counter; counted: number; recounted: number }[]
  /** Events whose email was removed: no one knows the domain that they were counted for. */
  eventsWithoutEmail: number
}

/** A day in several statements, because each has half a minute. */
const SLICE_MS = 3 * HOUR_MS

export function recountRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  async function compare(inside: Execute, values: unknown[]): Promise<Recount> {
    const rows = await inside<{ metric: Counter; counted: number; recounted: number }>(COMPARE, values)
    const [lost] = await inside<{ count: number }>(WITHOUT_EMAIL, values)
    return {
      differences: rows.map(({ metric, ...counts }) => ({ counter: metric, ...counts })),
      eventsWithoutEmail: lost?.count ?? 0,
    }
  }

  return {
    /** Nothing has to stand still for it: an event and what was counted of it are committed together. */
    compareDayAcrossTeams: (day: Date): Promise<Recount> => eachSlice(day, (values) => compare(execute, values)),

    /** Compares, and replaces the counts by what the events say. Slices with events without an email are left as they are. */
    correctDayAcrossTeams: (day: Date): Promise<Recount> =>
      eachSlice(day, (values) =>
        transaction(async (inside) => {
          await lockEmailCounts(inside, { waits: true })
          const recount = await compare(inside, values)
          if (recount.differences.length > 0 && recount.eventsWithoutEmail === 0) await inside(CORRECT, values)
          return recount
        }),
      ),
  }
}

async function eachSlice(day: Date, recount: (values: unknown[]) => Promise<Recount>): Promise<Recount> {
  const all: Recount = { differences: [], eventsWithoutEmail: 0 }
  for (let ms = day.getTime(); ms < day.getTime() + DAY_MS; ms += SLICE_MS) {
    const { differences, eventsWithoutEmail } = await recount([new Date(ms), new Date(ms + SLICE_MS), ...idsAround(ms)])
    all.differences.push(...differences)
    all.eventsWithoutEmail += eventsWithoutEmail
  }
  return { ...all, differences: summed(all.differences) }
}

/** An id is made when something happened. It may be recorded later, if the database could not be reached meanwhile. */
const idsAround = (ms: number): string[] => [idBound(Math.max(0, ms - DAY_MS)), idBound(ms + SLICE_MS + DAY_MS)]

function summed(differences: Recount['differences']): Recount['differences'] {
  return COUNTERS.flatMap((counter) => {
    const parts = differences.filter((one) => one.counter === counter)
    const sum = (of: 'counted' | 'recounted') => parts.reduce((total, part) => total + part[of], 0)
    return parts.length > 0 ? [{ counter, counted: sum('counted'), recounted: sum('recounted') }] : []
  })
}

const IN_SLICE = (time: string) => `${time} >= $1::timestamptz and ${time} < $2::timestamptz`
const IDS = (id: string) => `${id} >= $3::uuid and ${id} < $4::uuid`

const EVENTS = `
happened as (
  select n.team_id, email_count_bucket(n.created_at) as bucket, coalesce(e.from_domain, '') as domain, coalesce(e.broadcast_id, '${LOWEST_ID}') as broadcast_id,
    metric, count(*) as count
  from notifications n left join emails e on e.id = n.subject_id, unnest(email_count_metrics(n.type, n.data)) as metric
  where ${IDS('n.id')} and ${IN_SLICE('n.created_at')} and n.type like 'email.%'
  group by 1, 2, 3, 4, 5
  union all
  select team_id, email_count_bucket(created_at), from_domain, coalesce(broadcast_id, '${LOWEST_ID}'), 'received', count(*)
  from emails where ${IDS('id')} and ${IN_SLICE('created_at')} group by 1, 2, 3, 4
)`

const counters = COUNTERS.map((name) => `('${name}', c.${name})`).join(', ')

const COMPARE = `
with ${EVENTS}, known as (
  select team_id, bucket, domain, broadcast_id, metric, count
  from email_counts c cross join lateral (values ${counters}) as v(metric, count) where ${IN_SLICE('bucket')}
  union all
  select team_id, bucket, domain, broadcast_id, metric, count from email_count_changes where ${IN_SLICE('bucket')}
), compared as (
  select metric, sum(counted) as counted, sum(recounted) as recounted from (
    select *, count as recounted, 0 as counted from happened
    union all
    select *, 0, count from known
  ) as either group by team_id, bucket, domain, broadcast_id, metric having sum(counted) <> sum(recounted)
)
select metric, sum(counted)::float8 as counted, sum(recounted)::float8 as recounted from compared group by metric`

const WITHOUT_EMAIL = `
select count(*)::float8 as count from notifications n
where ${IDS('n.id')} and ${IN_SLICE('n.created_at')} and email_count_metrics(n.type, n.data) <> '{}' and not exists (select from emails e where e.id = n.subject_id)`

const CORRECT = `
with ${EVENTS}, recounted as (
  select team_id, bucket, domain, broadcast_id, ${COUNTERS.map((name) => `coalesce(sum(count) filter (where metric = '${name}'), 0) as ${name}`).join(', ')}
  from happened group by 1, 2, 3, 4
), taken as (
  delete from email_count_changes where ${IN_SLICE('bucket')}
), removed as (
  delete from email_counts c where ${IN_SLICE('bucket')} and not exists (
    select from recounted r where (r.team_id, r.bucket, r.domain, r.broadcast_id) = (c.team_id, c.bucket, c.domain, c.broadcast_id)
  )
)
insert into email_counts (team_id, bucket, domain, broadcast_id, ${COUNTERS.join(', ')})
select team_id, bucket, domain, broadcast_id, ${COUNTERS.join(', ')} from recounted
on conflict (team_id, bucket, domain, broadcast_id) do update set ${COUNTERS.map((name) => `${name} = excluded.${name}`).join(', ')}`
