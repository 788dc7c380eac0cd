// Runs as people see them. A run that had begun when its automation was stopped counts as cancelled before a worker has written that.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { RunStatus } from '../../lib/automations/engine/run-state.ts'
import type { StepsOfRun } from '../../lib/automations/run-steps.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { oneOf, stored } from '../columns.ts'
import type { Database } from '../database.ts'
import { type Keyset, type Page, readPage } from '../page.ts'

const STATUSES: Record<RunStatus, true> = { running: true, completed: true, failed: true, cancelled: true }

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
  stopSeen: true,
  startedAt: true,
  completedAt: true,
  createdAt: true,
} as const
const select = { ...summary, versionId: true, eventName: true, state: true } as const

export function automationRunRecordRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    async find(teamId: string, automation: StoppedAutomation, id: string): Promise<AutomationRunRow | null> {
      const row = await tables.automationRun.findFirst({ where: { teamId, automationId: automation.id, id }, select })
      if (!row) return null
      const { versionId, eventName, state } = row
      const endedAt = isStopped(row, automation) ? automation.stoppedAt : null
      return { ...toSummaryRow(row, automation), versionId, eventName, state: stored<StepsOfRun>(state), endedAt }
    },

    /** `statuses`: empty for all. Each is read by itself, because an index has its runs in order. */
    list(
      teamId: string,
      automation: StoppedAutomation,
      { statuses, request }: { statuses: RunStatus[]; request: PageRequest },
    ): Promise<Page<AutomationRunSummaryRow>> {
      const filters = statuses.length > 0 ? [...new Set(statuses)].flatMap(whereOf(automation)) : [{}]
      return readPage(request, async (keyset) => {
        const read = (filter: Prisma.AutomationRunWhereInput) =>
          tables.automationRun.findMany({
            ...keyset,
            where: { teamId, automationId: automation.id, ...filter, ...keyset.where },
            select: summary,
          })
        const rows = (await Promise.all(filters.map(read))).flat()
        return inOrder(rows, keyset).map((row) => toSummaryRow(row, automation))
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

const whereOf =
  ({ stoppedAt }: StoppedAutomation) =>
  (status: RunStatus): Prisma.AutomationRunWhereInput[] => {
    if (status === 'running') return [{ status, stopSeen: stoppedAt }]
    if (status !== 'cancelled' || stoppedAt === null) return [{ status }]
    return [{ status }, { status: 'running', OR: [{ stopSeen: null }, { stopSeen: { not: stoppedAt } }] }]
  }

function toSummaryRow({ stopSeen, ...row }: Row, automation: StoppedAutomation): AutomationRunSummaryRow {
  const { id, reason, contactId, startedAt, completedAt, createdAt } = row
  const known = { id, contactId, startedAt, createdAt }
  return isStopped({ status: row.status, stopSeen }, automation)
    ? { ...known, status: 'cancelled', reason: REASON_OF_STOP, completedAt: automation.stoppedAt }
    : { ...known, status: oneOf(STATUSES, row.status), reason, completedAt }
}
