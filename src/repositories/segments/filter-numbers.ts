// Rules over numbers as conditions of SQL. Numbers are compared as JSON: by their value, and no value of another kind makes the statement fail.
import { textOfNumber } from '../../lib/audience/letter-pairs.ts'
import type { NumberOperator, StoredRule } from '../../lib/audience/segment-rules.ts'
import type { Lists } from './filter-lists.ts'
import { hasPairsOf } from './filter-pairs.ts'

type NumberLeaf = { property: number; operator: NumberOperator; value?: number }
type LookUp = NumberLeaf & { operator: 'equals' }

export const isLookUp = (rule: StoredRule): rule is LookUp & StoredRule =>
  'property' in rule && rule.type === 'number' && rule.operator === 'equals'

/** Returns yes or no, never null. */
export function numberCondition({ property, operator, value = 0 }: NumberLeaf, lists: Lists): string {
  switch (operator) {
    case 'is_set':
      return `${column(property, lists)} is not null`
    case 'is_not_set':
      return `${column(property, lists)} is null`
    case 'equals':
      return anyNumberCondition(property, [value], lists)
    case 'not_equals':
      return `(not ${anyNumberCondition(property, [value], lists)})`
    default:
      return `(${column(property, lists)} ${COMPARISONS[operator]} ${json(value, lists)}) is true`
  }
}

/** Whether a property has one of these values. */
export function anyNumberCondition(property: number, values: number[], lists: Lists): string {
  const hint = hasPairsOf(
    values.map((value) => [String(property), textOfNumber(value)]),
    lists,
  )
  return `((${hint}${column(property, lists)} = any(array[${values.map((value) => json(value, lists)).join(', ')}])) is true)`
}

const COMPARISONS = { greater_than: '>', greater_or_equal: '>=', less_than: '<', less_or_equal: '<=' } as const

const column = (property: number, lists: Lists): string => `(c.properties -> ${lists.key(property)})`

const json = (value: number, lists: Lists): string => lists.parameter(JSON.stringify(value), 'jsonb')
