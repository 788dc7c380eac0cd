// How teams stand with the guard of reputations; in SQL, because it is decided under a lock, for many teams at once.
import { rowArrays } from '../../db/columns.ts'
import type { Database, Execute } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { ReputationStatus, Throttled } from './reputation.schema.ts'
import { isPaused, type Reputation, released } from './reputation-evaluation.ts'

/** What of a team's mail does not go at its usual pace. */
export type HeldByGuard = { teamId: string; status: ReputationStatus; throttled: Throttled | null; throttledUntil: Date | null }

export function reputationRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>, { clock }: { clock: Clock }) {
  return {
    /** Null for a team that never crossed a threshold. */
    async find(teamId: string): Promise<Reputation | null> {
      const [row] = await execute<Reputation>(`select ${COLUMNS} from team_reputations where team_id = $1`, [teamId])
      return row ?? null
    },

    /** Teams of which mail is paused or throttled. Workers read them every second. */
    heldAcrossTeams: (): Promise<HeldByGuard[]> => execute<HeldByGuard>(HELD),

    /** Only operators may call it. Sends again what was paused, at a tenth of the pace for a day. False if nothing was paused. */
    releaseAcrossTeams(teamId: string): Promise<boolean> {
      return transaction(async (inside) => {
        const now = clock.now()
        const [before] = await inside<Reputation & { teamId: string }>(LOCK, [[teamId]])
        if (!before || !isPaused(before.status)) return false
        await saveReputationsAcrossTeams(inside, [{ ...released(before, now), teamId }])
        await notifyReleased(inside, { teamId, next: released(before, now), by: 'operator', now })
        return true
      })
    },
  }
}

// In the table, what is throttled is called `slowed`.
const COLUMNS = `status, since, reason, warned_at as "warnedAt", counted_from as "countedFrom", slowed as throttled, slowed_until as "throttledUntil", look_at as "lookAt"`

const HELD = `
select team_id as "teamId", status, slowed as throttled, slowed_until as "throttledUntil" from team_reputations
where status in ('bulk_paused', 'paused') or slowed is not null`

const LOCK = `select team_id as "teamId", ${COLUMNS} from team_reputations where team_id = any($1::uuid[]) order by team_id for update`

/** Locks the rows until the transaction ends, so that no two evaluate or release a team at the same time. A team may have none. */
export async function lockReputationsAcrossTeams(execute: Execute, teamIds: string[]): Promise<Map<string, Reputation>> {
  const rows = await execute<Reputation & { teamId: string }>(LOCK, [teamIds])
  return new Map(rows.map(({ teamId, ...row }) => [teamId, row]))
}

const SAVED = rowArrays(
  {
    ...{ teamId: 'uuid', status: 'text', since: 'timestamptz', reason: 'text', warnedAt: 'timestamptz', countedFrom: 'timestamptz' },
    ...{ throttled: 'text', throttledUntil: 'timestamptz', lookAt: 'timestamptz' },
  },
  1,
)

const SAVE = `
insert into team_reputations (team_id, status, since, reason, warned_at, counted_from, slowed, slowed_until, look_at)
select s."teamId", s.status, s.since, s.reason, s."warnedAt", s."countedFrom", s.throttled, s."throttledUntil", s."lookAt" from ${SAVED.source} as s
on conflict (team_id) do update set status = excluded.status, since = excluded.since, reason = excluded.reason, warned_at = excluded.warned_at,
  counted_from = excluded.counted_from, slowed = excluded.slowed, slowed_until = excluded.slowed_until, look_at = excluded.look_at`

export async function saveReputationsAcrossTeams(execute: Execute, rows: (Reputation & { teamId: string })[]): Promise<void> {
  if (rows.length > 0) await execute(SAVE, SAVED.values(rows))
}

/** Teams to look at again by now. One whose time lies far ahead was written before the clock was set back. */
const DUE = `
select team_id as "teamId" from team_reputations where look_at is not null and (look_at <= $1 or look_at > $2)
order by look_at limit $3`

/** Not locked, because locks are taken in one order. `farthest`: no look is planned for later. */
export async function dueReputationsAcrossTeams(
  execute: Execute,
  { now, farthest, max }: { now: Date; farthest: Date; max: number },
): Promise<string[]> {
  return (await execute<{ teamId: string }>(DUE, [now, farthest, max])).map(({ teamId }) => teamId)
}

type Released = { teamId: string; next: Reputation; by: 'operator' | 'time'; now: Date }

export async function notifyReleased(execute: Execute, { teamId, next, by, now }: Released): Promise<void> {
  const { throttled, throttledUntil } = next
  if (!throttled || !throttledUntil) throw new Error('A released team is throttled')
  const data = { released_by: by, throttled, throttled_until: throttledUntil.toISOString() }
  await append(execute, [{ id: createId(), teamId, subjectId: teamId, type: 'reputation.released', data }], now)
}
