// Judges how the steps of an automation are connected.

import { Failure, invalid } from '../../../lib/failure.ts'
import { quoted, quotedValue } from '../../../lib/problem.ts'
import { isRecord } from '../../../lib/validation/field-tree.ts'
import type { PropertyType } from '../../audience/properties/properties.schema.ts'
import { checkValue } from '../../audience/properties/property-values.ts'
import { CONNECTIONS_OF, type Connection, type Graph, type Rule, type Step, type StepType } from './graph.ts'
import { CONTACT_FIELDS, namedInStep, parseReference } from './references.ts'
import { GRAPH_BYTES_MAX, readStep } from './steps.schema.ts'

/** The first thing that is wrong, as a sentence that names the step and the rule; null if nothing is. */
export function graphProblem(graph: Graph): string | null {
  return repeatedKey(graph) ?? triggerProblem(graph) ?? connectionProblem(graph) ?? cycleProblem(graph) ?? reachProblem(graph)
}

function repeatedKey({ steps }: Graph): string | null {
  const places = new Map<string, number>()
  for (const [index, { key }] of steps.entries()) {
    const first = places.get(key)
    if (first !== undefined) return `Step ${quoted(key)}: \`steps[${first}]\` has the same key. Each step needs a key of its own.`
    places.set(key, index)
  }
  return null
}

function triggerProblem({ steps }: Graph): string | null {
  const [first, second] = steps.filter(({ type }) => type === 'trigger')
  if (!first) return 'The `steps` field must have a step of type `trigger`, which begins every run.'
  return second ? `Step ${quoted(second.key)}: it is a second trigger, after ${quoted(first.key)}. An automation has exactly one.` : null
}

function connectionProblem({ steps, connections }: Graph): string | null {
  const byKey = new Map(steps.map((step) => [step.key, step]))
  const left = new Set<string>()
  for (const [index, connection] of connections.entries()) {
    const { from, to, type } = connection
    const [source, target] = [byKey.get(from), byKey.get(to)]
    if (!source) return `The \`connections[${index}].from\` field is not the key of a step.${quotedValue(from)}`
    if (!target) return `The \`connections[${index}].to\` field is not the key of a step.${quotedValue(to)}`
    if (source === target) return `Step ${quoted(from)}: \`connections[${index}]\` leads from it to itself.`
    if (target.type === 'trigger') return `Step ${quoted(to)}: \`connections[${index}]\` leads to it, and nothing comes before a trigger.`
    const problem = typeProblem(source, connection)
    if (problem !== null) return problem
    const way = `${type} ${from}`
    if (left.has(way))
      return `Step ${quoted(from)}: several connections of type \`${type}\` lead from it. A step has at most one of each type.`
    left.add(way)
  }
  return null
}

function typeProblem(source: Step, { type }: Connection): string | null {
  const types = CONNECTIONS_OF[source.type]
  if (!types.includes(type))
    return `Step ${quoted(source.key)}: a connection of type \`${type}\` leads from it. A \`${source.type}\` step has ${types.map((name) => `\`${name}\``).join(' and ')}.`
  if (source.type === 'wait_for_event' && type === 'timeout' && source.config.timeout === undefined)
    return `Step ${quoted(source.key)}: a connection of type \`timeout\` leads from it, and its configuration has no \`timeout\`.`
  return null
}

/** Every connection has been checked: its steps exist. */
function cycleProblem({ steps, connections }: Graph): string | null {
  const following = followingSteps(connections)
  const done = new Set<string>()

  /** The keys of a cycle, if one is reached from `key`. `path`: how. */
  function cycleFrom(key: string, path: string[]): string[] | null {
    if (path.includes(key)) return path.slice(path.indexOf(key))
    if (done.has(key)) return null
    for (const next of following.get(key) ?? []) {
      const cycle = cycleFrom(next, [...path, key])
      if (cycle) return cycle
    }
    done.add(key)
    return null
  }

  for (const { key } of steps) {
    const [first = '', ...others] = cycleFrom(key, []) ?? []
    if (others.length > 0)
      return `Step ${quoted(first)}: connections lead from it back to it, through ${quoted(others.at(-1) ?? '')}. Remove the loop: every path must end.`
  }
  return null
}

function reachProblem({ steps, connections }: Graph): string | null {
  const following = followingSteps(connections)
  const reached = new Set<string>()
  const waiting = steps.filter(({ type }) => type === 'trigger').map(({ key }) => key)
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    reached.add(key)
    waiting.push(...(following.get(key) ?? []).filter((next) => !reached.has(next)))
  }
  const lost = steps.find(({ key }) => !reached.has(key))
  return lost ? `Step ${quoted(lost.key)}: no connection leads to it from the trigger. Connect it, or remove it.` : null
}

function followingSteps(connections: Connection[]): Map<string, string[]> {
  const following = new Map<string, string[]>()
  for (const { from, to } of connections) following.set(from, [...(following.get(from) ?? []), to])
  return following
}

// What the rules and variables of a step stand for: fields of events, and of the contact.

/** What there is to refer to. */
type Known = { properties: { has(key: string): boolean }; eventNames: readonly string[] }

/** The first rule or variable of the step that can never stand for anything, as a sentence; null if there is none. */
export function unknownVariable(step: Step, known: Known): string | null {
  for (const { field, name } of variablesIn(step)) {
    const problem = variableProblem(name, known)
    if (problem !== null) return `The \`${field}\` field ${problem}.${quotedValue(name)}`
  }
  return null
}

type Variable = { field: string; name: string }

function variablesIn(step: Step): Variable[] {
  const { rule, values } = namedInStep(step)
  return [...(rule ? variablesInRule(rule.value, rule.field) : []), ...values.flatMap(({ field, value }) => references(value, field))]
}

function variablesInRule(rule: Rule, path: string): Variable[] {
  if (rule.type === 'rule') return [{ field: `${path}.field`, name: rule.field }]
  return rule.rules.flatMap((each, index) => variablesInRule(each, `${path}.rules[${index}]`))
}

const references = (values: object, path: string): Variable[] =>
  Object.entries(values).flatMap(([key, value]) =>
    isRecord(value) && typeof value.var === 'string' ? [{ field: `${path}.${key}.var`, name: value.var }] : [],
  )

/** Fields of events may have any name: events need no schema. */
function variableProblem(name: string, { properties, eventNames }: Known): string | null {
  const reference = parseReference(name)
  if (reference === null) return 'must begin with `event.`, `contact.` or `wait_events.`'
  if (reference.of === 'heard')
    return eventNames.some((event) => reference.path.startsWith(`${event}.`) && reference.path.length > event.length + 1)
      ? null
      : 'names an event that no step waits for. Write `wait_events.`, the name of the event, a dot and the name of the field'
  if (reference.of !== 'property' || properties.has(reference.key)) return null
  const fields = CONTACT_FIELDS.map((field) => `\`contact.${field}\``).join(', ')
  return `names a property that your contacts do not have: create it first with POST /contact-properties. Every contact has ${fields}`
}

// Says what a team does not have, or cannot use, of that which the steps of a graph name: templates, topics, segments, properties.

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
    const problem = findStepProblem(step, known, types) ?? unknownVariable(step, { properties: types, eventNames })
    if (problem !== null) return `Step ${quoted(step.key)}: ${problem}`
  }
  return null
}

function findStepProblem(step: Step, known: KnownToTeam, types: ReadonlyMap<string, PropertyType>): string | null {
  const { template, topic, segment, properties } = namedInStep(step)
  return (
    (template ? templateProblem(template, known) : null) ??
    (topic && !known.topicIds.has(topic.value) ? `The \`${topic.field}\` field is not the id of one of your topics.` : null) ??
    (segment ? segmentProblem(segment, known) : null) ??
    (properties ? propertyProblem(properties, types) : null)
  )
}

type Id = { field: string; value: string }

function templateProblem({ field, value }: Id, { templates }: KnownToTeam): string | null {
  const found = templates.find(({ id, alias }) => value === id || value === alias)
  if (!found) return `The \`${field}\` field is not the id or the alias of one of your templates.`
  return found.publishedVersionId === null ? `The \`${field}\` field names a draft. Publish the template first.` : null
}

function segmentProblem({ field, value }: Id, { segments }: KnownToTeam): string | null {
  const hasFilter = segments.get(value)
  if (hasFilter === undefined) return `The \`${field}\` field is not the id of one of your segments.`
  return hasFilter ? `The \`${field}\` field names a segment with a filter, which selects its contacts. Name a segment without one.` : null
}

/** Only literal values have a type by now. A boolean is written as text. */
function propertyProblem(
  { field, value: properties }: { field: string; value: Record<string, unknown> },
  types: ReadonlyMap<string, PropertyType>,
): string | null {
  for (const [key, given] of Object.entries(properties)) {
    const type = types.get(key)
    if (!type)
      return `The \`${field}\` field holds ${quoted(key)}, which is not a property of your contacts: create it first with POST /contact-properties.`
    const value = typeof given === 'boolean' ? String(given) : given
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const problem = checkValue(type, value)
    if (problem !== null) return `The \`${field}.${key}\` field ${problem}.`
  }
  return null
}

// Reads the graph of an automation, and refuses one that no run could go through.

/** What the validator of the body has let through. */
export type GraphInput = {
  steps: { key: string; type: StepType; config: Record<string, unknown> }[]
  connections: { from: string; to: string; type?: Connection['type'] | null }[]
}

/** @throws Failure about the first thing that is wrong: it names the step and the rule */
export function readGraph({ steps, connections }: GraphInput): Graph {
  const graph: Graph = {
    steps: steps.map((step) => inStep(step.key, () => readStep(step))),
    connections: connections.map(({ from, to, type }) => ({ from, to, type: type ?? 'default' })),
  }
  const problem = graphProblem(graph)
  if (problem !== null) throw invalid(problem)
  if (Buffer.byteLength(JSON.stringify(graph)) > GRAPH_BYTES_MAX)
    throw invalid(`The \`steps\` and \`connections\` fields may have at most ${GRAPH_BYTES_MAX / 1024} KB together, as JSON.`)
  return graph
}

/** What is wrong within a step is said with its key. */
export function inStep<Result>(key: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    throw invalid(`Step ${quoted(key)}: ${error.message}`)
  }
}
