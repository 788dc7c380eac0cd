// The filter of a segment as a condition of SQL over contacts `c`. Every rule answers yes or no, never null: `not` would not turn null around.
import { inOrder } from '../lib/rule-order.ts'
import { isAll, isAny, isNot, type NumberOperator, type StoredLeaf, type StoredRule, type TextOperator } from '../lib/segment-rules.ts'
import type { Subscription } from '../schemas/notifications.ts'
import type { Database } from './database.ts'

export function segmentFilterRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** What a filter wants to name, as far as the team has it: topics with their default, segments with whether they have a filter themselves. */
    async named(teamId: string, { topicIds, segmentIds }: { topicIds: string[]; segmentIds: string[] }) {
      const topics = await execute<{ id: string; defaultSubscription: Subscription }>(
        'select id, default_subscription as "defaultSubscription" from topics where team_id = $1 and id = any($2::uuid[])',
        [teamId, topicIds],
      )
      const segments = await execute<{ id: string; hasFilter: boolean }>(
        'select id, filter is not null as "hasFilter" from segments where team_id = $1 and id = any($2::uuid[])',
        [teamId, segmentIds],
      )
      return {
        topics: new Map(topics.map(({ id, defaultSubscription }) => [id, defaultSubscription])),
        segments: new Map(segments.map(({ id, hasFilter }) => [id, hasFilter])),
      }
    },
  }
}

/** `condition` stands behind `joins`, which stand behind contacts `c` and change nothing of how many rows there are. */
export type FilterSql = { joins: string; condition: string }

type Stretch = { after: string; count: string }

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

/** Texts that a field may equal are looked up together, and so are those that may be in it: what costs is to get at the field. */
function anyOf(rules: StoredRule[], lists: Lists): string {
  const equal = Map.groupBy(rules, (rule) => ('operator' in rule && rule.operator === 'equals' ? columnOfText(rule, lists) : null))
  const found = Map.groupBy(equal.get(null) ?? [], (rule) => (patternOf(rule) === null ? null : columnOfText(rule, lists)))
  const others = inOrder(found.get(null) ?? [], 'yes').map((rule) => conditionOf(rule, lists))
  const together = (rulesOf: Map<string | null, StoredRule[]>, comparison: string, textOf: (rule: StoredRule) => string | null) =>
    [...rulesOf].flatMap(([column, leaves]) => {
      if (column === null) return []
      const wanted = leaves.map((leaf) => `lower(${lists.parameter(textOf(leaf) ?? '', 'text')})`)
      return [`(lower(${column}) ${comparison} any(array[${wanted.join(', ')}])) is true`]
    })
  const conditions = [
    ...together(equal, '=', (rule) => ('value' in rule ? String(rule.value) : '')),
    ...together(found, 'like', patternOf),
    ...others,
  ]
  return `(${conditions.join(' or ')})`
}

/** Null for what is no search within a text. */
function patternOf(rule: StoredRule): string | null {
  if (!('operator' in rule) || typeof rule.value !== 'string') return null
  const text = rule.value.replace(/[\\%_]/g, '\\$&')
  if (rule.operator === 'contains') return `%${text}%`
  if (rule.operator === 'starts_with') return `${text}%`
  return rule.operator === 'ends_with' ? `%${text}` : null
}

const asksForLists = (rule: StoredRule): boolean => {
  if (isAll(rule)) return rule.all.some(asksForLists)
  if (isAny(rule)) return rule.any.some(asksForLists)
  if (isNot(rule)) return asksForLists(rule.not)
  return 'segment' in rule || 'topic' in rule
}

type ParameterType = 'text' | 'boolean' | 'timestamptz' | 'jsonb' | 'uuid'
type Table = 'contact_segments' | 'contact_topics'

/** Lists that are joined. A join can be carried out by several processes and from either side, but many of them take longer to plan than to do. */
const JOINS_MAX = 8

/** The lists that a filter asks for, members of segments and choices of topics: joined as far as there may be joins, then asked one by one. */
class Lists {
  readonly joins: string[] = []
  private readonly names = new Map<string, string>()
  private readonly keys = new Map<number, string>()
  private readonly values: unknown[]
  private readonly stretch: Stretch | undefined

  constructor(values: unknown[], stretch: Stretch | undefined) {
    this.values = values
    this.stretch = stretch
  }

  /** Hands a value to the statement, and answers how it is called there. */
  parameter(value: unknown, type: ParameterType): string {
    return `$${this.values.push(value)}::${type}`
  }

  /** What a property is called in the values of contacts: once for all rules that ask for it. */
  key(property: number): string {
    const known = this.keys.get(property)
    if (known !== undefined) return known
    const key = this.parameter(String(property), 'text')
    this.keys.set(property, key)
    return key
  }

  /** Whether the contact stands in the list of this id; of topics, with this choice. */
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
    // A contact stands in a list once: what is more of it than contacts lies behind the last of them.
    const list = this.stretch
      ? `(select * from ${table} where ${isListed} and contact_id > ${this.stretch.after} order by contact_id limit ${this.stretch.count}) ${name} on true`
      : `${table} ${name} on ${name}.${isListed}`
    this.joins.push(`left join ${list} and ${name}.contact_id = c.id`)
    this.names.set(id, name)
    return name
  }
}

const LISTED_BY = { contact_segments: 'segment_id', contact_topics: 'topic_id' } as const

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
  if ('property' in leaf) {
    if (leaf.type === 'number') return numberCondition(`(c.properties -> ${lists.key(leaf.property)})`, leaf, lists)
    return textCondition(textProperty(leaf.property, lists), leaf, lists)
  }
  if (leaf.field === 'unsubscribed') return `c.unsubscribed = ${lists.parameter(leaf.value, 'boolean')}`
  if (leaf.field === 'created_at')
    return `c.created_at ${leaf.operator === 'before' ? '<' : '>'} ${lists.parameter(leaf.value, 'timestamptz')}`
  return textCondition(`c.${leaf.field}`, leaf, lists)
}

const textProperty = (number: number, lists: Lists): string => `(c.properties ->> ${lists.key(number)})`

/** Null for what is no text. */
function columnOfText(leaf: StoredRule, lists: Lists): string | null {
  if ('property' in leaf) return leaf.type === 'string' ? textProperty(leaf.property, lists) : null
  return 'field' in leaf && leaf.field !== 'unsubscribed' && leaf.field !== 'created_at' ? `c.${leaf.field}` : null
}

function textCondition(column: string, { operator, value = '' }: { operator: TextOperator; value?: string }, lists: Lists): string {
  if (operator === 'is_set') return `${column} is not null`
  if (operator === 'is_not_set') return `${column} is null`
  const text = `lower(${column})`
  const wanted = `lower(${lists.parameter(value, 'text')})`
  switch (operator) {
    case 'equals':
      return `(${text} = ${wanted}) is true`
    case 'not_equals':
      return `(${text} = ${wanted}) is not true`
    // Positions instead of patterns: no character of the value means anything else than itself.
    case 'contains':
      return `(strpos(${text}, ${wanted}) > 0) is true`
    case 'not_contains':
      return `(strpos(${text}, ${wanted}) > 0) is not true`
    case 'starts_with':
      return `(starts_with(${text}, ${wanted})) is true`
    case 'ends_with':
      return `(right(${text}, length(${wanted})) = ${wanted}) is true`
  }
}

const COMPARISONS = { greater_than: '>', greater_or_equal: '>=', less_than: '<', less_or_equal: '<=' } as const

/** Compared as JSON: numbers by their value, and no value of another kind could make the statement fail. */
function numberCondition(column: string, { operator, value = 0 }: { operator: NumberOperator; value?: number }, lists: Lists): string {
  if (operator === 'is_set') return `${column} is not null`
  if (operator === 'is_not_set') return `${column} is null`
  const wanted = lists.parameter(JSON.stringify(value), 'jsonb')
  if (operator === 'equals') return `(${column} = ${wanted}) is true`
  if (operator === 'not_equals') return `(${column} = ${wanted}) is not true`
  return `(${column} ${COMPARISONS[operator]} ${wanted}) is true`
}
