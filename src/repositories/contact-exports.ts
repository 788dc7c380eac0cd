// Everything that is known of one contact, read in one snapshot.
import type { ContactNotificationData, ContactTopicsNotificationData, Subscription } from '../schemas/notifications.ts'
import type { ContactRow } from './contact-notifications.ts'
import { segmentsThatFind } from './contact-segments.ts'
import { type ContactReference, findContact } from './contacts.ts'
import type { Database, Execute } from './database.ts'

export type ContactExportRow = {
  contact: ContactRow
  segments: { id: string; name: string; addedAt: Date | null }[]
  topics: { id: string; name: string; subscription: Subscription; choice: Subscription | null; chosenAt: Date | null }[]
  /** Null: no opt-out from everything. */
  optedOutAt: Date | null
  topicOptOuts: { id: string; since: Date }[]
  suppression: { id: string; origin: string; sourceId: string | null; createdAt: Date } | null
  emails: Bounded<{ id: string; address: string; subject: string; state: string; lastEvent: string; createdAt: Date }>
  events: Bounded<{ id: string; type: string; data: ContactNotificationData | ContactTopicsNotificationData; createdAt: Date }>
}

/** The newest rows, and whether there are more. */
type Bounded<Row> = { rows: Row[]; hasMore: boolean }

export type ExportLimits = { emailsMax: number; eventsMax: number }

export function contactExportRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** Null: the team has no such contact. */
    async read(
      teamId: string,
      reference: ContactReference,
      hashOf: (email: string) => string,
      { emailsMax, eventsMax }: ExportLimits,
    ): Promise<ContactExportRow | null> {
      return transaction(async (inside) => {
        await inside('set transaction isolation level repeatable read, read only')
        const contact = await findContact(inside, teamId, reference)
        if (!contact) return null
        const { id, email } = contact
        const addressHash = hashOf(email)
        const [optOut] = await inside<{ since: Date }>(OPT_OUT, [teamId, addressHash])
        const [suppression] = await inside<NonNullable<ContactExportRow['suppression']>>(SUPPRESSION, [teamId, email])
        return {
          contact,
          segments: await inside(SEGMENTS, [teamId, id, await segmentsThatFind(inside, teamId, id)]),
          topics: await inside(TOPICS, [teamId, id]),
          optedOutAt: optOut?.since ?? null,
          topicOptOuts: await inside(TOPIC_OPT_OUTS, [teamId, addressHash]),
          suppression: suppression ?? null,
          emails: await bounded(inside, EXPORTED_EMAILS, [teamId, email], emailsMax),
          events: await bounded(inside, EVENTS, [teamId, id], eventsMax),
        }
      })
    },
  }
}

/** Reads one row more than is wanted. */
async function bounded<Row extends object>(execute: Execute, sql: string, values: unknown[], max: number): Promise<Bounded<Row>> {
  const rows = await execute<Row>(sql, [...values, max + 1])
  return { rows: rows.slice(0, max), hasMore: rows.length > max }
}

const SEGMENTS = `
select s.id, s.name, m.created_at as "addedAt"
from segments s left join contact_segments m on m.segment_id = s.id and m.contact_id = $2
where s.team_id = $1 and (m.contact_id is not null or s.id = any($3::uuid[])) order by s.id desc`

const TOPICS = `
select t.id, t.name, coalesce(c.subscription, t.default_subscription) as subscription, c.subscription as choice, c.updated_at as "chosenAt"
from topics t left join contact_topics c on c.topic_id = t.id and c.contact_id = $2
where t.team_id = $1 order by t.id desc`

const OPT_OUT = 'select created_at as since from opt_outs where team_id = $1 and address_hash = $2'

const TOPIC_OPT_OUTS = `
select o.topic_id as id, o.created_at as since
from topic_opt_outs o join topics t on t.id = o.topic_id
where o.team_id = $1 and o.address_hash = $2 order by o.topic_id desc`

const SUPPRESSION =
  'select id, origin, source_id as "sourceId", created_at as "createdAt" from suppressions where team_id = $1 and email = $2'

/**
 * Materialized, so that the emails of the address are found by its index and then ordered. Walking all emails from the newest may look cheap to the
 * planner, and reads every one of them for an address that got few.
 *
 * @internal for tests: its plan.
 */
export const EXPORTED_EMAILS = `
with addressed as materialized (
  select email_id, address, state from recipients where lower(address) = $2 and team_id = $1
), newest as (
  select * from addressed order by email_id desc, address limit $3
)
select e.id, n.address, e.subject, n.state, e.last_event as "lastEvent", e.created_at as "createdAt"
from newest n join emails e on e.id = n.email_id and e.team_id = $1 order by e.id desc, n.address`

const EVENTS = `
select id, type, data, created_at as "createdAt" from notifications where team_id = $1 and subject_id = $2 order by id desc limit $3`
