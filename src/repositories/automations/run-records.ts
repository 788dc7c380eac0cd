// Runs as people see them. A run that had begun when its automation was stopped counts as cancelled before a worker has written that, and one whose contact was deleted shows nothing of it.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { RunStatus } from '../../lib/automations/engine/run-state.ts'
import type { StepsOfRun } from '../../lib/automations/run-steps.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { oneOf, stored } from '../columns.ts'
import { CONTACT_DELETED } from '../contacts/forgotten-contacts.ts'
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
      const filters = statuses.length > 0 ? [...new Set(statuses)].flatMap(whereOf(automation)) : [{}]
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

const whereOf =
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
    : { status: oneOf(STATUSES, status), reason: null, completedAt }),
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
    : { ...known, status: oneOf(STATUSES, row.status), reason, completedAt }
}
