// The fields that a rule can ask about and a value can be taken from: of the event that started the run, and of the contact.
import type { Subject, SubjectGroup } from '../../segments/filter-subjects'
import { SENTENCES, STEP_FORM_TEXTS as TEXTS } from '../../texts/automation-editor'
import type { Graph, Rule } from '../graph'
import type { Known } from './known'
import { type FieldType, OPERATORS_OF } from './rule-draft'

/** `propertyId`: the property of contacts that it is, whose values may be read. */
export type Field = { name: string; words: string; type: FieldType; propertyId?: string }
export type Fields = { contact: readonly Field[]; properties: readonly Field[]; event: readonly Field[] }

const CONTACT: readonly Field[] = [
  { name: 'contact.email', words: SENTENCES.fields['contact.email'] ?? '', type: 'string' },
  { name: 'contact.first_name', words: SENTENCES.fields['contact.first_name'] ?? '', type: 'string' },
  { name: 'contact.last_name', words: SENTENCES.fields['contact.last_name'] ?? '', type: 'string' },
  { name: 'contact.unsubscribed', words: SENTENCES.fields['contact.unsubscribed'] ?? '', type: 'boolean' },
]

/** @param eventName the event whose fields are asked about */
export const fieldsOf = ({ properties, events, mayReadValues }: Known, eventName: string): Fields => ({
  contact: CONTACT,
  properties: properties.map(({ id, key, type }) => ({
    ...{ name: `contact.properties.${key}`, words: key, type },
    ...(mayReadValues && { propertyId: id }),
  })),
  event: Object.entries(events.find(({ name }) => name === eventName)?.schema ?? {}).map(([name, type]) => ({
    ...{ name: `event.${name}`, words: name, type },
  })),
})

/** "FIRST_NAME", "firstName" and "First name" are one name. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')
/** A variable that is only called a name is what a mail greets with. */
const ALSO: Readonly<Record<string, string>> = { name: 'firstname', surname: 'lastname', address: 'email', mail: 'email' }

/** The field that a variable of a template probably means, by its name. */
export function likeliestField(variable: string, { contact, properties, event }: Fields): Field | undefined {
  const wanted = plain(variable)
  const isCalled = (called: string) => (field: Field) => plain(field.name.split('.').at(-1) ?? '') === called
  return [...event, ...properties, ...contact].find(isCalled(wanted)) ?? contact.find(isCalled(ALSO[wanted] ?? ''))
}

export const triggerEvent = ({ steps }: Graph): string => {
  const trigger = steps.find((step) => step.type === 'trigger')
  return trigger?.type === 'trigger' ? trigger.config.event_name : ''
}

/** The fields, with those that a rule names and no one has defined. */
export function withNamed({ contact, properties, event }: Fields, names: readonly string[]): Fields {
  const known = new Set([...contact, ...properties, ...event].map(({ name }) => name))
  const others = [...new Set(names)].filter((name) => !known.has(name))
  const unknown = (prefix: string): Field[] =>
    others
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, words: name.replace(/^(?:event|contact)\.(?:properties\.)?/, ''), type: 'unknown' }))
  return { contact, properties: [...properties, ...unknown('contact.')], event: [...event, ...unknown('event.')] }
}

export const fieldsIn = (rule: Rule): string[] => (rule.type === 'rule' ? [rule.field] : rule.rules.flatMap(fieldsIn))

export function subjectsOf({ contact, properties, event }: Fields): SubjectGroup[] {
  const groups = [
    { words: TEXTS.groups.contact, subjects: contact.map(toSubject) },
    { words: TEXTS.groups.properties, subjects: properties.map(toSubject) },
    { words: TEXTS.groups.event, subjects: event.map(toSubject) },
  ]
  return groups.filter(({ subjects }) => subjects.length > 0)
}

const toSubject = ({ name, words, type, propertyId }: Field): Subject => ({
  ...{ key: name, words, operators: OPERATORS_OF[type], choices: type === 'boolean' ? TEXTS.yesNo : null, isTime: type === 'date' },
  ...(propertyId !== undefined && { propertyId }),
})

/** A value that is taken from a field when the step acts. */
export type Reference = { var: string }
export const isReference = (value: unknown): value is Reference =>
  typeof value === 'object' && value !== null && 'var' in value && typeof value.var === 'string'
