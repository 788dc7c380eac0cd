// What the rules and variables of a step stand for: fields of events, and of the contact.
import type { Rule, Step } from '../../lib/automations/graph.ts'
import { CONTACT_FIELDS, parseReference } from '../../lib/automations/references.ts'
import { quotedValue } from '../../lib/quotation.ts'
import { isRecord } from '../../schemas/bodies/field-tree.ts'

/** What there is to refer to. */
type Known = { properties: { has(key: string): boolean }; eventNames: readonly string[] }

/** The first rule or variable of the step that can never stand for anything, as a sentence; null if there is none. */
export function unknownVariable(step: Step, known: Known): string | null {
  for (const { field, name } of variablesIn(step)) {
    const problem = problemOf(name, known)
    if (problem !== null) return `The \`${field}\` field ${problem}.${quotedValue(name)}`
  }
  return null
}

type Variable = { field: string; name: string }

function variablesIn(step: Step): Variable[] {
  switch (step.type) {
    case 'condition':
      return variablesInRule(step.config, 'config')
    case 'wait_for_event':
      return step.config.filter_rule ? variablesInRule(step.config.filter_rule, 'config.filter_rule') : []
    case 'send_email':
      return references(step.config.template.variables ?? {}, 'config.template.variables')
    case 'contact_update':
      return [...references(step.config, 'config'), ...references(step.config.properties ?? {}, 'config.properties')]
    default:
      return []
  }
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
function problemOf(name: string, { properties, eventNames }: Known): string | null {
  const reference = parseReference(name)
  if (reference === null) return 'must begin with `event.`, `contact.` or `wait_events.`'
  if (reference.of === 'heard')
    return eventNames.some((event) => reference.path.startsWith(`${event}.`) && reference.path.length > event.length + 1)
      ? null
      : 'names an event for which no step waits. It is `wait_events.`, the name of the event, and that of the field'
  if (reference.of !== 'property' || properties.has(reference.key)) return null
  const fields = CONTACT_FIELDS.map((field) => `\`contact.${field}\``).join(', ')
  return `names a property that your contacts do not have: create it first at POST /contact-properties. Every contact has ${fields}`
}
