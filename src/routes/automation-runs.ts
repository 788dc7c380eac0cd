import { RUN_STATUSES } from '../lib/automations/engine/run-state.ts'
import { stepsOfRun } from '../lib/automations/run-steps.ts'
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { wordsOf } from '../mail/query-lists.ts'
import {
  AUTOMATION_RUNS,
  AutomationRun,
  AutomationRunList,
  AutomationRunListQuery,
  AutomationRunParams,
  EXAMPLE_RUN_STEPS,
} from '../schemas/automation-runs.ts'
import { AUTOMATIONS, AutomationParams } from '../schemas/automations.ts'
import { EVENTS } from '../schemas/events.ts'
import { mayRead } from '../schemas/oauth-scopes.ts'
import { toAutomationRun, toAutomationRunSummary } from '../serializers/automation-runs.ts'
import { toList } from '../serializers/list.ts'
import { type Call, operation, routes } from './operation.ts'

export const automationRunRoutes = routes(AUTOMATION_RUNS, ({ repositories }) => {
  const { automations, automationRunRecords: runs } = repositories

  async function list({ teamId, params, query }: Call<{ params: typeof AutomationParams; query: typeof AutomationRunListQuery }>) {
    const automation = await automations.find(teamId, params.automation_id)
    if (!automation) throw notFound(AUTOMATIONS.noun)
    const statuses = wordsOf('status', query.status, RUN_STATUSES)
    return toList(await runs.list(teamId, automation, { statuses, request: pageRequest(query, 'optional') }), toAutomationRunSummary)
  }

  async function retrieve({ holder, teamId, params }: Call<{ params: typeof AutomationRunParams }>) {
    const automation = await automations.find(teamId, params.automation_id)
    const run = automation && (await runs.find(teamId, automation, params.run_id))
    const graph = run && (await automations.graphOf(teamId, run.versionId))
    if (!run || !graph) throw notFound(AUTOMATION_RUNS.noun)
    const steps = stepsOfRun(graph, run.state, { endedAt: run.endedAt?.toISOString() ?? null })
    const shown = toAutomationRun(run, steps)
    // An email has the address of the contact and what events said of it, and a condition tells either.
    const showsOutputs = mayRead(holder, 'events') && mayRead(holder, 'contacts')
    return showsOutputs ? shown : { ...shown, steps: shown.steps.map((step) => ({ ...step, output: null })) }
  }

  return [
    operation({
      id: 'automations.runs.list',
      method: 'GET',
      path: '/automations/:automation_id/runs',
      summary: 'List the runs of an automation',
      description: 'Returns the runs of an automation, newest first. Without `limit`, the newest 1,000.',
      access: 'full',
      params: AutomationParams,
      query: AutomationRunListQuery,
      reply: AutomationRunList,
      example: { reply: { object: 'list', has_more: false, data: [AUTOMATION_RUNS.example] } },
      handle: list,
    }),
    operation({
      id: 'automations.runs.retrieve',
      method: 'GET',
      path: '/automations/:automation_id/runs/:run_id',
      summary: 'Retrieve a run of an automation',
      description:
        'Returns a run with the outcome of each step. An access token gets `output` only with `contacts:read` and `events:read`; otherwise it is null.',
      access: 'full',
      params: AutomationRunParams,
      reply: AutomationRun,
      example: {
        reply: { object: 'automation_run', ...AUTOMATION_RUNS.example, event: EVENTS.example.name, steps: EXAMPLE_RUN_STEPS },
      },
      handle: retrieve,
    }),
  ]
})
