// What a step can refer to: fields of the event that started the run, of its contact, and of events that it has waited for.
import type { Graph } from './graph.ts'

export type Reference =
  | { of: 'event'; path: string }
  | { of: 'contact'; field: ContactField }
  | { of: 'property'; key: string }
  /** The name of the event and the path, which both may have dots. */
  | { of: 'heard'; path: string }

export const CONTACT_FIELDS = ['email', 'first_name', 'last_name', 'unsubscribed'] as const
export type ContactField = (typeof CONTACT_FIELDS)[number]

/** `properties`: by their keys. */
export type KnownContact = {
  email: string
  first_name: string | null
  last_name: string | null
  unsubscribed: boolean
  properties: Readonly<Record<string, string | number>>
}

/** `heard`: of each event that a run has waited for, what the steps refer to; of several with one name, the latest. */
export type Known = {
  event: Fields
  contact: KnownContact
  heard: Readonly<Record<string, Fields>>
  /** Names of the fields whose events declare them as dates, as rules name them: `event.due_at`, `wait_events.order.paid.paid_at`. */
  dates?: ReadonlySet<string>
}

export type Fields = Readonly<Record<string, unknown>>

/** Longer than any reference needs to be. */
const LENGTH_MAX = 500

/** `event.total`, `contact.first_name`, `contact.properties.plan` or `contact.plan`, `wait_events.order.paid.total`; null for other texts. */
export function parseReference(text: string): Reference | null {
  if (text.length > LENGTH_MAX) return null
  const event = after(text, 'event.')
  if (event !== null) return { of: 'event', path: event }
  const heard = after(text, 'wait_events.')
  if (heard !== null) return { of: 'heard', path: heard }
  const property = after(text, 'contact.properties.')
  if (property !== null) return { of: 'property', key: property }
  const contact = after(text, 'contact.')
  if (contact === null) return null
  const field = CONTACT_FIELDS.find((name) => name === contact)
  return field ? { of: 'contact', field } : { of: 'property', key: contact }
}

const after = (text: string, prefix: string): string | null =>
  text.startsWith(prefix) && text.length > prefix.length ? text.slice(prefix.length) : null

/** Undefined if there is no such value. */
export function referredValue(reference: Reference, { event, contact, heard }: Known): unknown {
  if (reference.of === 'event') return at(event, reference.path)
  if (reference.of === 'contact') return contact[reference.field]
  if (reference.of === 'property') return own(contact.properties, reference.key)
  const name = Object.keys(heard)
    .filter((each) => reference.path.startsWith(`${each}.`))
    .reduce<string | null>((longest, each) => (longest === null || each.length > longest.length ? each : longest), null)
  return name === null ? undefined : at(heard[name] ?? {}, reference.path.slice(name.length + 1))
}

/** The field of this name, or else the one that the parts between the dots lead to. */
function at(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path]
  let value: unknown = fields
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = own(value as Fields, part)
  }
  return value
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined)

/** The dates as the filter of a wait names them: there, `event` is the event that is waited for. */
export function datesOfAwaited(dates: Known['dates'], eventName: string): Known['dates'] {
  const prefix = `wait_events.${eventName}.`
  return dates && new Set([...dates].flatMap((name) => (name.startsWith(prefix) ? [`event.${name.slice(prefix.length)}`] : [])))
}

/** Picks the fields of an awaited event's payload that steps refer to: a run keeps no more. */
export function heardFields({ steps }: Graph, eventName: string, payload: Fields): Fields {
  const prefix = `${eventName}.`
  const paths = variablesOf(steps).flatMap((text) => {
    const reference = parseReference(text)
    return reference?.of === 'heard' && reference.path.startsWith(prefix) ? [reference.path.slice(prefix.length)] : []
  })
  const keys = paths.map((path) => (Object.hasOwn(payload, path) ? path : (path.split('.', 1)[0] ?? path)))
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(payload, key)).map((key) => [key, payload[key]]))
}

/** What the steps refer to, as it is written. */
export function variablesOf(steps: Graph['steps']): string[] {
  const values = steps.flatMap((step): unknown[] => {
    if (step.type === 'send_email') return Object.values(step.config.template.variables ?? {})
    if (step.type !== 'contact_update') return []
    const { properties = {}, ...fields } = step.config
    return [...Object.values(fields), ...Object.values(properties)]
  })
  return values.flatMap((value) => (isVariable(value) ? [value.var] : []))
}

/** A value that is taken from what is known. */
export const isVariable = (value: unknown): value is { var: string } =>
  typeof value === 'object' && value !== null && 'var' in value && typeof value.var === 'string' && Object.keys(value).length === 1
