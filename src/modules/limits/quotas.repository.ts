// How many addresses teams with a limit have accepted in a day and a month; in SQL, because a process reserves some of them outside the accepting commits, which only
// note what they used: a reservation that was called in meanwhile fails them, so never more than the limit is accepted.
import { type Database, type Execute, statement } from '../../db/database.ts'
import { addJob, type JobPayload, TELL_OF_QUOTA } from '../../db/jobs/jobs.ts'
import { append } from '../../db/outbox.ts'
import { againAfterDeadlock } from '../../db/transactions.ts'
import { type Clock, DAY_MS } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import { readLimits } from './limits.repository.ts'
import { QUOTA_PERIODS, type QuotaPeriod, WARNING_PERCENTS } from './limits.schema.ts'
import { blockSize, countedAddresses, dayOf, type Exceeded, periodEnd, periodStart } from './quota-periods.ts'

/** A team has used so much of a limit: once in each period. */
type QuotaNotice = JobPayload<typeof TELL_OF_QUOTA>

export type Reserved =
  | { kind: 'unlimited' }
  /** Others have just reserved what is left, and are accepting it. */
  | { kind: 'busy' }
  | { kind: 'exceeded'; exceeded: Exceeded }
  | { kind: 'reserved'; id: string; count: number }

/** `recipients`: of a broadcast, with those that do not count. */
type Owner = { processId: string } | { broadcastId: string; recipients: number }

type PeriodRow = { period: QuotaPeriod; startsOn: string; reserved: number; warnedPercent: number }
type Period = PeriodRow & { limit: number }

/** What is left of a limit in its period now. */
export type QuotaLeft = { period: QuotaPeriod; limit: number; used: number; left: number }

/** So long, a process may accept what it has reserved before others call it in. */
const BUSY_MS = 1_000

/** How long a period is kept after it began. */
const PERIODS_KEPT_MS = 400 * DAY_MS
const PERIODS_REMOVED_AT_ONCE = 1_000

export function quotaRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /**
     * Reserves at least `count` addresses in the day and the month of `at`. Before it refuses them, it calls in what processes have
     * reserved and not used.
     *
     * @param before what this process has reserved before, and gives back: nothing is being accepted of it
     */
    reserve(teamId: string, { owner, count, at, before }: { owner: Owner; count: number; at: Date; before: string[] }): Promise<Reserved> {
      const day = dayOf(at)
      return againAfterDeadlock(() =>
        transaction(async (inside): Promise<Reserved> => {
          let periods = await lockPeriods(inside, teamId, day)
          if (before.length > 0) await reclaim(inside, teamId, before)
          if (periods.length === 0) return { kind: 'unlimited' }
          if (before.length > 0) periods = await lockPeriods(inside, teamId, day)
          if (leftOf(periods) < count) {
            // Two processes that called in each other's reservations at once would both accept nothing.
            if ((await inside(BUSY, [teamId, BUSY_MS])).length > 0) return { kind: 'busy' }
            await reclaim(inside, teamId, null)
            periods = await lockPeriods(inside, teamId, day)
          }
          const exceeded = firstExceeded(periods, count)
          if (exceeded) {
            await warn(inside, teamId, { periods, day, at })
            return { kind: 'exceeded', exceeded }
          }
          const size = sizeOf(periods, count, owner)
          const id = createId(clock)
          await inside(RESERVE, [teamId, day, size])
          const { processId, broadcastId, recipients } = { processId: null, broadcastId: null, recipients: null, ...owner }
          await inside(STORE_RESERVATION, [id, teamId, day, processId, broadcastId, size, recipients])
          const reserved = periods.map((period) => ({ ...period, reserved: period.reserved + size }))
          await warn(inside, teamId, { periods: reserved, day, at })
          return { kind: 'reserved', id, count: size }
        }),
      )
    },

    /** What is left now, including what processes have reserved and not used; empty without a limit. */
    async left(teamId: string, at: Date): Promise<QuotaLeft[]> {
      const day = dayOf(at)
      const limits = await readLimits(execute, teamId)
      const rows = await execute<{ period: QuotaPeriod; used: number }>(USED, [teamId, periodStart('day', day), periodStart('month', day)])
      return QUOTA_PERIODS.flatMap((period) => {
        const limit = limits[`emails_per_${period}`]
        if (limit === null) return []
        const used = rows.find((row) => row.period === period)?.used ?? 0
        return [{ period, limit, used, left: Math.max(0, limit - used) }]
      })
    },

    /** The reservation of a broadcast; null if it has none. */
    async ofBroadcast(teamId: string, broadcastId: string): Promise<{ count: number; recipients: number } | null> {
      const [row] = await execute<{ count: number; recipients: number }>(
        'select count, recipients from quota_reservations where team_id = $1 and broadcast_id = $2',
        [teamId, broadcastId],
      )
      return row ?? null
    },

    /** A broadcast makes no more emails: what it has not `used` of its reservation returns. Nothing happens if it has none. */
    async endBroadcast(teamId: string, broadcastId: string, countUsed: () => Promise<number>): Promise<void> {
      const [found] = await execute('select from quota_reservations where team_id = $1 and broadcast_id = $2', [teamId, broadcastId])
      if (!found) return
      const used = await countUsed()
      await againAfterDeadlock(() =>
        transaction(async (inside) => {
          const [row] = await inside<{ day: string; count: number }>(
            `delete from quota_reservations where team_id = $1 and broadcast_id = $2 returning day::text as day, count`,
            [teamId, broadcastId],
          )
          if (row && row.count > used) await releaseRoom(inside, teamId, { day: row.day, count: row.count - used })
        }),
      )
    },

    /** Processes that reserved something, and have ended. */
    async goneAcrossTeams(): Promise<{ teamId: string; ids: string[] }[]> {
      return execute<{ teamId: string; ids: string[] }>(GONE)
    },

    /** Gives back what was reserved and not used. What is accepted of it from now on fails. */
    async release(teamId: string, ids: string[]): Promise<void> {
      if (ids.length > 0) await againAfterDeadlock(() => transaction((inside) => reclaim(inside, teamId, ids)))
    },

    /** Periods that no one looks at any longer: how many were removed. */
    async removeOldAcrossTeams(now: Date): Promise<number> {
      const before = dayOf(new Date(now.getTime() - PERIODS_KEPT_MS))
      return (await execute(REMOVE_OLD, [before, PERIODS_REMOVED_AT_ONCE])).length
    },
  }
}

/** The smaller of what the day and the month have left. */
const leftOf = (periods: Period[]): number => Math.min(...periods.map(({ limit, reserved }) => limit - reserved))

/** A broadcast reserves what it needs. */
const sizeOf = (periods: Period[], count: number, owner: Owner): number =>
  'processId' in owner ? blockSize(leftOf(periods), count) : count

/** A month's end is later than a day's. */
function firstExceeded(periods: Period[], count: number): Exceeded | null {
  const found = periods.toSorted((a) => (a.period === 'month' ? -1 : 1)).find(({ limit, reserved }) => limit - reserved < count)
  return found ? { period: found.period, limit: found.limit, left: Math.max(0, found.limit - found.reserved) } : null
}

/** The periods of this day that have a limit, locked: the earliest first, as everywhere. */
async function lockPeriods(inside: Execute, teamId: string, day: string): Promise<Period[]> {
  const limits = await readLimits(inside, teamId)
  const limited = QUOTA_PERIODS.filter((period) => limits[`emails_per_${period}`] !== null)
  if (limited.length === 0) return []
  const starts = limited.map((period) => periodStart(period, day))
  await inside(MAKE_PERIODS, [teamId, limited, starts])
  const rows = await inside<PeriodRow>(LOCK_PERIODS, [teamId, limited, starts])
  return rows.map((row) => ({ ...row, limit: limits[`emails_per_${row.period}`] ?? 0 }))
}

/** @param ids null: all that processes have reserved. They wait for the commits that use them, and are used by no later one. */
async function reclaim(inside: Execute, teamId: string, ids: string[] | null): Promise<void> {
  const called = await inside<{ id: string; day: string; count: number }>(LOCK_RESERVATIONS, [teamId, ids])
  if (called.length === 0) return
  // A new statement, which sees what was committed until the lock was there.
  const used = await inside<{ id: string; count: number }>(REMOVE_USES, [called.map(({ id }) => id)])
  await inside('delete from quota_reservations where id = any($1::uuid[])', [called.map(({ id }) => id)])
  for (const [day, ofDay] of Map.groupBy(called, (reservation) => reservation.day)) {
    const ofThis = new Set(ofDay.map(({ id }) => id))
    const reserved = ofDay.reduce((sum, { count }) => sum + count, 0)
    const accepted = used.reduce((sum, { id, count }) => sum + (ofThis.has(id) ? count : 0), 0)
    if (reserved > accepted) await releaseRoom(inside, teamId, { day, count: reserved - accepted })
  }
}

async function releaseRoom(inside: Execute, teamId: string, { day, count }: { day: string; count: number }): Promise<void> {
  const starts = QUOTA_PERIODS.map((period) => periodStart(period, day))
  await inside(LOCK_PERIODS, [teamId, QUOTA_PERIODS, starts])
  await inside(RETURN, [teamId, QUOTA_PERIODS, starts, count])
}

/** Tells of what is used by now, unless that was told before in the period: the event for webhooks, and the mail to the owners. */
async function warn(inside: Execute, teamId: string, { periods, day, at }: { periods: Period[]; day: string; at: Date }): Promise<void> {
  const notices = periods.flatMap(({ period, limit, reserved, warnedPercent }) =>
    WARNING_PERCENTS.filter((percent) => limit > 0 && percent > warnedPercent && reserved * 100 >= limit * percent).map(
      (percent): QuotaNotice => ({ teamId, period, limit, percent, resetsAt: periodEnd(period, day).toISOString() }),
    ),
  )
  for (const { period, percent } of notices)
    await inside('update quota_periods set warned_percent = $4 where team_id = $1 and period = $2 and starts_on = $3::date', [
      teamId,
      period,
      periodStart(period, day),
      percent,
    ])
  const told = notices.map(({ period, limit, percent, resetsAt }) => ({
    id: createId(),
    teamId,
    subjectId: teamId,
    type: percent === 100 ? ('quota.reached' as const) : ('quota.warning' as const),
    data: { limit_name: `emails_per_${period}` as const, limit, percent, resets_at: resetsAt },
  }))
  await append(inside, told, at)
  for (const notice of notices) await addJob(inside, TELL_OF_QUOTA, notice)
}

/** An email that was canceled before it was sent. */
export type CanceledEmail = { teamId: string; acceptedAt: Date; to: string[] }

/** Returns the addresses of canceled emails to the periods in which they were accepted, in the transaction that cancels. Does nothing for teams without a limit. */
export async function returnCanceledAcrossTeams(
  inside: Execute,
  emails: CanceledEmail[],
  simulatorDomains: readonly string[],
): Promise<void> {
  const returned = emails
    .map(({ teamId, acceptedAt, to }) => ({ teamId, acceptedAt, count: countedAddresses(to, simulatorDomains) }))
    .filter(({ count }) => count > 0)
  for (const [teamId, ofTeam] of Map.groupBy(returned, (email) => email.teamId)) {
    const days = ofTeam.map(({ acceptedAt }) => dayOf(acceptedAt))
    const starts = days.flatMap((day) => QUOTA_PERIODS.map((period) => periodStart(period, day)))
    const known = await inside(LOCK_PERIODS, [teamId, days.flatMap(() => [...QUOTA_PERIODS]), starts])
    if (known.length === 0) continue
    await inside(RETURN_CANCELED, [teamId, ofTeam.map(({ acceptedAt }) => acceptedAt), ofTeam.map(({ count }) => count)])
  }
}

const MAKE_PERIODS = statement(
  'make quota periods',
  `
insert into quota_periods (team_id, period, starts_on, counted_from)
select $1, period, starts_on::date, starts_on::timestamp at time zone 'UTC' from unnest($2::text[], $3::text[]) as p(period, starts_on)
on conflict do nothing`,
)

const LOCK_PERIODS = statement(
  'lock quota periods',
  `
select period, starts_on::text as "startsOn", reserved, warned_percent as "warnedPercent" from quota_periods
where team_id = $1 and (period, starts_on) in (select period, starts_on::date from unnest($2::text[], $3::text[]) as p(period, starts_on))
order by starts_on, period for update`,
)

const IS_OF_DAY = (day: string): string =>
  `(period = 'day' and starts_on = ${day} or period = 'month' and starts_on = date_trunc('month', ${day}::timestamp)::date)`

const RESERVE = statement(
  'reserve quota',
  `update quota_periods set reserved = reserved + $3::int where team_id = $1 and ${IS_OF_DAY('$2::date')}`,
)

const STORE_RESERVATION = statement(
  'store quota reservation',
  'insert into quota_reservations (id, team_id, day, process_id, broadcast_id, count, recipients) values ($1, $2, $3::date, $4, $5, $6, $7)',
)

const LOCK_RESERVATIONS = statement(
  'lock quota reservations',
  `
select id, day::text as day, count from quota_reservations
where team_id = $1 and process_id is not null and ($2::uuid[] is null or id = any($2::uuid[])) order by id for update`,
)

const BUSY = statement(
  'busy quota reservations',
  `
select from quota_reservations r where team_id = $1 and process_id is not null and reserved_at > clock_timestamp() - $2::int * interval '1 millisecond'
  and count > coalesce((select sum(u.count) from quota_uses u where u.reservation_id = r.id), 0) limit 1`,
)

const REMOVE_USES = statement(
  'remove quota uses',
  `
with removed as (delete from quota_uses where reservation_id = any($1::uuid[]) returning reservation_id, count)
select reservation_id as id, sum(count)::int as count from removed group by 1`,
)

const RETURN = statement(
  'return quota',
  `
update quota_periods set reserved = greatest(0, reserved - $4::int)
where team_id = $1 and (period, starts_on) in (select period, starts_on::date from unnest($2::text[], $3::text[]) as p(period, starts_on))`,
)

const RETURN_CANCELED = `
update quota_periods p set reserved = greatest(0, p.reserved - r.count) from (
  select known.period, known.starts_on, sum(e.count)::int as count
    from unnest($2::timestamptz[], $3::int[]) as e(accepted_at, count), quota_periods known
   where known.team_id = $1 and e.accepted_at >= known.counted_from
     and known.starts_on = date_trunc(known.period, e.accepted_at at time zone 'UTC')::date
   group by 1, 2
) r where p.team_id = $1 and p.period = r.period and p.starts_on = r.starts_on`

/** Reserved by processes and not used. Broadcasts count whole. */
const USED = `
select p.period, greatest(0, p.reserved - coalesce((
  select sum(r.count - coalesce((select sum(u.count) from quota_uses u where u.reservation_id = r.id), 0))
    from quota_reservations r where r.team_id = $1 and r.process_id is not null and date_trunc(p.period, r.day::timestamp)::date = p.starts_on
), 0))::int as used
from quota_periods p where p.team_id = $1 and (p.period = 'day' and p.starts_on = $2::date or p.period = 'month' and p.starts_on = $3::date)`

const GONE = `
select team_id as "teamId", array_agg(id) as ids from quota_reservations r
where process_id is not null and not exists (select from service_processes p where p.id = r.process_id) group by 1 limit 100`

const REMOVE_OLD = `
delete from quota_periods where ctid = any(array(select ctid from quota_periods where starts_on < $1::date limit $2)) returning 1`
