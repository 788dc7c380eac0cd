import { isObject } from '../../parts/is-object'
// What is done to the steps while someone builds them. Each act answers new steps, so that it can be taken back.

import { EDITOR_TEXTS as TEXTS } from '../../texts/automation-editor'
import {
  type Connection,
  type ConnectionType,
  followerOf,
  type Graph,
  type Rule,
  STEP_TYPES,
  type Step,
  type StepOf,
  type StepType,
  stepsInOrder,
  waysOf,
} from '../graph'

/** A place at which a step can be added: a way out of another one. */
export type Way = { from: string; type: ConnectionType }

export function newStep(type: StepType, key: string): Step {
  switch (type) {
    case 'trigger':
      return { key, type, config: { event_name: '' } }
    case 'send_email':
      return { key, type, config: { template: { id: '' } } }
    case 'delay':
      return { key, type, config: { duration: '1 day' } }
    case 'wait_for_event':
      return { key, type, config: { event_name: '', timeout: '3 days' } }
    case 'condition':
      return { key, type, config: { type: 'and', rules: [] } }
    case 'contact_update':
      return { key, type, config: {} }
    case 'contact_delete':
      return { key, type, config: {} }
    case 'add_to_segment':
      return { key, type, config: { segment_id: '' } }
  }
}

export const EMPTY_GRAPH: Graph = { steps: [newStep('trigger', TEXTS.keys.trigger)], connections: [] }

/** What can be added at a way. Nothing follows once the contact is deleted. */
export const addedTypes = (isOpen: boolean): readonly StepType[] =>
  STEP_TYPES.filter((type) => type !== 'trigger' && (isOpen || type !== 'contact_delete'))

/** A new step at a way: what followed there follows the new one, on its first way. */
export function insertStep(graph: Graph, { from, type: way }: Way, type: StepType): { graph: Graph; key: string } {
  const key = freeKey(graph, TEXTS.keys[type])
  const step = newStep(type, key)
  const next = followerOf(graph, from, way)
  const [first] = waysOf(step, { steps: [step], connections: [] })
  const connections: Connection[] = [
    ...graph.connections.filter((one) => one.from !== from || one.type !== way),
    { from, to: key, type: way },
    ...(next !== null && first !== undefined ? [{ from: key, to: next, type: first }] : []),
  ]
  return { graph: { steps: [...graph.steps, step], connections }, key }
}

function freeKey({ steps }: Graph, name: string): string {
  const taken = new Set(steps.map(({ key }) => key))
  for (let count = 1; ; count += 1) {
    const key = count === 1 ? name : `${name} ${count}`
    if (!taken.has(key)) return key
  }
}

/**
 * Removes a step: what led to it leads to what followed it, by its first way that leads to a step. Steps of its other ways to which nothing leads then are removed
 * with it.
 */
export function removeStep(graph: Graph, key: string): Graph {
  const reachedBefore = new Set(stepsInOrder(graph).map((step) => step.key))
  const step = graph.steps.find((one) => one.key === key)
  if (!step) return graph
  const heir = waysOf(step, graph).flatMap((type) => followerOf(graph, key, type) ?? [])[0]
  const mended: Graph = {
    steps: graph.steps.filter((one) => one !== step),
    connections: graph.connections.flatMap((one) => {
      if (one.from === key) return []
      if (one.to !== key) return [one]
      return heir === undefined ? [] : [{ ...one, to: heir }]
    }),
  }
  const reached = new Set(stepsInOrder(mended).map((one) => one.key))
  const isKept = (one: string): boolean => reached.has(one) || !reachedBefore.has(one)
  return {
    steps: mended.steps.filter((one) => isKept(one.key)),
    connections: mended.connections.filter(({ from, to }) => isKept(from) && isKept(to)),
  }
}

/** Leads a way to another step, or lets it end. */
export const connectWay = ({ steps, connections }: Graph, { from, type }: Way, to: string | null): Graph => ({
  steps,
  connections: [...connections.filter((one) => one.from !== from || one.type !== type), ...(to === null ? [] : [{ from, to, type }])],
})

/** The steps to which a way can lead without going around in a circle. */
export function possibleFollowers({ steps, connections }: Graph, from: string): Step[] {
  const leading = new Set([from])
  const waiting = [from]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop())
    for (const connection of connections)
      if (connection.to === key && !leading.has(connection.from)) {
        leading.add(connection.from)
        waiting.push(connection.from)
      }
  return steps.filter(({ key, type }) => type !== 'trigger' && !leading.has(key))
}

/** Gives a step another configuration. A wait that loses its timeout loses the way of it. */
export function changeStep(graph: Graph, changed: Step): Graph {
  const steps = graph.steps.map((step) => (step.key === changed.key ? changed : step))
  const isWay = ({ from, type }: Connection): boolean =>
    from !== changed.key || type !== 'timeout' || (changed.type === 'wait_for_event' && Boolean(changed.config.timeout))
  // Answers the same list if nothing is gone: what is drawn of it stays.
  return { steps, connections: graph.connections.every(isWay) ? graph.connections : graph.connections.filter(isWay) }
}

export function renameStep({ steps, connections }: Graph, key: string, name: string): Graph {
  const renamed = (one: string): string => (one === key ? name : one)
  return {
    steps: steps.map((step) => ({ ...step, key: renamed(step.key) })),
    connections: connections.map(({ from, to, type }) => ({ from: renamed(from), to: renamed(to), type })),
  }
}

/** Steps that someone wrote as JSON, or why the canvas cannot show them. */
export function readGraph(text: string): { graph: Graph } | { problem: string } {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return { problem: TEXTS.notJson((error as Error).message) }
  }
  const { steps, connections } = (isObject(given) ? given : {}) as { steps?: unknown; connections?: unknown }
  if (!Array.isArray(steps) || !Array.isArray(connections)) return { problem: TEXTS.notGraph }
  const strange = steps.findIndex((step) => !isStep(step))
  if (strange !== -1) return { problem: TEXTS.notStep(strange) }
  if (new Set(steps.map(({ key }: Step) => key)).size < steps.length) return { problem: TEXTS.sameKeys }
  if (!connections.every((one) => isObject(one) && typeof one.from === 'string' && typeof one.to === 'string'))
    return { problem: TEXTS.notGraph }
  const typed = connections.map(({ from, to, type }: Connection): Connection => ({ from, to, type: type ?? 'default' }))
  return { graph: { steps, connections: typed } }
}

const isText = (value: unknown): value is string => typeof value === 'string'
export const isRule = (value: unknown): value is Rule =>
  isObject(value) && (value.type === 'rule' ? isText(value.field) : Array.isArray(value.rules) && value.rules.every(isRule))

/** Checks what the forms rely on. */
const SHAPES: Readonly<Record<StepType, (config: Record<string, unknown>) => boolean>> = {
  trigger: ({ event_name }) => isText(event_name),
  send_email: ({ template }) => isObject(template) && isText(template.id),
  delay: ({ duration }) => isText(duration),
  wait_for_event: ({ event_name, timeout, filter_rule }) =>
    isText(event_name) && (timeout == null || isText(timeout)) && (filter_rule == null || isRule(filter_rule)),
  condition: isRule,
  contact_update: ({ properties }) => properties == null || isObject(properties),
  contact_delete: () => true,
  add_to_segment: ({ segment_id }) => isText(segment_id),
}

function isStep(step: unknown): step is StepOf<StepType> {
  if (!isObject(step) || !isText(step.key) || !isText(step.type) || !isObject(step.config)) return false
  return Object.hasOwn(SHAPES, step.type) && SHAPES[step.type as StepType](step.config)
}
