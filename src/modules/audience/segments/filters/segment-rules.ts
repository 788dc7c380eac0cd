// The filter of a segment is a tree of rules: groups of rules, and rules that test one thing about a contact.
import type { SUBSCRIPTIONS } from '../../audience-fields.ts'

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

// Orders the rules of a group. Evaluation stops once the answer is known, so rules that decide much at little cost come first.

/** What a rule costs compared with others, and the share of contacts that it probably matches, judged by its form. */
type Guess = { cost: number; share: number }

/** @param decidedBy what stops the evaluation: a rule that does not match, or one that does */
export function inOrder(rules: StoredRule[], decidedBy: 'no' | 'yes'): StoredRule[] {
  const rank = (rule: StoredRule) => {
    const { cost, share } = guessRule(rule)
    return cost / (decidedBy === 'no' ? 1 - share : share)
  }
  return rules
    .map((rule) => ({ rule, rank: rank(rule) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ rule }) => rule)
}

function guessRule(rule: StoredRule): Guess {
  if (isNot(rule)) return negated(guessRule(rule.not))
  if (isAll(rule)) return together(rule.all.map(guessRule))
  if (isAny(rule)) return negated(together(rule.any.map(guessRule).map(negated)))
  return guessOfLeaf(rule)
}

const negated = ({ cost, share }: Guess): Guess => ({ cost, share: 1 - share })
const together = (guesses: Guess[]): Guess => ({
  cost: guesses.reduce((sum, { cost }) => sum + cost, 0),
  share: within(guesses.reduce((product, { share }) => product * share, 1)),
})

/** Never 0 and never 1, because a rank is a quotient. */
const within = (share: number): number => Math.min(Math.max(share, 0.001), 0.999)

function guessOfLeaf(leaf: StoredLeaf): Guess {
  if ('topic' in leaf) return { cost: 1, share: leaf.subscription === leaf.default ? 0.8 : 0.2 }
  if ('segment' in leaf) return { cost: 1, share: leaf.member ? 0.2 : 0.8 }
  if ('field' in leaf && leaf.field === 'unsubscribed') return { cost: 0.2, share: leaf.value ? 0.1 : 0.9 }
  if ('field' in leaf && leaf.field === 'created_at') return { cost: 0.2, share: 0.5 }
  const cost = 'field' in leaf ? 2 : 3
  switch (leaf.operator) {
    case 'equals':
      return { cost, share: 0.05 }
    case 'not_equals':
    case 'not_contains':
      return { cost, share: 0.95 }
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { cost: cost + 1, share: 0.2 }
    default:
      return { cost: cost / 2, share: 0.5 }
  }
}
