// An automation is a graph: steps, and connections that say which step follows which. Configurations have the form in which clients write them.
import { DAY_MS, parseDuration } from '../../../lib/clock.ts'

export const STEP_DAYS_MAX = 30

/** Milliseconds of a delay or a timeout, such as `30 minutes` or `1h 30m`: a second to 30 days. Null for everything else. */
export function stepDurationMs(text: string): number | null {
  const ms = parseDuration(text)
  return ms === null || ms > STEP_DAYS_MAX * DAY_MS ? null : ms
}

export const STEP_TYPES = [
  'trigger',
  'send_email',
  'delay',
  'wait_for_event',
  'condition',
  'contact_update',
  'contact_delete',
  'add_to_segment',
] as const
export type StepType = (typeof STEP_TYPES)[number]

export const CONNECTION_TYPES = ['default', 'condition_met', 'condition_not_met', 'timeout', 'event_received'] as const
export type ConnectionType = (typeof CONNECTION_TYPES)[number]

export const EQUALITY_OPERATORS = ['eq', 'neq'] as const
/** The value is a number, or a time in ISO 8601. */
export const ORDER_OPERATORS = ['gt', 'gte', 'lt', 'lte'] as const
export const TEXT_OPERATORS = ['contains', 'starts_with', 'ends_with'] as const
/** They take no value. */
export const PRESENCE_OPERATORS = ['exists', 'is_empty'] as const

/** `field` begins with `event.` or `contact.`. */
export type FieldRule =
  | { type: 'rule'; field: string; operator: (typeof EQUALITY_OPERATORS)[number]; value: string | number | boolean | null }
  | { type: 'rule'; field: string; operator: (typeof ORDER_OPERATORS)[number]; value: number | string }
  | { type: 'rule'; field: string; operator: (typeof TEXT_OPERATORS)[number]; value: string }
  | { type: 'rule'; field: string; operator: (typeof PRESENCE_OPERATORS)[number] }
export type Rule = FieldRule | { type: 'and' | 'or'; rules: Rule[] }

/** Stands for a value that is known only when a step acts: `event.total`, `contact.properties.company`, `wait_events.order.paid.total`. */
export type VariableReference = { var: string }

type Scalar = string | number | boolean
export type TemplateValue = Scalar | VariableReference | Record<string, Scalar> | (Scalar | Record<string, Scalar>)[]

export type TriggerConfig = { event_name: string }
export type SendEmailConfig = {
  /** Its id or its alias. */
  template: { id: string; variables?: Record<string, TemplateValue> }
  from?: string
  subject?: string
  reply_to?: string
  topic_id?: string
}
/** A duration in words: `30 minutes`. */
export type DelayConfig = { duration: string }
/** Without a timeout it waits until the event comes. */
export type WaitForEventConfig = { event_name: string; timeout?: string; filter_rule?: Rule }
/** What is absent stays; null empties. */
export type ContactUpdateConfig = {
  first_name?: string | null | VariableReference
  last_name?: string | null | VariableReference
  unsubscribed?: boolean | VariableReference
  properties?: Record<string, Scalar | null | VariableReference>
}
export type AddToSegmentConfig = { segment_id: string }

export type Step =
  | { key: string; type: 'trigger'; config: TriggerConfig }
  | { key: string; type: 'send_email'; config: SendEmailConfig }
  | { key: string; type: 'delay'; config: DelayConfig }
  | { key: string; type: 'wait_for_event'; config: WaitForEventConfig }
  | { key: string; type: 'condition'; config: Rule }
  | { key: string; type: 'contact_update'; config: ContactUpdateConfig }
  | { key: string; type: 'contact_delete'; config: Record<string, never> }
  | { key: string; type: 'add_to_segment'; config: AddToSegmentConfig }

/** A step has at most one connection of each type, and only of its own types. A join is a step to which several lead. */
export type Connection = { from: string; to: string; type: ConnectionType }

export type Graph = { steps: Step[]; connections: Connection[] }

/** The types of connection by which a step can be left. */
export const CONNECTIONS_OF: Record<StepType, readonly ConnectionType[]> = {
  trigger: ['default'],
  send_email: ['default'],
  delay: ['default'],
  wait_for_event: ['event_received', 'timeout'],
  condition: ['condition_met', 'condition_not_met'],
  contact_update: ['default'],
  contact_delete: ['default'],
  add_to_segment: ['default'],
}

/** Fields of a configuration that name something, by their paths. The empty path is the whole configuration. */
export type NamingFields = {
  /** The id of a record of the team. A template may also be named by its alias. */
  template?: string
  topic?: string
  segment?: string
  /** An object whose keys are those of contact properties. */
  properties?: string
  /** A rule about an event and the contact. */
  rule?: string
  /** Objects whose values may be references, such as `{"var": "event.total"}`. */
  values?: string[]
}

/** Everything that looks for what steps name reads it here: saving, simulating and running them, and deleting what they name. */
export const NAMING_FIELDS: Record<StepType, NamingFields> = {
  trigger: {},
  send_email: { template: 'template.id', topic: 'topic_id', values: ['template.variables'] },
  delay: {},
  wait_for_event: { rule: 'filter_rule' },
  condition: { rule: '' },
  contact_update: { properties: 'properties', values: ['', 'properties'] },
  contact_delete: {},
  add_to_segment: { segment: 'segment_id' },
}

/** The steps in graph order: each after all that lead to it, and the steps of a branch together. Of a graph without cycles, from its trigger. */
export function stepsInOrder({ steps, connections }: Graph): Step[] {
  const stepOf = new Map(steps.map((step) => [step.key, step]))
  const order: Step[] = []
  const seen = new Set<string>()

  const visit = (step: Step): void => {
    seen.add(step.key)
    const types = CONNECTIONS_OF[step.type]
    const following = types.flatMap((type) => connections.filter(({ from, type: given }) => from === step.key && given === type))
    // A step enters after all that follow it; so the last branch is visited first, and the whole is turned around.
    for (const { to } of following.toReversed()) {
      const next = stepOf.get(to)
      if (next && !seen.has(to)) visit(next)
    }
    order.push(step)
  }

  const trigger = steps.find(({ type }) => type === 'trigger')
  if (trigger) visit(trigger)
  return order.toReversed()
}
