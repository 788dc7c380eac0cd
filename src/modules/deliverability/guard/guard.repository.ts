// One look of the guard of reputations; in SQL, because the counts, the evaluation and what follows from it are one transaction: two processes never evaluate a
// team at the same time, and what a process that died had begun is begun again.
import type { Database, Execute } from '../../../db/database.ts'
import { addJob, TELL_OF_REPUTATION } from '../../../db/jobs/jobs.ts'
import { append } from '../../../db/outbox.ts'
import { createId } from '../../../lib/ids.ts'
import type { GuardMode } from '../../limits/reputation.schema.ts'
import {
  type Evaluation,
  evaluate,
  type GuardThresholds,
  newReputation,
  nextReputation,
  type Reputation,
  type ReputationNotice,
  THROTTLED_MS,
} from '../../limits/reputation-evaluation.ts'
import {
  dueReputationsAcrossTeams,
  lockReputationsAcrossTeams,
  notifyReleased,
  saveReputationsAcrossTeams,
} from '../../limits/reputations.repository.ts'
import { countOutcomes, takeTeamsWithOutcomes } from '../../metrics/outcome-counts.repository.ts'

/** Teams that one look evaluates: some milliseconds each. */
export const LOOKED_AT_MAX = 50

export type Decision = { teamId: string; notice: ReputationNotice; reason: string; status: Reputation['status'] }

/** `mode` null: what each team has. */
type Guard = { thresholds: GuardThresholds; mode: GuardMode | null; now: Date }

type Evaluated = {
  teamId: string
  known: Reputation | undefined
  next: Reputation
  notice: ReputationNotice | null
  evaluation: Evaluation
}

export function guardRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Evaluates some of the teams that have new outcomes, or whose time has come. `isFull`: there may be more. */
    lookAcrossTeams({ thresholds, mode, now }: Guard): Promise<{ decisions: Decision[]; isFull: boolean }> {
      return transaction(
        async (inside) => {
          const changed = await takeTeamsWithOutcomes(inside, LOOKED_AT_MAX)
          const due = await dueReputationsAcrossTeams(inside, { now, farthest: new Date(now.getTime() + THROTTLED_MS), max: LOOKED_AT_MAX })
          const isFull = changed.length === LOOKED_AT_MAX || due.length === LOOKED_AT_MAX
          const modes = await modesAcrossTeams(inside, [...new Set([...changed, ...due])])
          const teamIds = [...modes.keys()]
          if (teamIds.length === 0) return { decisions: [], isFull }
          const known = await lockReputationsAcrossTeams(inside, teamIds)
          const counted = await countOutcomes(
            inside,
            teamIds.map((teamId) => ({ teamId, countedFrom: countedFrom(known.get(teamId), now) })),
            now,
          )
          const evaluated = teamIds.map((teamId): Evaluated => {
            const evaluation = evaluate(counted.get(teamId) ?? [], { thresholds, mode: mode ?? modes.get(teamId) ?? 'all' })
            const before = known.get(teamId)
            return { teamId, known: before, evaluation, ...nextReputation(before ?? newReputation(now), evaluation, now) }
          })
          await saveReputationsAcrossTeams(
            inside,
            evaluated.flatMap(({ teamId, known: before, next }) => (before || next.status !== 'good' ? [{ teamId, ...next }] : [])),
          )
          const decisions: Decision[] = []
          for (const one of evaluated) if (one.notice) decisions.push(await tell(inside, { ...one, notice: one.notice }, now))
          return { decisions, isFull }
        },
        { plans: 'by index' },
      )
    },
  }
}

/** Null: all that is counted. One that lies ahead was written before the clock was set back. */
const countedFrom = (known: Reputation | undefined, now: Date): Date | null =>
  known?.countedFrom && known.countedFrom > now ? now : (known?.countedFrom ?? null)

/** Reads the column `guard` of the teams that exist. */
async function modesAcrossTeams(inside: Execute, teamIds: string[]): Promise<Map<string, GuardMode>> {
  if (teamIds.length === 0) return new Map()
  const rows = await inside<{ id: string; guard: GuardMode }>('select id, guard from teams where id = any($1::uuid[]) order by id', [
    teamIds,
  ])
  return new Map(rows.map(({ id, guard }) => [id, guard]))
}

/** In the transaction that decides: the event for webhooks, and the mail to the owners. */
async function tell(
  inside: Execute,
  { teamId, known, next, evaluation, notice }: Evaluated & { notice: ReputationNotice },
  now: Date,
): Promise<Decision> {
  const reason = notice === 'released' ? (known?.reason ?? '') : (next.reason ?? '')
  if (notice === 'released') await notifyReleased(inside, { teamId, next, by: 'time', now })
  else if (evaluation.cause) {
    const { domain, period, outcomes } = evaluation.cause
    const data = {
      status: next.status,
      reason,
      domain,
      period,
      sent: outcomes.sent,
      bounced: outcomes.bounced,
      complained: outcomes.complained,
    }
    await append(inside, [{ id: createId(), teamId, subjectId: teamId, type: `reputation.${notice}`, data }], now)
  }
  await addJob(inside, TELL_OF_REPUTATION, { teamId, notice, reason })
  return { teamId, notice, reason, status: next.status }
}
