// A rule of a condition or a wait as the fields of a form, which the filters of segments have too.
import { type DraftGroup, type DraftLeaf, type DraftRule, EMPTY_DRAFT, isGroup } from '../../segments/filter-draft'
import type { Rule } from '../graph'

type FieldRule = Extract<Rule, { type: 'rule' }>
/** What is known of a field: a text becomes a number or a truth only where the field is one. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'unknown'

/** Named like those of the form of filters. */
const OPERATORS = {
  eq: 'equals',
  neq: 'not_equals',
  gt: 'greater_than',
  gte: 'greater_or_equal',
  lt: 'less_than',
  lte: 'less_or_equal',
  contains: 'contains',
  starts_with: 'starts_with',
  ends_with: 'ends_with',
  exists: 'is_set',
  is_empty: 'is_not_set',
} as const satisfies Record<FieldRule['operator'], string>
type Operator = keyof typeof OPERATORS

/** For times, more is later. */
const OPERATORS_OF_TIME: Readonly<Record<string, Operator>> = { after: 'gt', before: 'lt' }

const TEXT = ['equals', 'not_equals', 'contains', 'starts_with', 'ends_with', 'is_set', 'is_not_set']
const ORDERED = ['greater_than', 'greater_or_equal', 'less_than', 'less_or_equal']
export const OPERATORS_OF: Readonly<Record<FieldType, readonly string[]>> = {
  string: TEXT,
  number: ['equals', 'not_equals', ...ORDERED, 'is_set', 'is_not_set'],
  boolean: ['equals', 'not_equals'],
  date: ['after', 'before', 'is_set', 'is_not_set'],
  unknown: [...TEXT, ...ORDERED],
}

export const emptyRule = (): Rule => ({ type: 'and', rules: [] })

export function ruleOf({ kind, rules }: DraftGroup, typeOf: (field: string) => FieldType): Rule {
  const [first] = rules
  if (rules.length === 1 && first && !isGroup(first)) return leafRule(first, typeOf)
  return {
    type: kind === 'any' ? 'or' : 'and',
    rules: rules.map((rule) => (isGroup(rule) ? ruleOf(rule, typeOf) : leafRule(rule, typeOf))),
  }
}

function leafRule({ subject: field, operator: named, value: text }: DraftLeaf, typeOf: (field: string) => FieldType): Rule {
  const operator = OPERATORS_OF_TIME[named] ?? (Object.keys(OPERATORS) as Operator[]).find((one) => OPERATORS[one] === named) ?? 'eq'
  if (operator === 'exists' || operator === 'is_empty') return { type: 'rule', field, operator }
  if (operator === 'contains' || operator === 'starts_with' || operator === 'ends_with')
    return { type: 'rule', field, operator, value: text }
  const value = typedValue(text, typeOf(field))
  if (operator === 'eq' || operator === 'neq') return { type: 'rule', field, operator, value }
  return { type: 'rule', field, operator, value: typeof value === 'boolean' ? text : value }
}

function typedValue(text: string, type: FieldType): string | number | boolean {
  if (type === 'boolean' || (type === 'unknown' && (text === 'true' || text === 'false'))) return text === 'true'
  const isNumber = type === 'number' || type === 'unknown'
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Null if the form has no place for all of it, or would write it differently. */
export function draftOf(rule: Rule, typeOf: (field: string) => FieldType): DraftGroup | null {
  const draft = draftRule(rule, typeOf)
  if (draft === null) return null
  const group = isGroup(draft) ? draft : { ...EMPTY_DRAFT, rules: [draft] }
  return sameText(ruleOf(group, typeOf), rule) ? group : null
}

function draftRule(rule: Rule, typeOf: (field: string) => FieldType): DraftRule | null {
  if (rule.type === 'rule') {
    const { field, operator, value } = rule
    if (value === null) return null
    const ofTime = typeOf(field) === 'date' && Object.keys(OPERATORS_OF_TIME).find((one) => OPERATORS_OF_TIME[one] === operator)
    return { subject: field, operator: ofTime || (OPERATORS[operator] ?? operator), value: value === undefined ? '' : String(value) }
  }
  const rules = rule.rules.map((one) => draftRule(one, typeOf))
  if (rules.some((one) => one === null)) return null
  return { kind: rule.type === 'or' ? 'any' : 'all', rules: rules.filter((one) => one !== null) }
}

const sameText = (one: Rule, other: Rule): boolean => JSON.stringify(plain(one)) === JSON.stringify(plain(other))

/** A group of one rule is that rule. */
function plain(rule: Rule): object {
  if (rule.type === 'rule') {
    const { field, operator, value } = rule
    return value === undefined ? { field, operator } : { field, operator, value }
  }
  const [only] = rule.rules
  return rule.rules.length === 1 && only ? plain(only) : { type: rule.type, rules: rule.rules.map(plain) }
}
