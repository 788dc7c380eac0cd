import type { Static } from '@sinclair/typebox'
import { readChoices } from '../../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { mayRead } from '../../accounts/scopes.ts'
import { EVENTS } from '../../events/events.schema.ts'
import type { AutomationsContext } from '../automations.context.ts'
import { AUTOMATIONS, AutomationParams } from '../automations.schema.ts'
import { RUN_STATUSES } from '../engine/run-state.ts'
import type { AutomationRunRow, AutomationRunSummaryRow } from './run-records.repository.ts'
import { type ShownStep, stepsOfRun } from './run-steps.ts'
import {
  AUTOMATION_RUNS,
  AutomationRun,
  AutomationRunList,
  AutomationRunListQuery,
  AutomationRunParams,
  type AutomationRunStep,
  type AutomationRunSummary,
  EXAMPLE_RUN_STEPS,
} from './runs.schema.ts'

type Context = AutomationsContext

export const toAutomationRunSummary = (row: AutomationRunSummaryRow): Static<typeof AutomationRunSummary> => ({
  id: row.id,
  status: row.status,
  reason: row.reason,
  contact_id: row.contactId,
  started_at: toTimestamp(row.startedAt),
  completed_at: toTimestamp(row.completedAt),
  created_at: toTimestamp(row.createdAt),
})

export const toAutomationRun = (row: AutomationRunRow, steps: ShownStep[]): Static<typeof AutomationRun> => ({
  object: 'automation_run',
  ...toAutomationRunSummary(row),
  event: row.eventName,
  steps: steps.map((step) => toRunStep(step, row.createdAt)),
})

function toRunStep({ step, status, reached }: ShownStep, runCreatedAt: Date): Static<typeof AutomationRunStep> {
  const startedAt = timestampOf(reached?.startedAt ?? null)
  return {
    key: step.key,
    type: step.type,
    status,
    started_at: startedAt,
    completed_at: timestampOf(reached?.completedAt ?? null),
    waits_until: timestampOf(status === 'waiting' ? (reached?.until ?? null) : null),
    output: reached?.output ?? null,
    error: reached?.error == null ? null : { message: reached.error },
    created_at: startedAt ?? toTimestamp(runCreatedAt),
  }
}

const timestampOf = (text: string | null): string | null => (text === null ? null : toTimestamp(new Date(text)))

const operation = declareOperations(AUTOMATION_RUNS)

export const automationRunRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  const { automations, automationRunRecords: runs } = repositories

  app.get(
    '/automations/:automation_id/runs',
    operation({
      id: 'automations.runs.list',
      summary: 'List the runs of an automation',
      description: 'Returns the runs of an automation, newest first. Without `limit`, the newest 1,000.',
      access: 'full',
      audit: 'never',
      params: AutomationParams,
      query: AutomationRunListQuery,
      reply: { 200: AutomationRunList },
      example: { reply: { object: 'list', has_more: false, data: [AUTOMATION_RUNS.example] } },
    }),
    async ({ teamId, params, query }) => {
      const automation = await automations.find(teamId, params.automation_id)
      if (!automation) throw notFound(AUTOMATIONS.noun)
      const statuses = readChoices('status', query.status, RUN_STATUSES)
      return toList(await runs.list(teamId, automation, { statuses, request: pageRequest(query, 'optional') }), toAutomationRunSummary)
    },
  )

  app.get(
    '/automations/:automation_id/runs/:run_id',
    operation({
      id: 'automations.runs.retrieve',
      summary: 'Retrieve a run of an automation',
      description:
        'Returns a run with the outcome of each step. An access token gets `output` only with `contacts:read` and `events:read`; otherwise it is null.',
      access: 'full',
      audit: 'never',
      params: AutomationRunParams,
      reply: { 200: AutomationRun },
      example: {
        reply: { object: 'automation_run', ...AUTOMATION_RUNS.example, event: EVENTS.example.name, steps: EXAMPLE_RUN_STEPS },
      },
    }),
    async ({ caller, teamId, params }) => {
      const automation = await automations.find(teamId, params.automation_id)
      const run = automation && (await runs.find(teamId, automation, params.run_id))
      const graph = run && (await automations.graphOf(teamId, run.versionId))
      if (!run || !graph) throw notFound(AUTOMATION_RUNS.noun)
      const steps = stepsOfRun(graph, run.state, { endedAt: run.endedAt?.toISOString() ?? null })
      const shown = toAutomationRun(run, steps)
      // An email has the address of the contact and what events said of it, and a condition tells either.
      const showsOutputs = mayRead(caller, 'events') && mayRead(caller, 'contacts')
      return showsOutputs ? shown : { ...shown, steps: shown.steps.map((step) => ({ ...step, output: null })) }
    },
  )
}
