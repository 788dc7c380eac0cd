// The filter of a segment is a tree of rules: groups of rules, and rules that test one thing about a contact.

/** A leaf tests one thing; groups combine the results of their rules. */
export type Rule<Leaf> = { all: Rule<Leaf>[] } | { any: Rule<Leaf>[] } | { not: Rule<Leaf> } | Leaf

export const TEXT_FIELDS = ['email', 'first_name', 'last_name'] as const
export const TEXT_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'is_set',
  'is_not_set',
] as const
export const NUMBER_OPERATORS = [
  'equals',
  'not_equals',
  'greater_than',
  'greater_or_equal',
  'less_than',
  'less_or_equal',
  'is_set',
  'is_not_set',
] as const
export const BOOLEAN_OPERATORS = ['equals'] as const
export const TIME_OPERATORS = ['before', 'after'] as const
export const SUBSCRIPTIONS = ['opt_in', 'opt_out'] as const

export type TextField = (typeof TEXT_FIELDS)[number]
export type TextOperator = (typeof TEXT_OPERATORS)[number]
export type NumberOperator = (typeof NUMBER_OPERATORS)[number]
type Subscription = (typeof SUBSCRIPTIONS)[number]

/** `value` is absent if the operator needs none. */
export type FieldLeaf =
  | { field: TextField; operator: TextOperator; value?: string }
  | { field: 'unsubscribed'; operator: 'equals'; value: boolean }
  | { field: 'created_at'; operator: (typeof TIME_OPERATORS)[number]; value: string }
/** `written` is the value as the client wrote it, if that differs. */
type EmailLeaf = { field: 'email'; operator: TextOperator; value: string; written: string }
type SegmentLeaf = { segment: string; member: boolean }

/** As a client writes it, with properties by their key. */
export type FilterLeaf =
  | FieldLeaf
  | { property: string; operator: TextOperator | NumberOperator; value?: string | number }
  | { topic: string; subscription: Subscription }
  | SegmentLeaf
export type FilterRule = Rule<FilterLeaf>

/** As it is stored: addresses in the form of contacts, properties by their number, topics with their default, which never changes. */
export type StoredLeaf =
  | FieldLeaf
  | EmailLeaf
  | { property: number; type: 'string'; operator: TextOperator; value?: string }
  | { property: number; type: 'number'; operator: NumberOperator; value?: number }
  | { topic: string; subscription: Subscription; default: Subscription }
  | SegmentLeaf
export type StoredRule = Rule<StoredLeaf>

/** Operators that test whether there is a value, and so need none to compare with. */
export const asksOnlyWhetherSet = (operator: string): boolean => operator === 'is_set' || operator === 'is_not_set'

/**
 * Returns the tree with other leaves.
 * @param change receives the place of each leaf, as an error names it: `filter.all[2].not`
 */
export function mapLeaves<From extends object, To extends object>(
  rule: Rule<From>,
  change: (leaf: From, path: string) => To,
  path = 'filter',
): Rule<To> {
  const mapAll = (rules: Rule<From>[], name: string) => rules.map((one, index) => mapLeaves(one, change, `${path}.${name}[${index}]`))
  if (isAll(rule)) return { all: mapAll(rule.all, 'all') }
  if (isAny(rule)) return { any: mapAll(rule.any, 'any') }
  if (isNot(rule)) return { not: mapLeaves(rule.not, change, `${path}.not`) }
  return change(rule, path)
}

// No leaf has a field of these names.
export const isAll = <Leaf extends object>(rule: Rule<Leaf>): rule is { all: Rule<Leaf>[] } => 'all' in rule
export const isAny = <Leaf extends object>(rule: Rule<Leaf>): rule is { any: Rule<Leaf>[] } => 'any' in rule
export const isNot = <Leaf extends object>(rule: Rule<Leaf>): rule is { not: Rule<Leaf> } => 'not' in rule
