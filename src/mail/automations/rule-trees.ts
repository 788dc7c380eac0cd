// Reads the rules of a condition or a wait. It is strict, because ignoring a part would lead other people down a branch.
import {
  EQUALITY_OPERATORS,
  type FieldRule,
  ORDER_OPERATORS,
  PRESENCE_OPERATORS,
  type Rule,
  TEXT_OPERATORS,
} from '../../lib/automations/graph.ts'
import { invalid } from '../../lib/failure.ts'
import { parseIsoTime } from '../../lib/iso-times.ts'
import { isProblem } from '../../lib/problem.ts'
import { quotedValue } from '../../lib/quotation.ts'
import { RULE_DEPTH_MAX, RULE_FIELD_LENGTH_MAX, RULE_VALUE_LENGTH_MAX, RULES_MAX } from '../../schemas/automation-rules.ts'
import { isRecord } from '../../schemas/bodies/field-tree.ts'

/**
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
    const type = oneOf(TYPES, rule.type, `${at}.type`)
    const known: readonly string[] = FIELDS[type]
    const unknown = Object.keys(rule).find((name) => !known.includes(name))
    if (unknown !== undefined)
      return refuse(
        `The \`${at}\` field holds something that does not belong there: a rule of type \`${type}\` has ${listed(known)}.${quotedValue(unknown)}`,
      )
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
    const field = textOf(rule.field, `${at}.field`, RULE_FIELD_LENGTH_MAX)
    if (!roots.some((root) => field.startsWith(`${root}.`) && field.length > root.length + 1))
      return refuse(`The \`${at}.field\` field must begin with ${roots.map((root) => `\`${root}.\``).join(' or ')}.${quotedValue(field)}`)
    const operator = oneOf(OPERATORS, rule.operator, `${at}.operator`)
    const place = `${at}.value`
    if (isOf(PRESENCE_OPERATORS, operator)) {
      if (rule.value != null)
        return refuse(`The \`${place}\` field must be left out: \`${operator}\` takes none.${quotedValue(rule.value)}`)
      return { type: 'rule', field, operator }
    }
    // Null is a value to compare with, and no value at all is a mistake.
    if (rule.value === undefined) return refuse(`Missing \`${place}\` field.`)
    if (isOf(EQUALITY_OPERATORS, operator)) return { type: 'rule', field, operator, value: scalarOf(rule.value, place) }
    if (isOf(ORDER_OPERATORS, operator)) return { type: 'rule', field, operator, value: orderedOf(rule.value, place) }
    return { type: 'rule', field, operator, value: textOf(rule.value, place, RULE_VALUE_LENGTH_MAX) }
  }

  function scalarOf(value: unknown, at: string): string | number | boolean | null {
    if (typeof value === 'number') return finite(value, at)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value !== 'string') return refuse(`The \`${at}\` field must be a string, a number, true, false or null.`)
    return textOf(value, at, RULE_VALUE_LENGTH_MAX)
  }

  function orderedOf(value: unknown, at: string): number | string {
    if (typeof value === 'number') return finite(value, at)
    const time = typeof value === 'string' && value.length <= RULE_VALUE_LENGTH_MAX ? parseIsoTime(value) : null
    if (typeof value !== 'string' || time === null || isProblem(time))
      return refuse(`The \`${at}\` field must be a number, or a time in ISO 8601 such as \`2026-11-20T09:30:00Z\`.${quotedValue(value)}`)
    return value
  }

  const finite = (value: number, at: string): number =>
    Number.isFinite(value) ? value : refuse(`The \`${at}\` field must be a number of at most ${Number.MAX_VALUE}.`)

  function textOf(value: unknown, at: string, lengthMax: number): string {
    if (value == null) return refuse(`Missing \`${at}\` field.`)
    if (typeof value !== 'string') return refuse(`The \`${at}\` field must be a string.${quotedValue(value)}`)
    return value.length > lengthMax ? refuse(`The \`${at}\` field must have at most ${lengthMax} characters.`) : value
  }

  function oneOf<const Name extends string>(names: readonly Name[], value: unknown, at: string): Name {
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
