// An automation is a graph: steps, and connections that say which step follows which. Configurations have the form in which clients write them.

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
