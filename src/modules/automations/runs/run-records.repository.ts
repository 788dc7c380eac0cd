// Runs as people see them. A run that had begun when its automation was stopped counts as cancelled before a worker has written that, and one whose contact was deleted shows nothing of it.
import { oneOf, stored } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { type Keyset, readPage } from '../../../db/page.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { idBound } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { RUN_STATUSES, type RunStatus, type StepStatus } from '../engine/run-state.ts'
import { CONTACT_DELETED } from '../forgotten-contacts.repository.ts'
import type { StepsOfRun } from './run-steps.ts'

// How many runs automations have, and what became of their steps; in SQL, because rows are counted, and steps lie in JSON. Only the newest runs are
// read, so that a page takes no longer for an automation with a million.

/** How many ended runs of each automation are counted. */
export const NEWEST_RUNS_MAX = 1_000
/** More runs of a month than that count as so many. */
const BEGUN_MAX = 1_000_000
/** Beyond that it only counts that there are more. */
export const RUNNING_MAX = 10_000

/** `running`: of all, up to one more than `RUNNING_MAX`. The others: of the newest runs. */
export type RunCounts = Record<RunStatus, number>

/** Runs of the newest in which a step is in this state. `met`, `timedOut`: null unless it decided that. */
export type StepCount = {
  key: string
  status: StepStatus
  hasOutput: boolean
  met: boolean | null
  timedOut: boolean | null
  count: number
}

export function automationRunCountRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async ofAutomations(teamId: string, ids: string[]): Promise<Map<string, RunCounts>> {
      const rows = await execute<RunCounts & { id: string }>(RUNS, [teamId, ids, RUNNING_MAX + 1, NEWEST_RUNS_MAX])
      return new Map(rows.map(({ id, ...counts }) => [id, counts]))
    },

    /** Runs of the team's automations that began since then and are still kept. Reads an entry of an index for each run, up to a million. */
    async begunSince(teamId: string, since: Date): Promise<number> {
      const [row] = await execute<{ count: number }>(BEGUN, [teamId, idBound(since.getTime())])
      return row?.count ?? 0
    },

    /** Counts steps of the newest runs with this version of the graph. */
    ofSteps(teamId: string, { automationId, versionId }: { automationId: string; versionId: string }): Promise<StepCount[]> {
      return execute<StepCount>(STEPS, [teamId, automationId, versionId, NEWEST_RUNS_MAX])
    },
  }
}

const RUNS = `
select a.id, running.count as running, ended.completed, ended.failed, ended.cancelled
from automations a cross join lateral (
  select count(*)::int as count from (
    select from automation_runs r where r.automation_id = a.id and r.status = 'running' and r.stop_seen is not distinct from a.stopped_at limit $3
  ) r
) running cross join lateral (
  select count(*) filter (where r.status = 'completed')::int as completed, count(*) filter (where r.status = 'failed')::int as failed,
    count(*) filter (where r.status = 'cancelled' or (r.status = 'running' and r.stop_seen is distinct from a.stopped_at))::int as cancelled
  from (select status, stop_seen from automation_runs where automation_id = a.id order by id desc limit $4) r
) ended
where a.team_id = $1 and a.id = any($2::uuid[])`

const BEGUN = `
select count(*)::int as count from (
  select from automations a join automation_runs r on r.automation_id = a.id and r.id >= $2::uuid where a.team_id = $1 limit ${BEGUN_MAX}
) r`

const STEPS = `
select s.key, s.value ->> 'status' as status, s.value -> 'output' <> 'null' as "hasOutput", (s.value -> 'output' ->> 'met')::boolean as met,
  (s.value -> 'output' ->> 'timed_out')::boolean as "timedOut", count(*)::int as count
from (
  select state from automation_runs where version_id = $3 and team_id = $1 and automation_id = $2 order by id desc limit $4
) r cross join lateral jsonb_each(r.state -> 'steps') s
group by 1, 2, 3, 4, 5`

export type AutomationRunSummaryRow = {
  id: string
  status: RunStatus
  reason: string | null
  contactId: string
  startedAt: Date
  completedAt: Date | null
  createdAt: Date
}

/** `endedAt`: when it was cancelled, if its steps do not know yet. */
export type AutomationRunRow = AutomationRunSummaryRow & { versionId: string; eventName: string; state: StepsOfRun; endedAt: Date | null }

/** When the automation was last stopped; null if it never was. */
export type StoppedAutomation = { id: string; stoppedAt: Date | null }

const summary = {
  id: true,
  status: true,
  reason: true,
  contactId: true,
  email: true,
  stopSeen: true,
  startedAt: true,
  completedAt: true,
  createdAt: true,
} as const
const select = { ...summary, versionId: true, eventName: true, state: true } as const

export function automationRunRecordRepository({ tables }: Pick<Database, 'tables'>) {
  /** Returns the rows that a worker has yet to clear of what they knew, because their contact was deleted. */
  async function unforgotten<One extends Row>(teamId: string, rows: One[]): Promise<One[]> {
    const ids = [...new Set(rows.flatMap(({ contactId, email }) => (email === null ? [] : [contactId])))]
    if (ids.length === 0) return []
    const found = await tables.contact.findMany({ where: { teamId, id: { in: ids } }, select: { id: true } })
    const living = new Set(found.map(({ id }) => id))
    return rows.filter(({ contactId, email }) => email !== null && !living.has(contactId))
  }

  return {
    async find(teamId: string, automation: StoppedAutomation, id: string): Promise<AutomationRunRow | null> {
      const row = await tables.automationRun.findFirst({ where: { teamId, automationId: automation.id, id }, select })
      if (!row) return null
      const { versionId, eventName } = row
      const state = stored<StepsOfRun>(row.state)
      const [forgotten] = await unforgotten(teamId, [row])
      if (forgotten)
        return { ...toForgottenRow(row), versionId, eventName, state: withoutOutputs(state), endedAt: row.completedAt ?? row.startedAt }
      const endedAt = isStopped(row, automation) ? automation.stoppedAt : null
      return { ...toSummaryRow(row, automation), versionId, eventName, state, endedAt }
    },

    /** `statuses`: empty for all. Each is read by itself, because an index has its runs in order. */
    list(
      teamId: string,
      automation: StoppedAutomation,
      { statuses, request }: { statuses: RunStatus[]; request: PageRequest },
    ): Promise<Page<AutomationRunSummaryRow>> {
      const filters = statuses.length > 0 ? [...new Set(statuses)].flatMap(toFilter(automation)) : [{}]
      return readPage(request, async (keyset) => {
        const read = (filter: Prisma.AutomationRunWhereInput) =>
          tables.automationRun.findMany({
            ...keyset,
            where: { teamId, automationId: automation.id, ...filter, ...keyset.where },
            select: summary,
          })
        const rows = (await Promise.all(filters.map(read))).flat()
        const page = inOrder(rows, keyset)
        const forgotten = new Set((await unforgotten(teamId, page)).map(({ id }) => id))
        return page.map((row) => (forgotten.has(row.id) ? toForgottenRow(row) : toSummaryRow(row, automation)))
      })
    },
  }
}

const inOrder = (rows: Row[], { orderBy: { id: direction }, take }: Keyset): Row[] =>
  rows.sort((a, b) => (a.id < b.id === (direction === 'asc') ? -1 : 1)).slice(0, take)

const REASON_OF_STOP = 'The automation was stopped.'

type Row = Prisma.AutomationRunGetPayload<{ select: typeof summary }>

/** Each run has seen the last stop before it started. */
const isStopped = ({ status, stopSeen }: Pick<Row, 'status' | 'stopSeen'>, { stoppedAt }: StoppedAutomation): boolean =>
  status === 'running' && stopSeen?.getTime() !== stoppedAt?.getTime()

const toFilter =
  ({ stoppedAt }: StoppedAutomation) =>
  (status: RunStatus): Prisma.AutomationRunWhereInput[] => {
    if (status === 'running') return [{ status, stopSeen: stoppedAt }]
    if (status !== 'cancelled' || stoppedAt === null) return [{ status }]
    return [{ status }, { status: 'running', OR: [{ stopSeen: null }, { stopSeen: { not: stoppedAt } }] }]
  }

/** What is left of the run once a worker has cleared it. */
const toForgottenRow = ({ id, status, contactId, startedAt, completedAt, createdAt }: Row): AutomationRunSummaryRow => ({
  id,
  contactId,
  startedAt,
  createdAt,
  ...(status === 'running'
    ? { status: 'cancelled', reason: CONTACT_DELETED, completedAt: completedAt ?? startedAt }
    : { status: oneOf(RUN_STATUSES, status), reason: null, completedAt }),
})

const withoutOutputs = ({ at, steps }: StepsOfRun): StepsOfRun => ({
  at,
  steps: Object.fromEntries(Object.entries(steps).map(([key, step]) => [key, { ...step, output: null, error: null }])),
})

function toSummaryRow({ stopSeen, ...row }: Row, automation: StoppedAutomation): AutomationRunSummaryRow {
  const { id, reason, contactId, startedAt, completedAt, createdAt } = row
  const known = { id, contactId, startedAt, createdAt }
  return isStopped({ status: row.status, stopSeen }, automation)
    ? { ...known, status: 'cancelled', reason: REASON_OF_STOP, completedAt: automation.stoppedAt }
    : { ...known, status: oneOf(RUN_STATUSES, row.status), reason, completedAt }
}
