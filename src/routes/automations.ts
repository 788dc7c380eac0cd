import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { STEPS_MAX } from '../schemas/automation-steps.ts'
import {
  AUTOMATIONS,
  AUTOMATIONS_MAX,
  Automation,
  AutomationCreate,
  AutomationDeletion,
  AutomationList,
  AutomationListQuery,
  AutomationParams,
  AutomationReference,
  AutomationStopped,
  AutomationUpdate,
  EXAMPLE_GRAPH,
} from '../schemas/automations.ts'
import { toAutomation, toAutomationSummary } from '../serializers/automations.ts'
import { toList } from '../serializers/list.ts'
import { changeAutomation, createAutomation, duplicateAutomation } from '../services/save-automation.ts'
import { type Call, operation, routes } from './operation.ts'

export const automationRoutes = routes(AUTOMATIONS, (context) => {
  const { automations } = context.repositories

  async function create({ holder, body }: Call<{ body: typeof AutomationCreate }>) {
    return referenceTo(await createAutomation(context, holder, body))
  }

  async function list({ teamId, query }: Call<{ query: typeof AutomationListQuery }>) {
    return toList(await automations.list(teamId, { status: query.status ?? null }, pageRequest(query, 'always')), toAutomationSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof AutomationParams }>) {
    return toAutomation(found(await automations.find(teamId, params.automation_id)))
  }

  async function update({ holder, params, body }: Call<{ params: typeof AutomationParams; body: typeof AutomationUpdate }>) {
    return referenceTo(await changeAutomation(context, holder, { id: params.automation_id, input: body }))
  }

  async function remove({ teamId, params }: Call<{ params: typeof AutomationParams }>) {
    return { ...referenceTo(await automations.remove(teamId, params.automation_id)), deleted: true }
  }

  async function duplicate({ teamId, params }: Call<{ params: typeof AutomationParams }>) {
    return referenceTo(await duplicateAutomation(context, teamId, params.automation_id))
  }

  async function stop({ teamId, params }: Call<{ params: typeof AutomationParams }>) {
    return { ...referenceTo(await automations.stop(teamId, params.automation_id)), status: 'disabled' as const }
  }

  const reference = { object: 'automation' as const, id: AUTOMATIONS.example.id }

  return [
    operation({
      id: 'automations.create',
      method: 'POST',
      path: '/automations',
      summary: 'Create an automation',
      description: `Creates an automation: a graph of up to ${STEPS_MAX} steps, which a contact runs through whenever the event of its trigger is sent for the contact. The graph is checked, and so are the records that it refers to: an error names the step. A team can have at most ${AUTOMATIONS_MAX} automations.`,
      access: 'full',
      sends: 'when the automation is created enabled',
      status: 201,
      body: AutomationCreate,
      reply: AutomationReference,
      example: { body: { name: 'Welcome', ...EXAMPLE_GRAPH }, reply: reference },
      handle: create,
    }),
    operation({
      id: 'automations.list',
      method: 'GET',
      path: '/automations',
      summary: 'List automations',
      description: 'Returns the automations of the team, newest first, 20 by default.',
      access: 'full',
      query: AutomationListQuery,
      reply: AutomationList,
      example: { reply: { object: 'list', has_more: false, data: [AUTOMATIONS.example] } },
      handle: list,
    }),
    operation({
      id: 'automations.retrieve',
      method: 'GET',
      path: '/automations/:automation_id',
      summary: 'Retrieve an automation',
      description: 'Returns an automation with its steps and connections.',
      access: 'full',
      params: AutomationParams,
      reply: Automation,
      example: {
        reply: {
          object: 'automation',
          ...AUTOMATIONS.example,
          ...{
            class: 'transactional',
            reentry: 'always',
            max_runs_per_contact: null,
            disabled_reason: null,
            held_at: null,
            held_contact_id: null,
          },
          ...EXAMPLE_GRAPH,
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'automations.update',
      method: 'PATCH',
      path: '/automations/:automation_id',
      summary: 'Update an automation',
      description:
        'Changes an automation. `steps` and `connections` change together, for runs that start from now on: a run keeps the graph with which it started. A disabled automation starts no runs; running ones continue.',
      access: 'full',
      sends: 'when the automation is enabled then',
      params: AutomationParams,
      body: AutomationUpdate,
      reply: AutomationReference,
      example: { body: { status: 'enabled' }, reply: reference },
      handle: update,
    }),
    operation({
      id: 'automations.delete',
      method: 'DELETE',
      path: '/automations/:automation_id',
      summary: 'Delete an automation',
      description: 'Deletes an automation and its runs. Running ones end at once.',
      access: 'full',
      params: AutomationParams,
      reply: AutomationDeletion,
      example: { reply: { ...reference, deleted: true } },
      handle: remove,
    }),
    operation({
      id: 'automations.duplicate',
      method: 'POST',
      path: '/automations/:automation_id/duplicate',
      summary: 'Duplicate an automation',
      description: 'Creates a disabled automation with the same settings, steps and connections.',
      access: 'full',
      status: 201,
      params: AutomationParams,
      reply: AutomationReference,
      example: { reply: reference },
      handle: duplicate,
    }),
    operation({
      id: 'automations.stop',
      method: 'POST',
      path: '/automations/:automation_id/stop',
      summary: 'Stop an automation',
      description: 'Disables an automation and cancels its running runs. To let them continue, disable the automation instead.',
      access: 'full',
      params: AutomationParams,
      reply: AutomationStopped,
      example: { reply: { ...reference, status: 'disabled' } },
      handle: stop,
    }),
  ]
})

const referenceTo = (automation: { id: string } | null) => ({ object: 'automation' as const, id: found(automation).id })

function found<T>(automation: T | null): T {
  if (automation === null) throw notFound(AUTOMATIONS.noun)
  return automation
}
