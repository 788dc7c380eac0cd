// What the steps of a graph name: templates, topics, segments, properties. Says what of it a team does not have, or cannot use.
import { checkValue, type PropertyType } from '../../lib/audience/property-values.ts'
import type { ContactUpdateConfig, Graph, SendEmailConfig, Step } from '../../lib/automations/graph.ts'
import { quoted } from '../../lib/quotation.ts'
import { unknownVariable } from './variables-in-steps.ts'

/** Ids and aliases, each once. */
type NamedInGraph = { templates: string[]; topicIds: string[]; segmentIds: string[] }

export function namedInGraph({ steps }: Graph): NamedInGraph {
  const emails = steps.flatMap((step) => (step.type === 'send_email' ? [step.config] : []))
  return {
    templates: [...new Set(emails.map(({ template }) => template.id))],
    topicIds: [...new Set(emails.flatMap(({ topic_id }) => topic_id ?? []))],
    segmentIds: [...new Set(steps.flatMap((step) => (step.type === 'add_to_segment' ? [step.config.segment_id] : [])))],
  }
}

/** What the team has. A template is named by its id or its alias. */
export type KnownToTeam = {
  templates: { id: string; alias: string | null; publishedVersionId: string | null }[]
  topicIds: { has(id: string): boolean }
  /** Says of each segment whether it has a filter. */
  segments: ReadonlyMap<string, boolean>
  properties: { key: string; type: PropertyType }[]
}

/** The first thing that a step cannot use, as a sentence that names the step; null if there is none. */
export function referenceProblem({ steps }: Graph, known: KnownToTeam): string | null {
  const types = new Map(known.properties.map(({ key, type }) => [key, type]))
  const eventNames = steps.flatMap((step) => (step.type === 'wait_for_event' ? [step.config.event_name] : []))
  for (const step of steps) {
    const problem = problemOf(step, known, types) ?? unknownVariable(step, { properties: types, eventNames })
    if (problem !== null) return `Step ${quoted(step.key)}: ${problem}`
  }
  return null
}

function problemOf(step: Step, known: KnownToTeam, types: ReadonlyMap<string, PropertyType>): string | null {
  if (step.type === 'send_email') return emailProblem(step.config, known)
  if (step.type === 'contact_update') return propertyProblem(step.config, types)
  if (step.type !== 'add_to_segment') return null
  const { segment_id: id } = step.config
  const hasFilter = known.segments.get(id)
  if (hasFilter === undefined) return `The \`config.segment_id\` field is not the id of a segment of yours.`
  return hasFilter ? 'The `config.segment_id` field names a segment with a filter, which finds its contacts by itself.' : null
}

function emailProblem({ template, topic_id: topicId }: SendEmailConfig, { templates, topicIds }: KnownToTeam): string | null {
  const found = templates.find(({ id, alias }) => template.id === id || template.id === alias)
  if (!found) return `The \`config.template.id\` field is not the id or the alias of a template of yours.`
  if (found.publishedVersionId === null) return 'The `config.template.id` field names a draft. Publish the template first.'
  if (topicId === undefined || topicIds.has(topicId)) return null
  return `The \`config.topic_id\` field is not the id of a topic of yours.`
}

/** Only literal values have a type by now. A boolean is written as text. */
function propertyProblem({ properties = {} }: ContactUpdateConfig, types: ReadonlyMap<string, PropertyType>): string | null {
  for (const [key, value] of Object.entries(properties)) {
    const type = types.get(key)
    if (!type)
      return `The \`config.properties\` field holds ${quoted(key)}, which is not a property of your contacts: create it first at POST /contact-properties.`
    if (value === null || typeof value === 'object') continue
    const problem = checkValue(type, typeof value === 'boolean' ? String(value) : value)
    if (problem !== null) return `The \`config.properties.${key}\` field ${problem}.`
  }
  return null
}
