// What a filter asks for beside the contact itself, members of segments and choices of topics, and the parameters of its statement.
import type { Subscription } from '../../schemas/notifications.ts'

/** Contacts `c` are the next `count` behind an id, in terms of the statement. */
export type Stretch = { after: string; count: string }

type ParameterType = 'text' | 'boolean' | 'timestamptz' | 'jsonb' | 'uuid' | 'bigint'
type Table = 'contact_segments' | 'contact_topics'

/** Lists that are joined. A join can be carried out by several processes and from either side, but many of them take longer to plan than to do. */
const JOINS_MAX = 8
const LISTED_BY = { contact_segments: 'segment_id', contact_topics: 'topic_id' } as const

/** Lists are joined as far as there may be joins, then asked one by one. */
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
