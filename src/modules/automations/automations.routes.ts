import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import { toList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { pageRequest } from '../../lib/page-request.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import type { TemplatesContext } from '../templates/templates.context.ts'
import type { AutomationsContext } from './automations.context.ts'
import type { AutomationRow, AutomationSummaryRow } from './automations.repository.ts'
import {
  AUTOMATION_LIMIT,
  AUTOMATIONS,
  Automation,
  AutomationCreate,
  AutomationDeletion,
  AutomationList,
  AutomationListQuery,
  AutomationParams,
  AutomationReference,
  AutomationStopped,
  type AutomationSummary,
  AutomationUpdate,
  EXAMPLE_GRAPH,
} from './automations.schema.ts'
import { createAutomation, duplicateAutomation, updateAutomation } from './automations.service.ts'
import { STEPS_MAX } from './graph/steps.schema.ts'

type Context = AudienceContext & AuditContext & TemplatesContext & AutomationsContext

export const toAutomationSummary = ({
  id,
  name,
  status,
  createdAt,
  updatedAt,
  disabledReason,
  heldAt,
}: AutomationSummaryRow): Static<typeof AutomationSummary> => ({
  id,
  name,
  status,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
  disabled_reason: disabledReason,
  held_at: toTimestamp(heldAt),
})

export const toAutomation = (row: AutomationRow): Static<typeof Automation> => ({
  object: 'automation',
  ...toAutomationSummary(row),
  class: row.class,
  reentry: row.reentry,
  max_runs_per_contact: row.maxRunsPerContact,
  stopped_at: toTimestamp(row.stoppedAt),
  held_contact_id: row.heldContactId,
  steps: row.graph.steps,
  connections: row.graph.connections,
  version: row.versionId,
})

const operation = declareOperations(AUTOMATIONS)
const automation = plainResource(AUTOMATIONS, 'automation')

export const automationRoutes: Routes<Context> = async (app, { context }) => {
  const { automations } = context.repositories

  app.post(
    '/automations',
    operation({
      id: 'automations.create',
      summary: 'Create an automation',
      description: `Creates an automation: a graph of up to ${STEPS_MAX} steps, which a contact runs through whenever the event of its trigger is sent for the contact. The graph is checked, and so are the records that it refers to: an error names the step. ${AUTOMATION_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      sends: 'when the automation is created enabled',
      body: AutomationCreate,
      reply: { 201: AutomationReference },
      example: { body: { name: 'Welcome', ...EXAMPLE_GRAPH }, reply: automation.examples.reference },
    }),
    async ({ caller, body }) => automation.reference(await createAutomation(context, caller, body)),
  )

  app.get(
    '/automations',
    operation({
      id: 'automations.list',
      summary: 'List automations',
      description: 'Returns the automations of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: AutomationListQuery,
      reply: { 200: AutomationList },
      example: { reply: automation.examples.list },
    }),
    async ({ teamId, query }) => {
      return toList(await automations.list(teamId, { status: query.status ?? null }, pageRequest(query, 'always')), toAutomationSummary)
    },
  )

  app.get(
    '/automations/:automation_id',
    operation({
      id: 'automations.retrieve',
      summary: 'Retrieve an automation',
      description: 'Returns an automation with its steps and connections.',
      access: 'full',
      audit: 'never',
      params: AutomationParams,
      reply: { 200: Automation },
      example: {
        reply: {
          object: 'automation',
          ...AUTOMATIONS.example,
          ...{
            class: 'transactional',
            reentry: 'always',
            max_runs_per_contact: null,
            stopped_at: null,
            held_contact_id: null,
          },
          ...EXAMPLE_GRAPH,
          version: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc9',
        },
      },
    }),
    automation.retrieve(automations.find, toAutomation),
  )

  app.patch(
    '/automations/:automation_id',
    operation({
      id: 'automations.update',
      summary: 'Update an automation',
      description:
        'Changes an automation. `steps` and `connections` change together, for runs that start from now on: a run keeps the graph with which it started. A disabled automation starts no runs; running ones continue.',
      access: 'full',
      audit: 'always',
      sends: 'when the automation is enabled then',
      params: AutomationParams,
      body: AutomationUpdate,
      reply: { 200: AutomationReference },
      example: { body: { status: 'enabled' }, reply: automation.examples.reference },
    }),
    async ({ caller, params, body }) =>
      automation.reference(await updateAutomation(context, caller, { id: params.automation_id, input: body })),
  )

  app.delete(
    '/automations/:automation_id',
    operation({
      id: 'automations.delete',
      summary: 'Delete an automation',
      description: 'Deletes an automation and its runs. Running ones end at once.',
      access: 'full',
      audit: 'always',
      params: AutomationParams,
      reply: { 200: AutomationDeletion },
      example: { reply: automation.examples.deletion },
    }),
    async ({ teamId, params }) => automation.deletion(await automations.deleteAutomation(teamId, params.automation_id)),
  )

  app.post(
    '/automations/:automation_id/duplicate',
    operation({
      id: 'automations.duplicate',
      summary: 'Duplicate an automation',
      description: 'Creates a disabled automation with the same settings, steps and connections.',
      access: 'full',
      audit: 'always',
      params: AutomationParams,
      reply: { 201: AutomationReference },
      example: { reply: automation.examples.reference },
    }),
    async ({ caller, params }) => automation.reference(await duplicateAutomation(context, caller, params.automation_id)),
  )

  app.post(
    '/automations/:automation_id/stop',
    operation({
      id: 'automations.stop',
      summary: 'Stop an automation',
      description:
        'Disables an automation, cancels its running runs and says how many. Emails that were accepted before are still delivered. To let the runs continue, disable the automation instead.',
      access: 'full',
      audit: 'always',
      params: AutomationParams,
      reply: { 200: AutomationStopped },
      example: { reply: { ...automation.examples.reference, status: 'disabled', cancelled_runs: 12 } },
    }),
    async ({ teamId, params }) => {
      const stopped = await automations.stop(teamId, params.automation_id)
      return {
        ...automation.reference(stopped && { id: stopped.id }),
        status: 'disabled' as const,
        cancelled_runs: stopped?.cancelledRuns ?? 0,
      }
    },
  )
}
