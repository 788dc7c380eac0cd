// Automations with their graphs. Who changes one has locked its row, so that changes follow each other.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { Connection, Graph, Step } from '../../lib/automations/graph.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { AutomationClass, AutomationStatus, Reentry } from '../../schemas/automations.ts'
import { oneOf, stored } from '../columns.ts'
import type { Database, RecordTransaction } from '../database.ts'
import { lockRow, lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { addClearing } from './runs.ts'

const STATUSES: Record<AutomationStatus, true> = { enabled: true, disabled: true }
const CLASSES: Record<AutomationClass, true> = { transactional: true, bulk: true }
const REENTRIES: Record<Reentry, true> = { always: true, once: true, not_while_running: true }

export type AutomationSettings = {
  name: string
  status: AutomationStatus
  class: AutomationClass
  reentry: Reentry
  maxRunsPerContact: number | null
}

export type AutomationSummaryRow = { id: string; name: string; status: AutomationStatus; createdAt: Date; updatedAt: Date }

export type AutomationRow = AutomationSummaryRow &
  AutomationSettings & {
    versionId: string
    stoppedAt: Date | null
    heldAt: Date | null
    heldContactId: string | null
    disabledReason: string | null
    graph: Graph
  }

export type NewAutomation = AutomationSettings & { graph: Graph }

/** Absent fields stay as they are. */
export type AutomationChange = Partial<NewAutomation>

const summary = { id: true, name: true, status: true, createdAt: true, updatedAt: true } as const
const settings = {
  class: true,
  reentry: true,
  maxRunsPerContact: true,
  versionId: true,
  stoppedAt: true,
  heldAt: true,
  heldContactId: true,
  disabledReason: true,
} as const
const select = { ...summary, ...settings }

/** On the page of an event. */
const STARTED_SHOWN_MAX = 50

export function automationRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  async function insert(
    record: RecordTransaction,
    teamId: string,
    { automation, automationsMax }: { automation: NewAutomation; automationsMax: number },
  ): Promise<{ id: string } | 'full'> {
    await lockTeam(record.execute, teamId)
    if ((await record.tables.automation.count({ where: { teamId, deletedAt: null } })) >= automationsMax) return 'full'
    const now = clock.now()
    const id = createId(clock)
    const { name, status, class: kind, reentry, maxRunsPerContact, graph } = automation
    const version = await insertVersion(record, teamId, { automationId: id, graph })
    const data = { id, teamId, name, status, class: kind, reentry, maxRunsPerContact, ...version, createdAt: now, updatedAt: now }
    return record.tables.automation.create({ data, select: { id: true } })
  }

  /** The columns of the automation that follow from a graph. */
  async function insertVersion(
    { tables: inside }: RecordTransaction,
    teamId: string,
    { automationId, graph: { steps, connections } }: { automationId: string; graph: Graph },
  ): Promise<{ versionId: string; triggerEvent: string }> {
    const data = { id: createId(clock), teamId, automationId, steps, connections, createdAt: clock.now() }
    const { id: versionId } = await inside.automationVersion.create({ data, select: { id: true } })
    return { versionId, triggerEvent: triggerEventOf(steps) }
  }

  /** Runs `work` while no one else changes the automation. Null if the team has no such automation. */
  async function withLock<Result>(
    teamId: string,
    id: string,
    work: (record: RecordTransaction, automation: { id: string; stoppedAt: Date | null }) => Promise<Result>,
  ): Promise<Result | null> {
    return records(async (record) => {
      if (!(await lockRow(record.execute, 'automations', teamId, id))) return null
      const where = { teamId, id, deletedAt: null }
      const automation = await record.tables.automation.findFirst({ where, select: { id: true, stoppedAt: true } })
      return automation && work(record, automation)
    })
  }

  async function find(from: RecordTransaction['tables'], teamId: string, id: string): Promise<AutomationRow | null> {
    const row = await from.automation.findFirst({ where: { teamId, id, deletedAt: null }, select })
    const version = row && (await from.automationVersion.findFirst({ where: { teamId, id: row.versionId }, select: graphColumns }))
    // Between the two, the automation may have been deleted.
    return row && version ? toRow(row, toGraph(version)) : null
  }

  return {
    /** `full`: the team has `automationsMax` of them. */
    create: (teamId: string, automation: NewAutomation, automationsMax: number): Promise<{ id: string } | 'full'> =>
      records((record) => insert(record, teamId, { automation, automationsMax })),

    find: (teamId: string, id: string): Promise<AutomationRow | null> => find(tables, teamId, id),

    /** Null if the team has no automation that had this version. */
    async graphOf(teamId: string, versionId: string): Promise<Graph | null> {
      const version = await tables.automationVersion.findFirst({ where: { teamId, id: versionId }, select: graphColumns })
      return version && toGraph(version)
    },

    /** The newest automations that the event starts. */
    startedBy: (teamId: string, triggerEvent: string): Promise<{ id: string; name: string }[]> =>
      tables.automation.findMany({
        where: { teamId, triggerEvent, deletedAt: null },
        select: { id: true, name: true },
        orderBy: { id: 'desc' },
        take: STARTED_SHOWN_MAX,
      }),

    list(teamId: string, { status }: { status: AutomationStatus | null }, request: PageRequest): Promise<Page<AutomationSummaryRow>> {
      const filter = { teamId, deletedAt: null, ...(status && { status }) }
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.automation.findMany({ where: { ...filter, ...where }, select: summary, ...rest })).map(toSummaryRow),
      )
    },

    /** Runs that have begun keep their graph. Null if the team has no such automation. */
    update(teamId: string, id: string, { graph, ...given }: AutomationChange): Promise<{ id: string } | null> {
      return withLock(teamId, id, async (record, automation) => {
        const version = graph && (await insertVersion(record, teamId, { automationId: automation.id, graph }))
        const data = { ...columnsOf(given), ...version, updatedAt: clock.now() }
        return record.tables.automation.update({ where: { id: automation.id }, data, select: { id: true } })
      })
    },

    /** A disabled one with the same settings and graph. Null if the team has no such automation. */
    duplicate(
      teamId: string,
      id: string,
      { nameOf, automationsMax }: { nameOf: (name: string) => string; automationsMax: number },
    ): Promise<{ id: string } | 'full' | null> {
      return records(async (record) => {
        const row = await find(record.tables, teamId, id)
        if (!row) return null
        const automation = { ...row, name: nameOf(row.name), status: 'disabled' as const }
        return insert(record, teamId, { automation, automationsMax })
      })
    },

    /** Disables it and cancels the runs that have begun. Null if the team has no such automation. */
    stop(teamId: string, id: string): Promise<{ id: string } | null> {
      return withLock(teamId, id, async ({ tables: inside, execute }, automation) => {
        const now = clock.now()
        await addClearing(execute, automation.id)
        // A run knows the stop that it has seen, so each has a time of its own, also if the clock stands still or was set back.
        const stoppedAt = new Date(Math.max(now.getTime(), (automation.stoppedAt?.getTime() ?? 0) + 1))
        const data = { status: 'disabled', stoppedAt, updatedAt: now }
        return inside.automation.update({ where: { id: automation.id }, data, select: { id: true } })
      })
    },

    /** It is gone from sight at once, with its runs. Null if the team has no such automation. */
    remove(teamId: string, id: string): Promise<{ id: string } | null> {
      return withLock(teamId, id, async ({ tables: inside, execute }, automation) => {
        await addClearing(execute, automation.id)
        return inside.automation.update({ where: { id: automation.id }, data: { deletedAt: clock.now() }, select: { id: true } })
      })
    },
  }
}

const graphColumns = { steps: true, connections: true } as const

/** Named one by one, because a value from a request may have more fields than its type says. */
const columnsOf = ({ name, status, class: kind, reentry, maxRunsPerContact }: Partial<AutomationSettings>) => ({
  ...(name !== undefined && { name }),
  ...(status !== undefined && { status, disabledReason: null }),
  ...(kind !== undefined && { class: kind }),
  ...(reentry !== undefined && { reentry }),
  ...(maxRunsPerContact !== undefined && { maxRunsPerContact }),
})

function triggerEventOf(steps: Step[]): string {
  const trigger = steps.find((step) => step.type === 'trigger')
  if (!trigger) throw new Error('The graph of an automation has no trigger')
  return trigger.config.event_name
}

const toGraph = ({ steps, connections }: Prisma.AutomationVersionGetPayload<{ select: typeof graphColumns }>): Graph => ({
  steps: stored<Step[]>(steps),
  connections: stored<Connection[]>(connections),
})

const toSummaryRow = (row: Prisma.AutomationGetPayload<{ select: typeof summary }>): AutomationSummaryRow => ({
  ...row,
  status: oneOf(STATUSES, row.status),
})

const toRow = (row: Prisma.AutomationGetPayload<{ select: typeof select }>, graph: Graph): AutomationRow => ({
  ...row,
  status: oneOf(STATUSES, row.status),
  class: oneOf(CLASSES, row.class),
  reentry: oneOf(REENTRIES, row.reentry),
  graph,
})
