// Orders the rules of a group. Evaluation stops once the answer is known, so rules that decide much at little cost come first.
import { isAll, isAny, isNot, type StoredLeaf, type StoredRule } from './segment-rules.ts'

/** What a rule costs compared with others, and the share of contacts that it probably matches, judged by its form. */
type Guess = { cost: number; share: number }

/** @param decidedBy what stops the evaluation: a rule that does not match, or one that does */
export function inOrder(rules: StoredRule[], decidedBy: 'no' | 'yes'): StoredRule[] {
  const rank = (rule: StoredRule) => {
    const { cost, share } = guessOf(rule)
    return cost / (decidedBy === 'no' ? 1 - share : share)
  }
  return rules
    .map((rule) => ({ rule, rank: rank(rule) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ rule }) => rule)
}

function guessOf(rule: StoredRule): Guess {
  if (isNot(rule)) return negated(guessOf(rule.not))
  if (isAll(rule)) return together(rule.all.map(guessOf))
  if (isAny(rule)) return negated(together(rule.any.map(guessOf).map(negated)))
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
