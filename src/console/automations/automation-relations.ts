// What an automation names, as far as the team has it: the event that starts it, and the templates of its emails.
import type { Context } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import type { Graph } from '../../modules/automations/graph/graph.ts'

export type AutomationRelations = { eventName: string; eventId: string | null; templates: { id: string; name: string }[] }

/** More are not linked. */
const TEMPLATES_SHOWN_MAX = 10

export async function automationRelations(
  { events, templates }: Pick<Context['repositories'], 'events' | 'templates'>,
  teamId: string,
  { steps }: Graph,
): Promise<AutomationRelations> {
  const eventName = steps.flatMap((step) => (step.type === 'trigger' ? [step.config.event_name] : []))[0] ?? ''
  const named = new Set(steps.flatMap((step) => (step.type === 'send_email' ? [step.config.template.id] : [])))
  const found = await Promise.all(
    [...named].slice(0, TEMPLATES_SHOWN_MAX).map((id) => templates.find(teamId, isId(id) ? { id: id.toLowerCase() } : { alias: id })),
  )
  const kept = new Map(found.flatMap((template) => (template === null ? [] : [[template.id, template.name] as const])))
  return {
    eventName,
    eventId: (await events.find(teamId, { name: eventName }))?.id ?? null,
    templates: [...kept].map(([id, name]) => ({ id, name })),
  }
}
