// Rules about an event and a contact, as conditions and waits have them.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { EQUALITY_OPERATORS, ORDER_OPERATORS, PRESENCE_OPERATORS, TEXT_OPERATORS } from '../lib/automations/graph.ts'
import { choiceOf, Enum, Kind, Named, Ref } from './common.ts'

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

const group = (type: 'and' | 'or', name: string, description: string) =>
  Named(
    name,
    Type.Object(
      {
        type: Kind(type),
        rules: Type.Array(Ref(AutomationRule), { minItems: 1, maxItems: RULES_MAX, description: 'The rules that it combines.' }),
      },
      { description, additionalProperties: false },
    ),
  )

const test = <Value extends TSchema>(title: string, operators: readonly string[], value: Value) =>
  Named(
    `AutomationRule${title}`,
    Type.Object(
      {
        type: Kind('rule'),
        field: Type.String({
          maxLength: RULE_FIELD_LENGTH_MAX,
          description: 'The field: `event.` or `contact.`, and its name.',
          examples: ['event.total'],
        }),
        operator: Enum([...operators], { description: 'How to compare.' }),
        value,
      },
      { description: `Tests one field: ${title.toLowerCase()}.`, additionalProperties: false },
    ),
  )

const string = { maxLength: RULE_VALUE_LENGTH_MAX }

const TESTS = [
  test(
    'Equality',
    EQUALITY_OPERATORS,
    Type.Union([Type.String(string), Type.Number(), Type.Boolean(), Type.Null()], { description: 'What the field is compared with.' }),
  ),
  test('Order', ORDER_OPERATORS, Type.Union([Type.Number(), Type.String(string)], { description: 'A number, or a time in ISO 8601.' })),
  test('Text', TEXT_OPERATORS, Type.String({ ...string, description: 'The text to look for.' })),
  test('Presence', PRESENCE_OPERATORS, Type.Optional(Type.Null({ description: 'Not needed.' }))),
]

const AutomationRuleTest = Named(
  'AutomationRuleTest',
  Type.Unsafe<unknown>(choiceOf('A rule that tests one field.', TESTS, { kind: 'operator' })),
)

/** What the document shows instead of `any object`. */
export const DOCUMENTED_RULE = {
  ...choiceOf(
    AutomationRule.description ?? '',
    [
      group('and', 'AutomationRuleAnd', 'Is met if every rule is met.'),
      group('or', 'AutomationRuleOr', 'Is met if at least one rule is met.'),
      AutomationRuleTest,
    ],
    { kind: 'type', isTree: true },
  ),
  examples: AutomationRule.examples,
}

export type AutomationRule = Static<typeof AutomationRule>
