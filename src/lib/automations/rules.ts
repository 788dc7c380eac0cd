// Whether the rules of a condition, or of a wait, are met. What is missing meets no rule but `is_empty`. Texts are compared as in the filters of
// segments: upper and lower case are the same, and addresses are compared in the form of contacts. Numbers are compared as numbers.
import { domainToASCII } from 'node:url'
import { isBlank } from '../blank.ts'
import { parseIsoTime } from '../iso-times.ts'
import { isProblem } from '../problem.ts'
import type { FieldRule, Rule } from './graph.ts'
import { type Known, parseReference, referredValue } from './references.ts'

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
