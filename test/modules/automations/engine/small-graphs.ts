// Every graph of a few steps: a trigger, and steps that act, sleep, wait for the event `heard`, or look at the event that started the run.
import { CONNECTIONS_OF, type Connection, type Graph, type Step } from '../../../../src/modules/automations/graph/graph.ts'

export const KINDS = ['add_to_segment', 'delay', 'wait_for_event', 'condition'] as const
type Kind = (typeof KINDS)[number]

export const TRIGGER: Step = { key: 's0', type: 'trigger', config: { event_name: 'begun' } }

export function stepOfKind(kind: Kind, key: string): Step {
  if (kind === 'add_to_segment') return { key, type: kind, config: { segment_id: key } }
  if (kind === 'delay') return { key, type: kind, config: { duration: '1 hour' } }
  if (kind === 'wait_for_event') return { key, type: kind, config: { event_name: 'heard', timeout: '1 hour' } }
  return { key, type: kind, config: { type: 'rule', field: 'event.yes', operator: 'eq', value: true } }
}

/** Graphs with `count` steps beside the trigger. A step leads only to steps with higher numbers, and every step can be reached. */
export function* graphsOf(count: number): Generator<Graph> {
  for (const kinds of choices(count, KINDS)) {
    const steps = [TRIGGER, ...kinds.map((kind, index) => stepOfKind(kind, `s${index + 1}`))]
    const ports = steps.flatMap(({ key, type }, index) => CONNECTIONS_OF[type].map((port) => ({ from: key, type: port, index })))
    for (const connections of wirings(ports, steps)) if (isReachable(steps, connections)) yield { steps, connections }
  }
}

function* wirings(ports: { from: string; type: Connection['type']; index: number }[], steps: Step[]): Generator<Connection[]> {
  const [port, ...others] = ports
  if (!port) return yield []
  for (const rest of wirings(others, steps)) {
    yield rest
    for (const { key } of steps.slice(port.index + 1)) yield [{ from: port.from, type: port.type, to: key }, ...rest]
  }
}

const isReachable = (steps: Step[], connections: Connection[]): boolean =>
  steps.slice(1).every(({ key }) => connections.some(({ to }) => to === key))

/** Every list of this length. */
export function* choices<Value>(length: number, values: readonly Value[]): Generator<Value[]> {
  if (length === 0) return yield []
  for (const rest of choices(length - 1, values)) for (const value of values) yield [value, ...rest]
}
