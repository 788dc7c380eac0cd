// What a step can refer to: fields of the event that started the run, of its contact, and of events that it has waited for.
import { domainToASCII } from 'node:url'
import { isProblem } from '../../../lib/problem.ts'
import { isBlank } from '../../../lib/text.ts'
import { parseIsoTime } from '../../../lib/times/iso-times.ts'
import { isRecord } from '../../../lib/validation/field-tree.ts'
import { type FieldRule, type Graph, NAMING_FIELDS, type Rule, type Step } from './graph.ts'

/** Ids and aliases, each once. */
type NamedInGraph = { templates: string[]; topicIds: string[]; segmentIds: string[] }

export function namedInGraph({ steps }: Graph): NamedInGraph {
  const named = steps.map(namedInStep)
  const distinct = (kind: 'template' | 'topic' | 'segment') => [...new Set(named.flatMap((each) => each[kind]?.value ?? []))]
  return { templates: distinct('template'), topicIds: distinct('topic'), segmentIds: distinct('segment') }
}

/** `field`: as errors name it, such as `config.template.id`. */
type Named<Value> = { field: string; value: Value }

/** What a step names, from the fields that its type has for it. */
export function namedInStep({ type, config }: Step) {
  const { template, topic, segment, properties, rule, values = [] } = NAMING_FIELDS[type]
  function find<Value>(path: string | undefined, isSuch: (value: unknown) => value is Value): Named<Value> | undefined {
    if (path === undefined) return undefined
    const value = path === '' ? config : at(config, path)
    return isSuch(value) ? { field: path === '' ? 'config' : `config.${path}`, value } : undefined
  }
  return {
    template: find(template, isText),
    topic: find(topic, isText),
    segment: find(segment, isText),
    properties: find(properties, isRecord),
    rule: find(rule, isRule),
    values: values.flatMap((path) => find(path, isRecord) ?? []),
  }
}

const isRule = (value: unknown): value is Rule => isRecord(value) && 'type' in value

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
  const paths = listVariables(steps).flatMap((text) => {
    const reference = parseReference(text)
    return reference?.of === 'heard' && reference.path.startsWith(prefix) ? [reference.path.slice(prefix.length)] : []
  })
  const keys = paths.map((path) => (Object.hasOwn(payload, path) ? path : (path.split('.', 1)[0] ?? path)))
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(payload, key)).map((key) => [key, payload[key]]))
}

/** What the steps refer to, as it is written. */
export function listVariables(steps: Graph['steps']): string[] {
  const values = steps.flatMap((step) => namedInStep(step).values.flatMap(({ value }) => Object.values(value)))
  return values.flatMap((value) => (isVariable(value) ? [value.var] : []))
}

/** A value that is taken from what is known. */
export const isVariable = (value: unknown): value is { var: string } =>
  typeof value === 'object' && value !== null && 'var' in value && typeof value.var === 'string' && Object.keys(value).length === 1

// Whether the rules of a condition, or of a wait, are met. What is missing meets no rule but `is_empty`. Texts are compared as in the filters of
// segments: upper and lower case are the same, and addresses are compared in the form of contacts. Numbers are compared as numbers.

export function isMet(rule: Rule, known: Known): boolean {
  if ('rules' in rule)
    return rule.type === 'and' ? rule.rules.every((each) => isMet(each, known)) : rule.rules.some((each) => isMet(each, known))
  const reference = parseReference(rule.field)
  return meets(reference ? referredValue(reference, known) : undefined, rule, { isDate: known.dates?.has(rule.field) === true })
}

function meets(value: unknown, rule: FieldRule, { isDate }: { isDate: boolean }): boolean {
  const folded = rule.field === 'contact.email' ? addressForm : fold
  switch (rule.operator) {
    case 'exists':
      return value !== undefined && value !== null
    case 'is_empty':
      return isEmpty(value)
    case 'eq':
      return value !== undefined && (isDate ? isSameTime(value, rule.value) : folded(value) === folded(rule.value))
    case 'neq':
      return value !== undefined && !(isDate ? isSameTime(value, rule.value) : folded(value) === folded(rule.value))
    case 'contains': {
      const part = folded(rule.value)
      return Array.isArray(value) ? value.some((each) => folded(each) === part) : isText(value) && folded(value).includes(part)
    }
    case 'starts_with':
      return isText(value) && folded(value).startsWith(folded(rule.value))
    case 'ends_with':
      return isText(value) && folded(value).endsWith(folded(rule.value))
    default:
      return isOrdered(value, rule)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

function fold<Value>(value: Value): Value {
  return (isText(value) ? value.toLowerCase() : value) as Value
}

/** A text or a part of one, in the form of contacts' addresses. */
function addressForm<Value>(value: Value): Value {
  if (!isText(value)) return value
  const start = value.lastIndexOf('@') + 1
  const domain = value.slice(start)
  return (value.slice(0, start) + (/^\p{ASCII}*$/u.test(domain) ? domain : domainToASCII(domain) || domain)).toLowerCase() as Value & string
}

const isEmpty = (value: unknown): boolean =>
  isBlank(value) || (typeof value === 'object' && value !== null && (Array.isArray(value) ? value : Object.keys(value)).length === 0)

/** Whether two values of a field that its event declares as a date are equal. Other texts must be the same. */
function isSameTime(value: unknown, other: string | number | boolean | null): boolean {
  if (value === other) return true
  const [one, two] = [toTime(value), toTime(other)]
  return one !== null && one === two
}

function isOrdered(value: unknown, { operator, value: other }: Extract<FieldRule, { operator: 'gt' | 'gte' | 'lt' | 'lte' }>): boolean {
  const [one, two] = typeof other === 'number' ? [toNumber(value), other] : [toTime(value), toTime(other)]
  if (one === null || two === null) return false
  if (operator === 'gt') return one > two
  if (operator === 'gte') return one >= two
  return operator === 'lt' ? one < two : one <= two
}

const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Milliseconds since 1970 of a date or a time in ISO 8601. Without an offset it is in UTC. Null for other texts, and for a day that does not exist. */
export function toTime(value: unknown): number | null {
  const time = typeof value === 'string' ? parseIsoTime(value) : null
  return time === null || isProblem(time) ? null : time.wallClockMs - (time.offsetMs ?? 0)
}
