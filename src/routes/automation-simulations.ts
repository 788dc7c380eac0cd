import type { Graph } from '../lib/automations/graph.ts'
import { parseDuration } from '../lib/durations.ts'
import { Failure, invalid, notFound } from '../lib/failure.ts'
import { explainProblem } from '../lib/problem.ts'
import { contactAddress } from '../mail/audience/contact-addresses.ts'
import { checkPayload } from '../mail/automations/event-payloads.ts'
import { AutomationSimulate, AutomationSimulation, SIMULATED_EVENTS_MAX, SIMULATION_EXAMPLE } from '../schemas/automation-simulations.ts'
import { AUTOMATIONS, AutomationParams } from '../schemas/automations.ts'
import { toAutomationSimulation } from '../serializers/automation-simulations.ts'
import { changeOfStep, knownContact, outcomeOf } from '../services/automation-acts.ts'
import { makeAutomationEmails } from '../services/automation-emails.ts'
import { judgeEmails } from '../services/judge-emails.ts'
import { type SimulationRequest, simulateAutomation } from '../services/simulate-automation.ts'
import { unsubscribeUrl } from '../services/unsubscribe-links.ts'
import { type Call, operation, routes } from './operation.ts'

const EVENT_DAYS_MAX = 365
const DAY_MS = 86_400_000

export const automationSimulationRoutes = routes(AUTOMATIONS, (context) => {
  const { automations, contactProperties, contacts, contactTopics, events } = context.repositories
  const making = {
    judge: (teamId: string, written: Parameters<typeof judgeEmails>[2]) => judgeEmails(context, { teamId, domainId: null }, written),
    unsubscribeUrlOf: (recipient: Parameters<typeof unsubscribeUrl>[1]) => unsubscribeUrl(context, recipient),
  }

  async function simulate({ teamId, params, body, takeRoom }: Call<{ params: typeof AutomationParams; body: typeof AutomationSimulate }>) {
    const automation = await automations.find(teamId, params.automation_id)
    if (!automation) throw notFound(AUTOMATIONS.noun)
    const { graph, class: kind } = automation
    await checkPayloads(teamId, graph, body)
    const request = { graph, class: kind, contact: await contactOf(teamId, body), payload: body.payload ?? {}, events: eventsOf(body) }
    const properties = await contactProperties.all(teamId)
    const simulated = await simulateAutomation(context, teamId, request, {
      async makeEmail(email) {
        const made = await makeAutomationEmails(context, [{ id: automation.id, teamId, ...email }], {
          ...making,
          propertiesOf: () => properties,
        })
        return made.get(automation.id) ?? { failed: 'The email could not be made.' }
      },
      changeOf: (config, known) => changeOfStep(config, known, properties),
      outcomeOf,
      knownContact,
      properties,
      takeRoom,
    })
    return toAutomationSimulation(automation.id, { graph, ...simulated })
  }

  /** @throws Failure about the first that could not be sent */
  async function checkPayloads(teamId: string, graph: Graph, { payload, events: given }: AutomationSimulate): Promise<void> {
    const trigger = graph.steps.find((step) => step.type === 'trigger')
    const payloads = [
      { event: trigger?.config.event_name ?? '', payload: payload ?? {}, field: 'payload' },
      ...(given ?? []).map(({ event, payload: fields }, index) => ({ event, payload: fields ?? {}, field: `events[${index}].payload` })),
    ]
    const schemas = await events.schemasOf(teamId, [...new Set(payloads.map(({ event }) => event))])
    for (const { event, payload: fields, field } of payloads) checkPayload(fields, { field, event, schema: schemas.get(event) ?? null })
  }

  async function contactOf(
    teamId: string,
    { contact_id: id = null, email = null }: AutomationSimulate,
  ): Promise<SimulationRequest['contact']> {
    if ((id === null) === (email === null)) throw invalid('Give either `contact_id` or `email`.')
    const address = email === null ? '' : contactAddress(email)
    if (typeof address !== 'string') throw invalid(explainProblem('email', address, email ?? ''))
    const found = await contacts.find(teamId, id === null ? { email: address } : { id: id.toLowerCase() })
    if (found) return { ...found, isImagined: false }
    if (id !== null) throw invalid('The `contact_id` field is not the id of a contact of yours.')
    const addressHash = context.hashAddress(teamId, address)
    // A run would make this contact, and opt-outs outlive contacts.
    const { unsubscribed } = await contactTopics.ofAddress(teamId, addressHash)
    return { email: address, addressHash, firstName: null, lastName: null, unsubscribed, properties: {}, isImagined: true }
  }

  return [
    operation({
      id: 'automations.simulate',
      method: 'POST',
      path: '/automations/:automation_id/simulate',
      summary: 'Simulate an automation',
      description: `Shows what the automation would do for a contact, on a clock of its own: the steps that the contact would go through, with their times, and the emails. Up to ${SIMULATED_EVENTS_MAX} events can happen meanwhile. Nothing is stored or sent, whether the automation is enabled or not.`,
      access: 'full',
      shows: ['contacts', 'templates'],
      params: AutomationParams,
      body: AutomationSimulate,
      reply: AutomationSimulation,
      example: {
        body: {
          email: 'ada@example.com',
          payload: { plan: 'pro' },
          events: [{ event: 'order.paid', after: '2 hours', payload: { total: 49.9 } }],
        },
        reply: SIMULATION_EXAMPLE,
      },
      handle: simulate,
    }),
  ]
})

/** @throws Failure about the first that is wrong */
function eventsOf({ events }: AutomationSimulate): SimulationRequest['events'] {
  return (events ?? []).map(({ event: name, after, payload }, index) => {
    const afterMs = parseDuration(after)
    if (afterMs === null || afterMs > EVENT_DAYS_MAX * DAY_MS)
      throw new Failure(
        'validation',
        `The \`events[${index}].after\` field must be a duration of up to ${EVENT_DAYS_MAX} days, such as \`2 hours\`.`,
      )
    return { name, payload: payload ?? {}, afterMs }
  })
}
