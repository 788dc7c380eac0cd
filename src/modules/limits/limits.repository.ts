// The limits of teams, as operators set them; in SQL, because a limit of mail that is new begins to count in the same transaction.
import { type Database, type Execute, statement } from '../../db/database.ts'
import { lockTeam } from '../../db/transactions.ts'
import { createCachedLookups } from '../../lib/cached-lookups.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { LIMIT_NAMES, NO_LIMITS, QUOTA_PERIODS, type TeamLimits } from './limits.schema.ts'
import { dayOf, periodStart } from './quota-periods.ts'

/** The longest time until every process knows of a change. */
export const LIMITS_KNOWN_WITHIN_MS = 5_000
const TEAMS_KNOWN_MAX = 10_000

const LIMITS = statement(
  'limits of a team',
  `
select ${LIMIT_NAMES.map((name) => `${name}::float8 as ${name}`).join(', ')}
from team_limits where team_id = $1`,
)

/** Reads them from the database. */
export async function readLimits(execute: Execute, teamId: string): Promise<TeamLimits> {
  const [row] = await execute<TeamLimits>(LIMITS, [teamId])
  return row ?? NO_LIMITS
}

/** How many addresses a team has accepted since then, before its limit was set. */
export type AcceptedSince = (teamId: string, since: Date, now: Date) => Promise<number>

export function teamLimitRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { clock, acceptedSince }: { clock: Clock; acceptedSince: AcceptedSince },
) {
  const lookups = createCachedLookups<TeamLimits>({ entriesMax: TEAMS_KNOWN_MAX, lifetimeMs: LIMITS_KNOWN_WITHIN_MS })

  return {
    /** As they were a few seconds ago at most: what is asked for every email. */
    of: (teamId: string): Promise<TeamLimits> => lookups.find(teamId, () => readLimits(execute, teamId)),

    find: (teamId: string): Promise<TeamLimits> => readLimits(execute, teamId),

    /** Only operators may call it. Absent limits stay. Null if there is no such team. */
    async setAcrossTeams(teamId: string, change: Partial<TeamLimits>): Promise<TeamLimits | null> {
      const now = clock.now()
      const day = dayOf(now)
      const before = await readLimits(execute, teamId)
      const begun = await Promise.all(
        QUOTA_PERIODS.filter((period) => before[`emails_per_${period}`] === null && change[`emails_per_${period}`] != null).map(
          async (period) => {
            const startsOn = periodStart(period, day)
            const since = new Date(`${startsOn}T00:00:00.000Z`)
            return { period, startsOn, since, accepted: await acceptedSince(teamId, since, now) }
          },
        ),
      )
      const limits = await transaction(async (inside) => {
        const [team] = await lockTeam(inside, teamId)
        if (!team) return null
        const next = { ...(await readLimits(inside, teamId)), ...change }
        await inside(SET, [teamId, now, ...LIMIT_NAMES.map((name) => next[name])])
        for (const statementOf of next.stored_bytes === null ? FORGET_STORAGE : BEGIN_STORAGE) await inside(statementOf, [teamId])
        for (const { period, startsOn, since, accepted } of begun) await inside(BEGIN, [teamId, period, startsOn, accepted, since])
        return next
      })
      lookups.forget(teamId)
      return limits
    },
  }
}

const SET = `
insert into team_limits (team_id, updated_at, ${LIMIT_NAMES.join(', ')})
values ($1, $2, ${LIMIT_NAMES.map((_name, index) => `$${index + 3}::bigint`).join(', ')})
on conflict (team_id) do update set updated_at = excluded.updated_at, ${LIMIT_NAMES.map((name) => `${name} = excluded.${name}`).join(', ')}`

/** From its commit on, triggers write what is stored and removed. */
const BEGIN_STORAGE = ['insert into team_storage (team_id) values ($1) on conflict do nothing']
const FORGET_STORAGE = ['delete from team_storage where team_id = $1', 'delete from team_storage_changes where team_id = $1']

/**
 * Besides what was accepted, what is reserved from before the limit was removed: processes may still use theirs, and broadcasts count whole. What is canceled
 * later returns, because it was counted.
 */
const BEGIN = `
insert into quota_periods (team_id, period, starts_on, reserved, counted_from)
select $1, $2, $3::date, $4::int + coalesce(sum(r.count - case when r.process_id is null then 0 else coalesce(
    (select sum(u.count) from quota_uses u where u.reservation_id = r.id), 0) end), 0)::int, $5
  from quota_reservations r where r.team_id = $1 and date_trunc($2, r.day::timestamp)::date = $3::date
on conflict (team_id, period, starts_on) do update set reserved = excluded.reserved, counted_from = excluded.counted_from`

export type CountedLimit = 'contacts' | 'domains' | 'webhooks'

/**
 * How many more of these a team may have; null without a limit. The team is locked until the transaction ends, so that no two count the same room.
 *
 * @param count how many it has, up to so many
 */
export async function roomLeft(
  execute: Execute,
  teamId: string,
  { name, count }: { name: CountedLimit; count: (max: number) => PromiseLike<number> },
): Promise<{ max: number; left: number } | null> {
  const max = (await readLimits(execute, teamId))[name]
  if (max === null) return null
  await lockTeam(execute, teamId)
  return { max, left: max - (await count(max + 1)) }
}

/** @throws Failure, which undoes the transaction, if the team has no room for so many `more` of these */
export async function requireRoom(
  execute: Execute,
  teamId: string,
  { more, ...counted }: { name: CountedLimit; more: number; count: (max: number) => PromiseLike<number> },
): Promise<void> {
  const room = await roomLeft(execute, teamId, counted)
  if (room && room.left < more) throw limitFailure(counted.name, room.max)
}

const limitFailure = (name: CountedLimit, max: number): Failure =>
  new Failure(
    'forbidden',
    `Your team may have at most ${max.toLocaleString('en')} ${name}. Delete some first, or ask your operator for more.`,
  )
