// What the pages of automations show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import type { AutomationRow } from '../../modules/automations/automations.repository.ts'
import { AUTOMATIONS } from '../../modules/automations/automations.schema.ts'
import { stepsOfRun } from '../../modules/automations/runs/run-steps.ts'
import { AUTOMATION_RUNS } from '../../modules/automations/runs/runs.schema.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { AutomationView } from './automation-page.ts'
import { automationRelations } from './automation-relations.ts'
import type { AutomationListView } from './list-page.ts'
import type { RunView } from './run-page.ts'

type Place = { after: string | null; before: string | null }

const NO_RUNS = { running: 0, completed: 0, failed: 0, cancelled: 0 }

export function automationViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { automations, automationRunRecords, automationRunCounts } = repositories
  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the automation of another team. */
  async function find(teamId: string, id: string): Promise<AutomationRow> {
    const automation = isId(id) ? await automations.find(teamId, id) : null
    if (!automation) throw notFound(AUTOMATIONS.noun)
    return automation
  }

  return {
    async list(teamId: string, { after, before }: Place): Promise<AutomationListView> {
      const page = await automations.list(teamId, { status: null }, { limit: LINES_PER_PAGE, after, before })
      const ids = page.rows.map(({ id }) => id)
      const counts = await automationRunCounts.ofAutomations(teamId, ids)
      return { teamName: await teamName(teamId), now: clock.now(), page, counts, after: after ?? before }
    },

    async automation(teamId: string, id: string, { after, before }: Place): Promise<AutomationView> {
      const automation = await find(teamId, id)
      const request = { limit: LINES_PER_PAGE, after, before }
      const runs = await automationRunRecords.list(teamId, automation, { statuses: [], request })
      const counts = (await automationRunCounts.ofAutomations(teamId, [automation.id])).get(automation.id) ?? NO_RUNS
      const steps = await automationRunCounts.ofSteps(teamId, { automationId: automation.id, versionId: automation.versionId })
      const relations = await automationRelations(repositories, teamId, automation.graph)
      return { ...relations, teamName: await teamName(teamId), now: clock.now(), automation, counts, steps, runs, after: after ?? before }
    },

    async run(teamId: string, id: string, runId: string): Promise<RunView> {
      const automation = await find(teamId, id)
      const run = isId(runId) ? await automationRunRecords.find(teamId, automation, runId) : null
      const graph = run && (await automations.graphOf(teamId, run.versionId))
      if (!run || !graph) throw notFound(AUTOMATION_RUNS.noun)
      const steps = stepsOfRun(graph, run.state, { endedAt: run.endedAt?.toISOString() ?? null })
      return { teamName: await teamName(teamId), now: clock.now(), automation, run, graph, steps }
    },
  }
}
