// What keeps mail from a person, as delivery decides it (topic-refusals.repository.ts); in SQL, because it is in several tables.
import { type Database, statement } from '../../db/database.ts'
import type { SuppressionOrigin } from '../suppressions/suppressions.schema.ts'

export type RefusedTopic = { id: string; name: string; isChoice: boolean; since: Date | null }

export type AddressStanding = {
  unsubscribed: boolean
  /** When the address unsubscribed from everything; null if that is not known. */
  unsubscribedAt: Date | null
  suppression: { id: string; origin: SuppressionOrigin; sourceId: string | null; createdAt: Date; hasSoftBounces: boolean } | null
  /** Topics of which the address gets no mail. */
  topics: RefusedTopic[]
}

type Row = Omit<AddressStanding, 'suppression'> & {
  suppressionId: string | null
  origin: SuppressionOrigin
  sourceId: string | null
  suppressedAt: Date
  hasSoftBounces: boolean
}

export function contactDeliverabilityRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async ofAddress(teamId: string, { email, addressHash }: { email: string; addressHash: string }): Promise<AddressStanding> {
      const [[row], topics] = await Promise.all([
        execute<Row>(STANDING, [teamId, email, addressHash]),
        execute<RefusedTopic>(REFUSED_TOPICS, [teamId, email, addressHash]),
      ])
      if (!row) throw new Error('A statement without a table returned no row')
      const { suppressionId, origin, sourceId, suppressedAt, hasSoftBounces, unsubscribed, unsubscribedAt } = row
      const suppression = suppressionId === null ? null : { id: suppressionId, origin, sourceId, createdAt: suppressedAt, hasSoftBounces }
      return { unsubscribed, unsubscribedAt, suppression, topics }
    },
  }
}

const STANDING = statement(
  'what keeps mail from an address',
  `select coalesce(c.unsubscribed, false) or o.created_at is not null as unsubscribed, o.created_at as "unsubscribedAt", s.id as "suppressionId", s.origin,
     s.source_id as "sourceId", s.created_at as "suppressedAt", s.soft_bounces is not null as "hasSoftBounces"
   from (values (1)) one
   left join lateral (select unsubscribed from contacts where team_id = $1 and email = $2 offset 0) c on true
   left join lateral (select created_at from opt_outs where team_id = $1 and address_hash = $3 offset 0) o on true
   left join lateral (select id, origin, source_id, created_at, soft_bounces from suppressions where team_id = $1 and email = $2 offset 0) s on true`,
)

/** Reads all topics of the team. */
const REFUSED_TOPICS = statement(
  'topics of which an address gets no mail',
  `select t.id, t.name, o.topic_id is not null or ct.subscription is not null as "isChoice", coalesce(o.created_at, ct.updated_at) as since
     from topics t
     left join contacts c on c.team_id = t.team_id and c.email = $2
     left join contact_topics ct on ct.topic_id = t.id and ct.contact_id = c.id
     left join topic_opt_outs o on o.team_id = t.team_id and o.address_hash = $3 and o.topic_id = t.id
    where t.team_id = $1 and (o.topic_id is not null or coalesce(ct.subscription, t.default_subscription) = 'opt_out') order by t.id desc`,
)
