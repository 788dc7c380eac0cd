// The filter of a segment as a condition of SQL over contacts `c`. Every rule answers yes or no, never null: `not` would not turn null around.
import { inOrder } from '../../lib/audience/rule-order.ts'
import { isAll, isAny, isNot, type StoredLeaf, type StoredRule } from '../../lib/audience/segment-rules.ts'
import { Lists, type Stretch } from './filter-lists.ts'
import { anyNumberCondition, isLookUp, numberCondition } from './filter-numbers.ts'
import { anyTextCondition, isSearch, isTextLeaf, textCondition, textTestOf } from './filter-texts.ts'

/** `condition` stands behind `joins`, which stand behind contacts `c` and change nothing of how many rows there are. */
export type FilterSql = { joins: string; condition: string }

/**
 * @param values the parameters of the statement so far: those of the filter are added to them
 * @param stretch where contacts `c` are the next `count` behind an id, in terms of the statement: lists are then read along with them
 */
export function filterSql(filter: StoredRule, values: unknown[], stretch?: Stretch): FilterSql {
  const lists = new Lists(values, stretch)
  const condition = conditionOf(filter, lists)
  return { joins: lists.joins.join(' '), condition }
}

function conditionOf(rule: StoredRule, lists: Lists): string {
  if (isAll(rule)) return allOf(rule.all, lists)
  if (isAny(rule)) return anyOf(rule.any, lists)
  if (isNot(rule)) return `(not ${conditionOf(rule.not, lists)})`
  return leafCondition(rule, lists)
}

/** `is true` keeps the order of what is asked of the contact alone. What asks for lists stays outside: it can decide how they are joined. */
function allOf(rules: StoredRule[], lists: Lists): string {
  const [own, ofLists] = [rules.filter((rule) => !asksForLists(rule)), rules.filter(asksForLists)]
  const conditions = inOrder(own, 'no').map((rule) => conditionOf(rule, lists))
  return `(${[
    ...(conditions.length > 0 ? [`(${conditions.join(' and ')}) is true`] : []),
    ...ofLists.map((rule) => conditionOf(rule, lists)),
  ].join(' and ')})`
}

/** Searches in one text are made together, and so are numbers looked up: what costs is to get at a value. */
function anyOf(rules: StoredRule[], lists: Lists): string {
  const searches = rules.filter(isTextLeaf).filter(isSearch)
  const lookUps = rules.filter(isLookUp)
  const together = new Set<StoredRule>([...searches, ...lookUps])
  const others = rules.filter((rule) => !together.has(rule))
  const tests = searches.map((leaf) => textTestOf(leaf, lists))
  return `(${[
    ...[...Map.groupBy(tests, ({ text }) => text.column).values()].map((inOneText) => anyTextCondition(inOneText, lists)),
    ...[...Map.groupBy(lookUps, ({ property }) => property)].map(([property, leaves]) =>
      anyNumberCondition(
        property,
        leaves.map(({ value = 0 }) => value),
        lists,
      ),
    ),
    ...inOrder(others, 'yes').map((rule) => conditionOf(rule, lists)),
  ].join(' or ')})`
}

const asksForLists = (rule: StoredRule): boolean => {
  if (isAll(rule)) return rule.all.some(asksForLists)
  if (isAny(rule)) return rule.any.some(asksForLists)
  if (isNot(rule)) return asksForLists(rule.not)
  return 'segment' in rule || 'topic' in rule
}

function leafCondition(leaf: StoredLeaf, lists: Lists): string {
  if ('segment' in leaf) {
    const isMember = lists.has('contact_segments', leaf.segment)
    return leaf.member ? isMember : `(not ${isMember})`
  }
  if ('topic' in leaf) {
    // Who has not chosen has the default: that holds unless the other was chosen.
    if (leaf.subscription !== leaf.default) return lists.has('contact_topics', leaf.topic, leaf.subscription)
    return `(not (${lists.has('contact_topics', leaf.topic, leaf.subscription === 'opt_in' ? 'opt_out' : 'opt_in')}))`
  }
  if (isTextLeaf(leaf)) return textCondition(textTestOf(leaf, lists), lists)
  if ('property' in leaf) return numberCondition(leaf, lists)
  if (leaf.field === 'created_at')
    return `c.created_at ${leaf.operator === 'before' ? '<' : '>'} ${lists.parameter(leaf.value, 'timestamptz')}`
  return `c.unsubscribed = ${lists.parameter(leaf.value, 'boolean')}`
}
