// Automations with their graphs. Who changes one has locked its row, so that changes follow each other.

import { oneOf, stored } from '../../db/columns.ts'
import type { Database, RecordTransaction } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import { lockRow, lockTeam, lockTeamWithin, lockTemplatesShared } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { LastChange } from '../../lib/changed-meanwhile.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { lockSegmentsShared, lockTopicsShared } from '../audience/references.repository.ts'
import type { Writer } from '../audit/writers.ts'
import { LANE_CLASSES, type LaneClass } from '../emails/new-delivery.ts'
import {
  AUTOMATION_LIMIT,
  AUTOMATION_STATUSES,
  type AutomationStatus,
  CANCELLED_COUNTED_MAX,
  REENTRIES,
  type Reentry,
} from './automations.schema.ts'
import type { Connection, Graph, Step } from './graph/graph.ts'
import { namedInGraph } from './graph/references.ts'
import { addClearing } from './runs/runs.repository.ts'

export type AutomationSettings = {
  name: string
  status: AutomationStatus
  class: LaneClass
  reentry: Reentry
  maxRunsPerContact: number | null
}

export type AutomationSummaryRow = {
  id: string
  name: string
  status: AutomationStatus
  createdAt: Date
  updatedAt: Date
  disabledReason: string | null
  heldAt: Date | null
}

export type AutomationRow = AutomationSummaryRow &
  AutomationSettings & {
    versionId: string
    stoppedAt: Date | null
    heldContactId: string | null
    graph: Graph
  }

export type NewAutomation = AutomationSettings & { graph: Graph; author: Writer }

/** Absent fields stay as they are. */
export type AutomationChange = Partial<Omit<NewAutomation, 'author'>>

const summary = { id: true, name: true, status: true, createdAt: true, updatedAt: true, disabledReason: true, heldAt: true } as const
const settings = {
  class: true,
  reentry: true,
  maxRunsPerContact: true,
  versionId: true,
  stoppedAt: true,
  heldContactId: true,
} as const
const select = { ...summary, ...settings }

/** On the page of an event. */
const STARTED_SHOWN_MAX = 50

export function automationRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  /** @throws Failure if the team has as many as it may have */
  async function insert(record: RecordTransaction, teamId: string, automation: NewAutomation): Promise<{ id: string }> {
    const count = () => record.tables.automation.count({ where: { teamId, deletedAt: null } })
    await lockTeamWithin(record.execute, teamId, { limit: AUTOMATION_LIMIT, count })
    const now = clock.now()
    const id = createId(clock)
    const { name, status, class: kind, reentry, maxRunsPerContact, graph, author } = automation
    const version = await insertVersion(record, teamId, { automationId: id, graph, author })
    const data = { id, teamId, name, status, class: kind, reentry, maxRunsPerContact, ...version, createdAt: now, updatedAt: now }
    return record.tables.automation.create({ data, select: { id: true } })
  }

  /** The columns of the automation that follow from a graph. */
  async function insertVersion(
    { tables: inside }: RecordTransaction,
    teamId: string,
    { automationId, graph: { steps, connections }, author }: { automationId: string; graph: Graph; author: Writer },
  ): Promise<{ versionId: string; triggerEvent: string }> {
    const data = { id: createId(clock), teamId, automationId, steps, connections, authorName: author.name, createdAt: clock.now() }
    const { id: versionId } = await inside.automationVersion.create({ data, select: { id: true } })
    return { versionId, triggerEvent: findTriggerEvent(steps) }
  }

  /** Runs `work` while no one else changes the automation. Null if the team has no such automation. */
  async function withLock<Result>(
    teamId: string,
    id: string,
    work: (record: RecordTransaction, automation: { id: string; stoppedAt: Date | null }) => Promise<Result>,
  ): Promise<Result | null> {
    return records((record) => lockedIn(record, { teamId, id }, (automation) => work(record, automation)))
  }

  async function lockedIn<Result>(
    record: RecordTransaction,
    { teamId, id }: { teamId: string; id: string },
    work: (automation: { id: string; stoppedAt: Date | null }) => Promise<Result>,
  ): Promise<Result | null> {
    if (!(await lockRow(record.execute, 'automations', teamId, id))) return null
    const where = { teamId, id, deletedAt: null }
    const automation = await record.tables.automation.findFirst({ where, select: { id: true, stoppedAt: true } })
    return automation && work(automation)
  }

  async function find(from: RecordTransaction['tables'], teamId: string, id: string): Promise<AutomationRow | null> {
    const row = await from.automation.findFirst({ where: { teamId, id, deletedAt: null }, select })
    const version = row && (await from.automationVersion.findFirst({ where: { teamId, id: row.versionId }, select: graphColumns }))
    // Between the two, the automation may have been deleted.
    return row && version ? toRow(row, toGraph(version)) : null
  }

  /** Who wrote these steps. */
  async function lastChange({ tables: inside }: RecordTransaction, teamId: string, versionId: string): Promise<LastChange | null> {
    const version = await inside.automationVersion.findFirst({
      where: { teamId, id: versionId },
      select: { authorName: true, createdAt: true },
    })
    return version && { name: version.authorName, at: version.createdAt }
  }

  return {
    /** `reference deleted`: it would be enabled, and something that it names was deleted. */
    create: (teamId: string, automation: NewAutomation): Promise<{ id: string } | 'reference deleted'> =>
      records(async (record) => {
        await lockTeam(record.execute, teamId)
        if (automation.status === 'enabled' && !(await keepNamed(record, teamId, automation.graph))) return 'reference deleted'
        return insert(record, teamId, automation)
      }),

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

    /**
     * Runs that have begun keep their graph. Null if the team has no such automation. `reference deleted`: it would be enabled, and something that it names was
     * deleted. `changedMeanwhile`: other steps than those of the expected version hold.
     */
    updateAutomation(
      teamId: string,
      id: string,
      { graph, ...given }: AutomationChange,
      { author, expectedVersionId }: { author: Writer; expectedVersionId: string | null },
    ): Promise<{ id: string } | { changedMeanwhile: LastChange | null } | 'reference deleted' | null> {
      return records(async (record) => {
        // No other change of a graph or of a status comes in between, but a deletion that disables it.
        await lockTeam(record.execute, teamId)
        const before = await find(record.tables, teamId, id)
        if (!before) return null
        if (expectedVersionId !== null && expectedVersionId !== before.versionId)
          return { changedMeanwhile: await lastChange(record, teamId, before.versionId) }
        const mayRun = given.status === 'enabled' || (graph !== undefined && (given.status ?? before.status) === 'enabled')
        // Before the automation is locked, as deletions do.
        if (mayRun && !(await keepNamed(record, teamId, graph ?? before.graph))) return 'reference deleted'
        return lockedIn(record, { teamId, id }, async (automation) => {
          const version = graph && (await insertVersion(record, teamId, { automationId: automation.id, graph, author }))
          const data = { ...settingColumns(given), ...version, updatedAt: clock.now() }
          return record.tables.automation.update({ where: { id: automation.id }, data, select: { id: true } })
        })
      })
    },

    /** A disabled one with the same settings and graph. Null if the team has no such automation. */
    duplicate(
      teamId: string,
      id: string,
      { nameOf, author }: { nameOf: (name: string) => string; author: Writer },
    ): Promise<{ id: string } | null> {
      return records(async (record) => {
        const row = await find(record.tables, teamId, id)
        if (!row) return null
        return insert(record, teamId, { ...row, author, name: nameOf(row.name), status: 'disabled' })
      })
    },

    /** Disables it and cancels the runs that have begun, of which it counts some. Null if the team has no such automation. */
    stop(teamId: string, id: string): Promise<{ id: string; cancelledRuns: number } | null> {
      return withLock(teamId, id, async ({ tables: inside, execute }, automation) => {
        const now = clock.now()
        await addClearing(execute, automation.id)
        // A run knows the stop that it has seen, so each has a time of its own, also if the clock stands still or was set back.
        const stoppedAt = new Date(Math.max(now.getTime(), (automation.stoppedAt?.getTime() ?? 0) + 1))
        const [running] = await execute<{ count: number }>(RUNNING, [automation.id, automation.stoppedAt, CANCELLED_COUNTED_MAX + 1])
        const data = { status: 'disabled', stoppedAt, updatedAt: now, ...SETTLED }
        await inside.automation.update({ where: { id: automation.id }, data, select: { id: true } })
        return { id: automation.id, cancelledRuns: running?.count ?? 0 }
      })
    },

    /** It is gone from sight at once, with its runs. Null if the team has no such automation. */
    deleteAutomation(teamId: string, id: string): Promise<{ id: string } | null> {
      return withLock(teamId, id, async ({ tables: inside, execute }, automation) => {
        await addClearing(execute, automation.id)
        return inside.automation.update({ where: { id: automation.id }, data: { deletedAt: clock.now() }, select: { id: true } })
      })
    },
  }
}

/**
 * The templates, segments and topics that a graph names stay until the transaction ends: their deletion waits, and then finds the enabled automation.
 * False if one of them is gone. Comes before the lock of the automation.
 */
async function keepNamed({ execute }: RecordTransaction, teamId: string, graph: Graph): Promise<boolean> {
  const { templates, segmentIds, topicIds } = namedInGraph(graph)
  return (
    (await lockTemplatesShared(execute, teamId, templates)) &&
    isWhole(segmentIds, await lockSegmentsShared(execute, teamId, segmentIds)) &&
    isWhole(topicIds, await lockTopicsShared(execute, teamId, topicIds))
  )
}

const isWhole = (ids: readonly string[], found: { has(id: string): boolean }): boolean => ids.every((id) => found.has(id.toLowerCase()))

/** Changing the status settles what needed attention. */
const SETTLED = { disabledReason: null, heldAt: null, heldContactId: null }

const RUNNING = `
select count(*)::int as count from (
  select from automation_runs r where r.automation_id = $1 and r.status = 'running' and r.stop_seen is not distinct from $2::timestamptz limit $3
) r`

const graphColumns = { steps: true, connections: true } as const

/** Named one by one, because a value from a request may have more fields than its type says. */
const settingColumns = ({ name, status, class: kind, reentry, maxRunsPerContact }: Partial<AutomationSettings>) => ({
  ...(name !== undefined && { name }),
  ...(status !== undefined && { status, ...SETTLED }),
  ...(kind !== undefined && { class: kind }),
  ...(reentry !== undefined && { reentry }),
  ...(maxRunsPerContact !== undefined && { maxRunsPerContact }),
})

function findTriggerEvent(steps: Step[]): string {
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
  status: oneOf(AUTOMATION_STATUSES, row.status),
})

const toRow = (row: Prisma.AutomationGetPayload<{ select: typeof select }>, graph: Graph): AutomationRow => ({
  ...row,
  status: oneOf(AUTOMATION_STATUSES, row.status),
  class: oneOf(LANE_CLASSES, row.class),
  reentry: oneOf(REENTRIES, row.reentry),
  graph,
})
