// The filter of a segment as a condition of SQL over contacts `c`. Every rule returns yes or no, never null, because `not` would not invert null.
import { WHITE_SPACE } from '../../../../lib/text.ts'
import type { Subscription } from '../../audience-fields.ts'
import { contactBigramMask, type FieldText, textOfNumber } from '../../contacts/merge-contacts.repository.ts'
import {
  inOrder,
  isAll,
  isAny,
  isNot,
  type NumberOperator,
  type StoredLeaf,
  type StoredRule,
  type TextField,
  type TextOperator,
} from './segment-rules.ts'

// What a filter needs besides the contact itself: members of segments, choices of topics, and the parameters of its statement; in SQL,
// because Prisma joins only along foreign keys.

/** Contacts `c` are the next `count` after an id, as expressions of the statement. */
export type Stretch = { after: string; count: string }

type ParameterType = 'text' | 'boolean' | 'timestamptz' | 'jsonb' | 'uuid' | 'bigint'
type Table = 'contact_segments' | 'contact_topics'

/** Lists that are joined. Several processes can execute a join, from either side, but many joins take longer to plan than to run. */
const JOINS_MAX = 8
const LISTED_BY = { contact_segments: 'segment_id', contact_topics: 'topic_id' } as const

/** Lists are joined as far as joins are allowed, and then queried one by one. */
export class Lists {
  readonly joins: string[] = []
  private readonly names = new Map<string, string>()
  private readonly keys = new Map<number, string>()
  private readonly values: unknown[]
  private readonly stretch: Stretch | undefined

  constructor(values: unknown[], stretch: Stretch | undefined) {
    this.values = values
    this.stretch = stretch
  }

  /** Adds a value to the parameters of the statement, and returns its name there. */
  parameter(value: unknown, type: ParameterType): string {
    return `$${this.values.push(value)}::${type}`
  }

  /** The key of a property in the values of contacts, added once for all rules that use it. */
  key(property: number): string {
    const known = this.keys.get(property)
    if (known !== undefined) return known
    const key = this.parameter(String(property), 'text')
    this.keys.set(property, key)
    return key
  }

  /** Whether the contact is in the list of this id; for topics, with this choice. */
  has(table: Table, id: string, choice?: Subscription): string {
    const joined = this.names.get(id)
    if (joined === undefined && this.joins.length >= JOINS_MAX) {
      const chosen = choice === undefined ? '' : `and x.subscription = ${this.parameter(choice, 'text')}`
      return `(exists (select from ${table} x where x.${LISTED_BY[table]} = ${this.parameter(id, 'uuid')} and x.contact_id = c.id ${chosen})) is true`
    }
    const name = joined ?? this.join(table, id)
    return choice === undefined ? `(${name}.contact_id is not null)` : `(${name}.subscription = ${this.parameter(choice, 'text')}) is true`
  }

  private join(table: Table, id: string): string {
    const name = `list${this.joins.length}`
    const isListed = `${LISTED_BY[table]} = ${this.parameter(id, 'uuid')}`
    // A contact is in a list at most once, so any surplus of the list lies after the last contact.
    const list = this.stretch
      ? `(select * from ${table} where ${isListed} and contact_id > ${this.stretch.after} order by contact_id limit ${this.stretch.count}) ${name} on true`
      : `${table} ${name} on ${name}.${isListed}`
    this.joins.push(`left join ${list} and ${name}.contact_id = c.id`)
    this.names.set(id, name)
    return name
  }
}

// Letter pairs in filters. Tested first, they rule out most contacts without reading their values.

/** Whether a contact has the pairs of one of these, followed by an `and`. Empty if every contact has them. */
export function bigramCondition(wanted: FieldText[], lists: Lists): string {
  const pairs = wanted.map((one) => contactBigramMask([one]))
  if (pairs.includes('0')) return ''
  const bits = pairs.map((one) => lists.parameter(one, 'bigint'))
  return `(${bits.map((one) => `(c.letter_pairs & ${one}) = ${one}`).join(' or ')}) and `
}

// Rules over numbers as conditions of SQL. Numbers are compared as JSON: by their value, and no value of another kind makes the statement fail.

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
  const hint = bigramCondition(
    values.map((value) => [String(property), textOfNumber(value)]),
    lists,
  )
  return `((${hint}${column(property, lists)} = any(array[${values.map((value) => json(value, lists)).join(', ')}])) is true)`
}

const COMPARISONS = { greater_than: '>', greater_or_equal: '>=', less_than: '<', less_or_equal: '<=' } as const

const column = (property: number, lists: Lists): string => `(c.properties -> ${lists.key(property)})`

const json = (value: number, lists: Lists): string => lists.parameter(JSON.stringify(value), 'jsonb')

// Rules over texts as conditions of SQL.

/** A text of contacts `c`. */
type Text = {
  column: string
  /** Without regard to case. */
  folded: string
  /** The field as letter pairs know it; null if they do not know it. */
  field: string | null
}

export type TextLeaf = { operator: TextOperator; value?: string } & ({ field: TextField } | { property: number; type: 'string' })
/** A search in one text. */
export type TextTest = { text: Text; operator: TextOperator; value: string }

export const isTextLeaf = (rule: StoredRule): rule is TextLeaf =>
  ('property' in rule && rule.type === 'string') || ('field' in rule && rule.field !== 'unsubscribed' && rule.field !== 'created_at')

export const readTextLeaf = (leaf: TextLeaf, lists: Lists): TextTest => ({
  text: searchedText(leaf, lists),
  operator: leaf.operator,
  value: leaf.value ?? '',
})

function searchedText(leaf: TextLeaf, lists: Lists): Text {
  const column = 'property' in leaf ? `(c.properties ->> ${lists.key(leaf.property)})` : `c.${leaf.field}`
  // Addresses are stored in lower case.
  if ('field' in leaf && leaf.field === 'email') return { column, folded: column, field: null }
  return { column, folded: `lower(${column})`, field: 'property' in leaf ? String(leaf.property) : leaf.field }
}

/** Returns yes or no, never null. */
export function textCondition({ text, operator, value }: TextTest, lists: Lists): string {
  const isSet = () => `(coalesce(btrim(${text.column}, ${lists.parameter(WHITE_SPACE, 'text')}), '') <> '')`
  if (operator === 'is_set') return isSet()
  if (operator === 'is_not_set') return `(not ${isSet()})`
  const positive = POSITIVES[operator]
  const holds = anyTextCondition([{ text, operator: positive ?? operator, value }], lists)
  return positive === undefined ? holds : `(not ${holds})`
}

/** What must not be found. */
const POSITIVES: Partial<Record<TextOperator, TextOperator>> = { not_equals: 'equals', not_contains: 'contains' }

export const isAbsence = ({ operator }: TextLeaf): boolean => POSITIVES[operator] !== undefined

export function positiveTest(leaf: TextLeaf, lists: Lists): TextTest {
  const test = readTextLeaf(leaf, lists)
  return { ...test, operator: POSITIVES[test.operator] ?? test.operator }
}

/** Whether it can be combined with others of the same text, because reading the text is the expensive part. */
export const isSearch = ({ operator }: TextLeaf): boolean => operator === 'equals' || likePattern({ operator, value: '' }) !== null

/** Whether any of these searches, all in one text, finds something. */
export function anyTextCondition(searches: TextTest[], lists: Lists): string {
  const [first] = searches
  if (first === undefined) return 'false'
  const folded = (texts: string[]) => `any(array[${texts.map((text) => `lower(${lists.parameter(text, 'text')})`).join(', ')}])`
  const equal = searches.filter(({ operator }) => operator === 'equals').map(({ value }) => value)
  const patterns = searches.flatMap((search) => likePattern(search) ?? [])
  const conditions = [
    ...(equal.length > 0 ? [`${first.text.folded} = ${folded(equal)}`] : []),
    ...(patterns.length > 0 ? [`${first.text.folded} like ${folded(patterns)}`] : []),
  ]
  const { field } = first.text
  const hint =
    field === null
      ? ''
      : bigramCondition(
          searches.map(({ value }) => [field, value]),
          lists,
        )
  return `(${hint}(${conditions.join(' or ')})) is true`
}

/** Null for what is no search within a text. */
function likePattern({ operator, value }: Pick<TextTest, 'operator' | 'value'>): string | null {
  const text = value.replace(/[\\%_]/g, '\\$&')
  if (operator === 'contains') return `%${text}%`
  if (operator === 'starts_with') return `${text}%`
  return operator === 'ends_with' ? `%${text}` : null
}

/** `condition` follows `joins`, which follow contacts `c` and do not change how many rows there are. */
export type FilterSql = { joins: string; condition: string }

/**
 * @param values the parameters of the statement so far; those of the filter are added
 * @param stretch if contacts `c` are the next `count` after an id: lists are then read along with them
 */
export function filterSql(filter: StoredRule, values: unknown[], stretch?: Stretch): FilterSql {
  const lists = new Lists(values, stretch)
  const condition = ruleCondition(filter, lists)
  return { joins: lists.joins.join(' '), condition }
}

/** Beside a filter, whether each of these rules holds, as further conditions over the same contacts. */
export function judgedFilterSql(
  filter: StoredRule,
  { rules, values, stretch }: { rules: Record<string, StoredRule>; values: unknown[]; stretch?: Stretch | undefined },
): FilterSql & { holds: { name: string; condition: string }[] } {
  const lists = new Lists(values, stretch)
  const condition = ruleCondition(filter, lists)
  const holds = Object.entries(rules).map(([name, rule]) => ({ name, condition: ruleCondition(rule, lists) }))
  return { joins: lists.joins.join(' '), condition, holds }
}

function ruleCondition(rule: StoredRule, lists: Lists): string {
  if (isAll(rule)) return everyCondition(rule.all, lists)
  if (isAny(rule)) return anyCondition(rule.any, lists)
  if (isNot(rule)) return `(not ${ruleCondition(rule.not, lists)})`
  return leafCondition(rule, lists)
}

/** `is true` keeps the order of tests on the contact alone. Tests on lists stay outside, because they can decide how the lists are joined. */
function everyCondition(rules: StoredRule[], lists: Lists): string {
  const [own, ofLists] = [rules.filter((rule) => !asksForLists(rule)), rules.filter(asksForLists)]
  const absent = own.filter(isTextLeaf).filter(isAbsence)
  const others = own.filter((rule) => !(isTextLeaf(rule) && isAbsence(rule)))
  const conditions = [...inOrder(others, 'no').map((rule) => ruleCondition(rule, lists)), ...absenceConditions(absent, lists)]
  return `(${[
    ...(conditions.length > 0 ? [`(${conditions.join(' and ')}) is true`] : []),
    ...ofLists.map((rule) => ruleCondition(rule, lists)),
  ].join(' and ')})`
}

/** What a text must not be or contain is looked for together, and last, because it rarely decides. */
function absenceConditions(absent: TextLeaf[], lists: Lists): string[] {
  const tests = absent.map((leaf) => positiveTest(leaf, lists))
  return [...Map.groupBy(tests, ({ text }) => text.column).values()].map((inOneText) => `(not ${anyTextCondition(inOneText, lists)})`)
}

/** Searches in one text are combined, and so are lookups of numbers, because reading a value is the expensive part. */
function anyCondition(rules: StoredRule[], lists: Lists): string {
  const searches = rules.filter(isTextLeaf).filter(isSearch)
  const lookUps = rules.filter(isLookUp)
  const together = new Set<StoredRule>([...searches, ...lookUps])
  const others = rules.filter((rule) => !together.has(rule))
  const tests = searches.map((leaf) => readTextLeaf(leaf, lists))
  return `(${[
    ...[...Map.groupBy(tests, ({ text }) => text.column).values()].map((inOneText) => anyTextCondition(inOneText, lists)),
    ...[...Map.groupBy(lookUps, ({ property }) => property)].map(([property, leaves]) =>
      anyNumberCondition(
        property,
        leaves.map(({ value = 0 }) => value),
        lists,
      ),
    ),
    ...inOrder(others, 'yes').map((rule) => ruleCondition(rule, lists)),
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
  if (isTextLeaf(leaf)) return textCondition(readTextLeaf(leaf, lists), lists)
  if ('property' in leaf) return numberCondition(leaf, lists)
  if (leaf.field === 'created_at')
    return `c.created_at ${leaf.operator === 'before' ? '<' : '>'} ${lists.parameter(storedInstant(leaf.value), 'timestamptz')}`
  return `c.unsubscribed = ${lists.parameter(leaf.value, 'boolean')}`
}

/** A filter of an earlier version can hold a time in a year of five digits, which PostgreSQL does not read in this form. */
const storedInstant = (time: string): string => (time.startsWith('+') ? 'infinity' : time)
