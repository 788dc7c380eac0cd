import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS, parseDuration, toTimestamp } from '../../../lib/clock.ts'
import { Failure, invalid, notFound } from '../../../lib/failure.ts'
import { explainProblem } from '../../../lib/problem.ts'
import { contactAddress } from '../../../mail/address-forms.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import { unsubscribeUrl } from '../../audience/unsubscribe/unsubscribe-links.service.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { validateEmails } from '../../emails/validate-emails.service.ts'
import type { EventsContext } from '../../events/events.context.ts'
import { checkPayload } from '../../events/events.schema.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TemplatesContext } from '../../templates/templates.context.ts'
import type { AutomationsContext } from '../automations.context.ts'
import { AUTOMATIONS, AutomationParams } from '../automations.schema.ts'
import { givenGraph } from '../automations.service.ts'
import { type RunState, stepStateOf } from '../engine/run-state.ts'
import { type Graph, stepsInOrder } from '../graph/graph.ts'
import { makeAutomationEmails } from '../steps/email-steps.ts'
import { AutomationSimulate, AutomationSimulation, SIMULATED_EVENTS_MAX, SIMULATION_EXAMPLE } from './simulations.schema.ts'
import { type SimulationRequest, simulateAutomation } from './simulations.service.ts'

type Context = PlatformContext &
  AccountsContext &
  SecretsContext &
  DomainsContext &
  SuppressionsContext &
  AudienceContext &
  TemplatesContext &
  EmailsContext &
  EventsContext &
  AutomationsContext

type Email = {
  key: string
  at: Date
  draft: { to: string[]; from: string; replyTo: string[]; subject: string; html: string | null; text: string | null }
}

export function toAutomationSimulation(
  automationId: string,
  { graph, state, emails }: { graph: Graph; state: RunState; emails: Email[] },
): AutomationSimulation {
  return {
    object: 'automation_simulation',
    automation_id: automationId,
    status: state.status,
    reason: state.reason,
    steps: stepsInOrder(graph).flatMap(({ key, type }) => {
      const step = stepStateOf(state.steps, key)
      if (!step) return []
      const { status, startedAt, completedAt, until, output, error } = step
      return [
        {
          key,
          type,
          status,
          started_at: toTimestamp(new Date(startedAt)),
          completed_at: completedAt === null ? null : toTimestamp(new Date(completedAt)),
          waits_until: until === null ? null : toTimestamp(new Date(until)),
          output,
          error,
        },
      ]
    }),
    emails: emails.map(({ key, at, draft: { to, from, replyTo, subject, html, text } }) => ({
      step: key,
      sent_at: toTimestamp(at),
      to: to[0] ?? '',
      from,
      reply_to: replyTo,
      subject,
      html,
      text,
    })),
  }
}

const EVENT_DAYS_MAX = 365

const operation = declareOperations(AUTOMATIONS)

export const automationSimulationRoutes: Routes<Context> = async (app, { context }) => {
  const { automations, contactProperties, contacts, contactTopics, events } = context.repositories

  const making = {
    validate: (teamId: string, written: Parameters<typeof validateEmails>[2]) =>
      validateEmails(context, { teamId, domainId: null }, written),
    unsubscribeUrlOf: (recipient: Parameters<typeof unsubscribeUrl>[1]) => unsubscribeUrl(context, recipient),
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

  async function findContact(
    teamId: string,
    { contact_id: id = null, email = null }: AutomationSimulate,
  ): Promise<SimulationRequest['contact']> {
    if ((id === null) === (email === null)) throw invalid('Give either `contact_id` or `email`.')
    const address = email === null ? '' : contactAddress(email)
    if (typeof address !== 'string') throw invalid(explainProblem('email', address, email ?? ''))
    const found = await contacts.find(teamId, id === null ? { email: address } : { id: id.toLowerCase() })
    if (found) return { ...found, isImagined: false }
    if (id !== null) throw invalid('The `contact_id` field is not the id of one of your contacts.')
    const addressHash = context.hashAddress(teamId, address)
    // A run would make this contact, and opt-outs outlive contacts.
    const { unsubscribed } = await contactTopics.ofAddress(teamId, addressHash)
    return { email: address, addressHash, firstName: null, lastName: null, unsubscribed, properties: {}, isImagined: true }
  }

  app.post(
    '/automations/:automation_id/simulate',
    operation({
      id: 'automations.simulate',
      summary: 'Simulate an automation',
      description: `Shows what the automation would do for a contact, on a clock of its own: the steps that the contact would go through, with their times, and the emails. Up to ${SIMULATED_EVENTS_MAX} events can happen meanwhile. Nothing is stored or sent, whether the automation is enabled or not.`,
      access: 'full',
      audit: 'never',
      shows: ['contacts', 'templates'],
      params: AutomationParams,
      body: AutomationSimulate,
      reply: { 200: AutomationSimulation },
      example: {
        body: {
          email: 'ada@example.com',
          payload: { plan: 'pro' },
          events: [{ event: 'order.paid', after: '2 hours', payload: { total: 49.9 } }],
        },
        reply: SIMULATION_EXAMPLE,
      },
    }),
    async ({ teamId, params, body }, { takeRoom }) => {
      const automation = await automations.find(teamId, params.automation_id)
      if (!automation) throw notFound(AUTOMATIONS.noun)
      const { class: kind } = automation
      const graph = (await givenGraph(context, teamId, body)) ?? automation.graph
      await checkPayloads(teamId, graph, body)
      const request = { graph, class: kind, contact: await findContact(teamId, body), payload: body.payload ?? {}, events: toEvents(body) }
      const properties = await contactProperties.all(teamId)
      const simulated = await simulateAutomation(context, teamId, request, {
        async makeEmail(email) {
          const made = await makeAutomationEmails(context, [{ id: automation.id, teamId, ...email }], {
            ...making,
            propertiesOf: () => properties,
          })
          return made.get(automation.id) ?? { failed: 'The email could not be made.' }
        },
        properties,
        takeRoom,
      })
      return toAutomationSimulation(automation.id, { graph, ...simulated })
    },
  )
}

/** @throws Failure about the first that is wrong */
function toEvents({ events }: AutomationSimulate): SimulationRequest['events'] {
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
