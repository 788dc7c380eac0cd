// Rules about an event and a contact, as conditions and waits have them: on the wire, and how they are read.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { invalid } from '../../../lib/failure.ts'
import { isProblem, quotedValue } from '../../../lib/problem.ts'
import { parseIsoTime } from '../../../lib/times/iso-times.ts'
import { Choice, Enum, Kind, Named, Ref } from '../../../lib/validation/common.schema.ts'
import { isRecord } from '../../../lib/validation/field-tree.ts'
import { EQUALITY_OPERATORS, type FieldRule, ORDER_OPERATORS, PRESENCE_OPERATORS, type Rule, TEXT_OPERATORS } from './graph.ts'

/** Levels of nested rules, the outermost included. */
export const RULE_DEPTH_MAX = 20
/** In one step: rules that test something. Each is evaluated by every run. */
export const RULES_MAX = 1_000
export const RULE_VALUE_LENGTH_MAX = 1_000
export const RULE_FIELD_LENGTH_MAX = 300

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')

/** `readRuleTree` checks the rules, because a schema could not say where in the tree a mistake is. */
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
  Type.Unsafe<unknown>(Choice('A rule that tests one field.', TESTS, { kind: 'operator' })),
)

/** What the document shows instead of `any object`. */
export const DOCUMENTED_RULE = {
  ...Choice(
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

/**
 * Reads the rules. It is strict, because ignoring a part would lead other people down a branch.
 *
 * @param path where the tree stands, as an error names it: `config`
 * @param roots what fields may begin with: `event`, and `contact` too if the rule may ask about the contact
 * @throws Failure about the first rule that is wrong, with its place: `config.rules[2].operator`
 */
export function readRuleTree(tree: unknown, { path, roots }: { path: string; roots: readonly string[] }): Rule {
  let tests = 0

  function read(rule: unknown, at: string, depth: number): Rule {
    // Checked before anything below is read, so that no tree makes this walk deeper.
    if (depth > RULE_DEPTH_MAX) return refuse(`The \`${path}\` field may have at most ${RULE_DEPTH_MAX} rules within one another.`)
    if (!isRecord(rule)) return refuse(`The \`${at}\` field must be a rule, which is an object.${quotedValue(rule)}`)
    const type = readChoice(TYPES, rule.type, `${at}.type`)
    const known: readonly string[] = FIELDS[type]
    const unknown = Object.keys(rule).find((name) => !known.includes(name))
    if (unknown !== undefined)
      return refuse(`The \`${at}\` field has an unknown field: a rule of type \`${type}\` has ${listed(known)}.${quotedValue(unknown)}`)
    if (type !== 'rule') return { type, rules: readEach(rule.rules, `${at}.rules`, depth) }
    tests += 1
    if (tests > RULES_MAX)
      return refuse(`The \`${path}\` field may have at most ${RULES_MAX.toLocaleString('en')} rules that test something.`)
    return readTest(rule, at)
  }

  function readEach(rules: unknown, at: string, depth: number): Rule[] {
    if (!Array.isArray(rules))
      return refuse(rules == null ? `Missing \`${at}\` field.` : `The \`${at}\` field must be an array of rules.${quotedValue(rules)}`)
    if (rules.length === 0) return refuse(`The \`${at}\` field must not be empty.`)
    return rules.map((rule, index) => read(rule, `${at}[${index}]`, depth + 1))
  }

  function readTest(rule: Record<string, unknown>, at: string): FieldRule {
    const field = readText(rule.field, `${at}.field`, RULE_FIELD_LENGTH_MAX)
    if (!roots.some((root) => field.startsWith(`${root}.`) && field.length > root.length + 1))
      return refuse(`The \`${at}.field\` field must begin with ${roots.map((root) => `\`${root}.\``).join(' or ')}.${quotedValue(field)}`)
    const operator = readChoice(OPERATORS, rule.operator, `${at}.operator`)
    const place = `${at}.value`
    if (isOf(PRESENCE_OPERATORS, operator)) {
      if (rule.value != null)
        return refuse(`The \`${place}\` field must be left out: \`${operator}\` takes none.${quotedValue(rule.value)}`)
      return { type: 'rule', field, operator }
    }
    // Null is a value to compare with, and no value at all is a mistake.
    if (rule.value === undefined) return refuse(`Missing \`${place}\` field.`)
    if (isOf(EQUALITY_OPERATORS, operator)) return { type: 'rule', field, operator, value: readScalar(rule.value, place) }
    if (isOf(ORDER_OPERATORS, operator)) return { type: 'rule', field, operator, value: readOrdered(rule.value, place) }
    return { type: 'rule', field, operator, value: readText(rule.value, place, RULE_VALUE_LENGTH_MAX) }
  }

  function readScalar(value: unknown, at: string): string | number | boolean | null {
    if (typeof value === 'number') return finite(value, at)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value !== 'string') return refuse(`The \`${at}\` field must be a string, a number, true, false or null.`)
    return readText(value, at, RULE_VALUE_LENGTH_MAX)
  }

  function readOrdered(value: unknown, at: string): number | string {
    if (typeof value === 'number') return finite(value, at)
    const time = typeof value === 'string' && value.length <= RULE_VALUE_LENGTH_MAX ? parseIsoTime(value) : null
    if (typeof value !== 'string' || time === null || isProblem(time))
      return refuse(`The \`${at}\` field must be a number, or a time in ISO 8601 such as \`2026-11-20T09:30:00Z\`.${quotedValue(value)}`)
    return value
  }

  const finite = (value: number, at: string): number =>
    Number.isFinite(value) ? value : refuse(`The \`${at}\` field must be a number of at most ${Number.MAX_VALUE}.`)

  function readText(value: unknown, at: string, lengthMax: number): string {
    if (value == null) return refuse(`Missing \`${at}\` field.`)
    if (typeof value !== 'string') return refuse(`The \`${at}\` field must be a string.${quotedValue(value)}`)
    return value.length > lengthMax ? refuse(`The \`${at}\` field must have at most ${lengthMax} characters.`) : value
  }

  function readChoice<const Name extends string>(names: readonly Name[], value: unknown, at: string): Name {
    const found = names.find((name) => name === value)
    if (found !== undefined) return found
    return refuse(value == null ? `Missing \`${at}\` field.` : `The \`${at}\` field must be one of: ${listed(names)}.${quotedValue(value)}`)
  }

  return read(tree, path, 1)
}

function refuse(sentence: string): never {
  throw invalid(sentence)
}

const TYPES = ['rule', 'and', 'or'] as const
const FIELDS = { rule: ['type', 'field', 'operator', 'value'], and: ['type', 'rules'], or: ['type', 'rules'] } as const
const OPERATORS = [...EQUALITY_OPERATORS, ...ORDER_OPERATORS, ...TEXT_OPERATORS, ...PRESENCE_OPERATORS] as const

const isOf = <Name extends string>(names: readonly Name[], operator: string): operator is Name => names.some((name) => name === operator)

const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
