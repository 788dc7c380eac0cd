// In which order the rules of a group are asked: nothing is asked once the answer is known, so what decides most for least comes first.
import { isAll, isAny, isNot, type StoredLeaf, type StoredRule } from './segment-rules.ts'

/** What a rule costs beside others, and for what share of contacts it holds, as far as its form tells. */
type Guess = { cost: number; share: number }

/** @param decidedBy what ends the asking: a rule that does not hold, or one that holds */
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

/** Never none nor all: a rank is a quotient. */
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
