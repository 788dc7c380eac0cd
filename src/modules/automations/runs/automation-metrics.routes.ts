import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { notFound } from '../../../lib/failure.ts'
import { Id, Kind, Named } from '../../../lib/validation/common.schema.ts'
import type { AutomationsContext } from '../automations.context.ts'
import { AUTOMATIONS, AutomationParams } from '../automations.schema.ts'
import { NEWEST_RUNS_MAX, RUNNING_MAX, type RunCounts, type StepCount } from './run-records.repository.ts'

const count = (description: string) => Type.Integer({ description })

const newest = NEWEST_RUNS_MAX.toLocaleString('en')

export const AutomationMetrics = Named(
  'AutomationMetrics',
  Type.Object(
    {
      object: Kind('automation_metrics'),
      automation_id: Id('Id of the automation.'),
      runs: Type.Object(
        {
          running: count(
            `Runs that have not ended; ${(RUNNING_MAX + 1).toLocaleString('en')} stands for more than ${RUNNING_MAX.toLocaleString('en')}.`,
          ),
          completed: count(`Runs that reached an end, among the newest ${newest}.`),
          failed: count(`Runs that failed, among the newest ${newest}.`),
          cancelled: count(`Runs that were cancelled, among the newest ${newest}.`),
        },
        { description: 'How many runs are in each status.' },
      ),
      steps: Type.Array(
        Type.Object({
          key: Type.String({ description: 'Key of the step.', examples: ['welcome'] }),
          type: Type.String({ description: 'Type of the step.', examples: ['send_email'] }),
          entered: count('Runs that reached the step.'),
          running: count('Runs that are at the step.'),
          waiting: count('Runs that wait at the step.'),
          completed: count('Runs that completed the step.'),
          failed: count('Runs in which the step failed.'),
          skipped: count('Runs in which the step was skipped.'),
          met: count('Runs in which the condition of the step was met; 0 if it has none.'),
          not_met: count('Runs in which the condition of the step was not met; 0 if it has none.'),
          timed_out: count('Runs that waited at the step in vain; 0 if it does not wait for an event.'),
        }),
        { description: `What became of each step in the newest ${newest} runs with the present steps, in the order of the automation.` },
      ),
    },
    { description: 'How contacts go through an automation.' },
  ),
)

type Metrics = Static<typeof AutomationMetrics>

export function toAutomationMetrics(
  { id, steps }: { id: string; steps: readonly { key: string; type: string }[] },
  { runs, counts }: { runs: RunCounts; counts: readonly StepCount[] },
): Metrics {
  const byKey = Map.groupBy(counts, ({ key }) => key)
  return {
    ...{ object: 'automation_metrics', automation_id: id, runs },
    steps: steps.map(({ key, type }) => ({ key, type, ...countsOf(byKey.get(key) ?? []) })),
  }
}

function countsOf(counts: readonly StepCount[]): Omit<Metrics['steps'][number], 'key' | 'type'> {
  const sum = (isCounted: (one: StepCount) => boolean): number => counts.filter(isCounted).reduce((total, one) => total + one.count, 0)
  const inStatus = (wanted: StepCount['status']): number => sum(({ status }) => status === wanted)
  return {
    entered: sum(({ status }) => status !== 'skipped'),
    ...{ running: inStatus('running'), waiting: inStatus('waiting'), completed: inStatus('completed') },
    ...{ failed: inStatus('failed'), skipped: inStatus('skipped') },
    ...{
      met: sum(({ met }) => met === true),
      not_met: sum(({ met }) => met === false),
      timed_out: sum(({ timedOut }) => timedOut === true),
    },
  }
}

const NO_RUNS = { running: 0, completed: 0, failed: 0, cancelled: 0 }

const operation = declareOperations(AUTOMATIONS)

export const automationMetricRoutes: Routes<AutomationsContext> = async (app, { context: { repositories } }) => {
  const { automations, automationRunCounts } = repositories

  app.get(
    '/automations/:automation_id/metrics',
    operation({
      id: 'automations.metrics.retrieve',
      summary: 'Count the runs and steps of an automation',
      description: `Returns how many runs of an automation are in each status and, for each of its present steps, how many runs reached it, wait there, completed it or failed: where contacts drop off. Of ended runs and of steps, the newest ${newest} runs are counted.`,
      access: 'full',
      audit: 'never',
      params: AutomationParams,
      reply: { 200: AutomationMetrics },
      example: {
        reply: {
          object: 'automation_metrics',
          automation_id: AUTOMATIONS.example.id,
          runs: { running: 12, completed: 300, failed: 2, cancelled: 1 },
          steps: [
            {
              ...{ key: 'welcome', type: 'send_email', entered: 315, running: 0, waiting: 12, completed: 301, failed: 2, skipped: 0 },
              ...{ met: 0, not_met: 0, timed_out: 0 },
            },
          ],
        },
      },
    }),
    async ({ teamId, params }) => {
      const automation = await automations.find(teamId, params.automation_id)
      if (!automation) throw notFound(AUTOMATIONS.noun)
      const { id, versionId, graph } = automation
      const [runs, counts] = await Promise.all([
        automationRunCounts.ofAutomations(teamId, [id]),
        automationRunCounts.ofSteps(teamId, { automationId: id, versionId }),
      ])
      return toAutomationMetrics({ id, steps: graph.steps }, { runs: runs.get(id) ?? NO_RUNS, counts })
    },
  )
}
