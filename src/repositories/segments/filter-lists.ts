// What a filter needs besides the contact itself: members of segments, choices of topics, and the parameters of its statement; in SQL,
// because Prisma joins only along foreign keys.
import type { Subscription } from '../../schemas/notifications.ts'

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
