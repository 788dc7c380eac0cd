// The filter of a segment as a condition of SQL over contacts `c`. Every rule returns yes or no, never null, because `not` would not invert null.
import { inOrder } from '../../lib/audience/rule-order.ts'
import { isAll, isAny, isNot, type StoredLeaf, type StoredRule } from '../../lib/audience/segment-rules.ts'
import { Lists, type Stretch } from './filter-lists.ts'
import { anyNumberCondition, isLookUp, numberCondition } from './filter-numbers.ts'
import {
  anyTextCondition,
  isAbsence,
  isSearch,
  isTextLeaf,
  soughtTextOf,
  type TextLeaf,
  textCondition,
  textTestOf,
} from './filter-texts.ts'

/** `condition` follows `joins`, which follow contacts `c` and do not change how many rows there are. */
export type FilterSql = { joins: string; condition: string }

/**
 * @param values the parameters of the statement so far; those of the filter are added
 * @param stretch if contacts `c` are the next `count` after an id: lists are then read along with them
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

/** `is true` keeps the order of tests on the contact alone. Tests on lists stay outside, because they can decide how the lists are joined. */
function allOf(rules: StoredRule[], lists: Lists): string {
  const [own, ofLists] = [rules.filter((rule) => !asksForLists(rule)), rules.filter(asksForLists)]
  const absent = own.filter(isTextLeaf).filter(isAbsence)
  const others = own.filter((rule) => !(isTextLeaf(rule) && isAbsence(rule)))
  const conditions = [...inOrder(others, 'no').map((rule) => conditionOf(rule, lists)), ...noneOf(absent, lists)]
  return `(${[
    ...(conditions.length > 0 ? [`(${conditions.join(' and ')}) is true`] : []),
    ...ofLists.map((rule) => conditionOf(rule, lists)),
  ].join(' and ')})`
}

/** What a text must not be or contain is looked for together, and last, because it rarely decides. */
function noneOf(absent: TextLeaf[], lists: Lists): string[] {
  const tests = absent.map((leaf) => soughtTextOf(leaf, lists))
  return [...Map.groupBy(tests, ({ text }) => text.column).values()].map((inOneText) => `(not ${anyTextCondition(inOneText, lists)})`)
}

/** Searches in one text are combined, and so are lookups of numbers, because reading a value is the expensive part. */
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
    // A contact without a choice has the default, so the default applies unless the other was chosen.
    if (leaf.subscription !== leaf.default) return lists.has('contact_topics', leaf.topic, leaf.subscription)
    return `(not (${lists.has('contact_topics', leaf.topic, leaf.subscription === 'opt_in' ? 'opt_out' : 'opt_in')}))`
  }
  if (isTextLeaf(leaf)) return textCondition(textTestOf(leaf, lists), lists)
  if ('property' in leaf) return numberCondition(leaf, lists)
  if (leaf.field === 'created_at')
    return `c.created_at ${leaf.operator === 'before' ? '<' : '>'} ${lists.parameter(storedInstant(leaf.value), 'timestamptz')}`
  return `c.unsubscribed = ${lists.parameter(leaf.value, 'boolean')}`
}

/** A filter of an earlier version can hold a time in a year of five digits, which PostgreSQL does not read in this form. */
const storedInstant = (time: string): string => (time.startsWith('+') ? 'infinity' : time)
