// Rules about an event and a contact, as conditions and waits have them.
import { type Static, Type } from '@sinclair/typebox'
import { EQUALITY_OPERATORS, ORDER_OPERATORS, PRESENCE_OPERATORS, TEXT_OPERATORS } from '../lib/automations/graph.ts'
import { Named } from './common.ts'

/** Levels of nested rules, the outermost included. */
export const RULE_DEPTH_MAX = 20
/** In one step: rules that test something. Each is evaluated by every run. */
export const RULES_MAX = 1_000
export const RULE_VALUE_LENGTH_MAX = 1_000
export const RULE_FIELD_LENGTH_MAX = 300

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')

/** mail/automations/rule-trees.ts checks the rules, because a schema could not say where in the tree a mistake is. */
export const AutomationRule = Named(
  'AutomationRule',
  Type.Record(Type.String(), Type.Unknown(), {
    description: `A rule about the event and the contact. \`and\` and \`or\` combine rules; a \`rule\` tests one field: of the event that started the run, such as \`event.total\`, or of the contact, such as \`contact.first_name\` or \`contact.properties.plan\`. The rule of a wait tests the event that arrives, and no contact.

${words(EQUALITY_OPERATORS)} compare with a string, a number, a boolean or null. ${words(ORDER_OPERATORS)} compare numbers, or times in ISO 8601. ${words(TEXT_OPERATORS)} compare text. ${words(PRESENCE_OPERATORS)} take no \`value\`. A missing field meets no rule that compares.

A step can have at most ${RULE_DEPTH_MAX} levels of rules, ${RULES_MAX.toLocaleString('en')} rules that test something, and ${RULE_VALUE_LENGTH_MAX.toLocaleString('en')} characters in a value.`,
    examples: [{ type: 'rule', field: 'event.total', operator: 'gte', value: 100 }],
  }),
)

const another = { $ref: `#/components/schemas/${AutomationRule.$id}` }
const always = (name: string) => ({ const: name, description: `Always \`${name}\`.` })

const group = (type: 'and' | 'or', description: string) => ({
  title: `Rule: ${type}`,
  description,
  type: 'object',
  required: ['type', 'rules'],
  properties: {
    type: always(type),
    rules: { type: 'array', items: another, minItems: 1, maxItems: RULES_MAX, description: 'The rules that it combines.' },
  },
  additionalProperties: false,
})

const test = (title: string, operators: readonly string[], value: object | null) => ({
  title: `Rule: ${title}`,
  description: `Tests one field: ${title}.`,
  type: 'object',
  required: ['type', 'field', 'operator', ...(value ? ['value'] : [])],
  properties: {
    type: always('rule'),
    field: {
      type: 'string',
      maxLength: RULE_FIELD_LENGTH_MAX,
      description: 'The field: `event.` or `contact.`, and its name.',
      examples: ['event.total'],
    },
    operator: { type: 'string', enum: operators, description: 'How to compare.' },
    value: value ?? { type: 'null', description: 'Not needed.' },
  },
  additionalProperties: false,
})

const string = { type: 'string', maxLength: RULE_VALUE_LENGTH_MAX }

/** What the document shows instead of `any object`. */
export const DOCUMENTED_RULE = {
  description: AutomationRule.description,
  examples: AutomationRule.examples,
  oneOf: [
    group('and', 'Is met if every rule is met.'),
    group('or', 'Is met if at least one rule is met.'),
    test('equality', EQUALITY_OPERATORS, {
      anyOf: [string, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
      description: 'What the field is compared with.',
    }),
    test('order', ORDER_OPERATORS, { anyOf: [{ type: 'number' }, string], description: 'A number, or a time in ISO 8601.' }),
    test('text', TEXT_OPERATORS, { ...string, description: 'The text to look for.' }),
    test('presence', PRESENCE_OPERATORS, null),
  ],
}

export type AutomationRule = Static<typeof AutomationRule>
