// Whether the rules of a condition, or of a wait, are met. What is missing meets no rule but `is_empty`. Numbers are compared as numbers, times as times.
import { parseIsoTime } from '../iso-times.ts'
import { isProblem } from '../problem.ts'
import type { FieldRule, Rule } from './graph.ts'
import { type Known, parseReference, referredValue } from './references.ts'

export function isMet(rule: Rule, known: Known): boolean {
  if ('rules' in rule)
    return rule.type === 'and' ? rule.rules.every((each) => isMet(each, known)) : rule.rules.some((each) => isMet(each, known))
  const reference = parseReference(rule.field)
  return meets(reference ? referredValue(reference, known) : undefined, rule)
}

function meets(value: unknown, rule: FieldRule): boolean {
  switch (rule.operator) {
    case 'exists':
      return value !== undefined && value !== null
    case 'is_empty':
      return isEmpty(value)
    case 'eq':
      return value !== undefined && isEqual(value, rule.value)
    case 'neq':
      return value !== undefined && !isEqual(value, rule.value)
    case 'contains':
      return Array.isArray(value) ? value.includes(rule.value) : typeof value === 'string' && value.includes(rule.value)
    case 'starts_with':
      return typeof value === 'string' && value.startsWith(rule.value)
    case 'ends_with':
      return typeof value === 'string' && value.endsWith(rule.value)
    default:
      return isOrdered(value, rule)
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && (Array.isArray(value) ? value : Object.keys(value)).length === 0)

/** Two texts that are both times are equal if they mean the same moment. */
function isEqual(value: unknown, other: string | number | boolean | null): boolean {
  if (value === other) return true
  const [one, two] = [timeOf(value), timeOf(other)]
  return one !== null && one === two
}

function isOrdered(value: unknown, { operator, value: other }: Extract<FieldRule, { operator: 'gt' | 'gte' | 'lt' | 'lte' }>): boolean {
  const [one, two] = typeof other === 'number' ? [numberOf(value), other] : [timeOf(value), timeOf(other)]
  if (one === null || two === null) return false
  if (operator === 'gt') return one > two
  if (operator === 'gte') return one >= two
  return operator === 'lt' ? one < two : one <= two
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Milliseconds since 1970 of a date or a time in ISO 8601. Without an offset it is in UTC. Null for other texts, and for a day that does not exist. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? parseIsoTime(value) : null
  return time === null || isProblem(time) ? null : time.wallClockMs - (time.offsetMs ?? 0)
}
