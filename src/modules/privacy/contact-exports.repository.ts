// Everything that is known of a person; in SQL, because all of it is read in one snapshot, and filters in a bounded time.

import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Execute } from '../../db/database.ts'
import type { Subscription } from '../audience/audience-fields.ts'
import { type ContactReference, type ContactRow, readContact } from '../audience/contacts/contact-rows.repository.ts'
import { segmentsThatFind } from '../audience/segments/contact-segments.repository.ts'
import type { RunStatus } from '../automations/engine/run-state.ts'
import { isTo } from '../emails/email-searches.repository.ts'
import type { SuppressionRow } from '../suppressions/suppression-changes.repository.ts'

export type ContactExportRow = {
  /** Null if no contact has this address. */
  contact: ContactRow | null
  segments: { id: string; name: string; addedAt: Date | null }[]
  topics: { id: string; name: string; subscription: Subscription; choice: Subscription | null; chosenAt: Date | null }[]
  /** Null if there is no opt-out from everything. */
  optedOutAt: Date | null
  topicOptOuts: { id: string; since: Date }[]
  suppression: Omit<SuppressionRow, 'email'> | null
  emails: Bounded<{ id: string; address: string; subject: string; state: string; lastEvent: string; createdAt: Date }>
  /** Events of the contact, and of the address on the suppression list. */
  events: Bounded<{ id: string; type: string; data: Record<string, unknown>; createdAt: Date }>
  /** What the team sent of the person. */
  sentEvents: Bounded<{ id: string; name: string; payload: Record<string, unknown>; createdAt: Date }>
  /** Runs of the contact, with what the event said that started them. */
  automationRuns: Bounded<ExportedRunRow>
}

type ExportedRunRow = {
  id: string
  automationId: string
  status: RunStatus
  eventName: string
  payload: Record<string, unknown>
  steps: Record<string, { status: string; startedAt: string; output: Record<string, unknown> | null }>
  heard: Record<string, unknown> | null
  startedAt: Date
  completedAt: Date | null
}

/** The newest rows, and whether there are more. */
type Bounded<Row> = { rows: Row[]; hasMore: boolean }

export type ExportLimits = { emailsMax: number; eventsMax: number; runsMax: number }

export function contactExportRepository({ filterQueries }: { filterQueries: BoundedQueries }) {
  return {
    /**
     * Null if nothing is known. For an address without a contact, it can be what the address opted out of, its suppressions, and emails to it.
     * @throws Failure if filters take too long, or too many are running already.
     */
    async read(
      teamId: string,
      reference: ContactReference,
      hashOf: (email: string) => string,
      limits: ExportLimits,
    ): Promise<ContactExportRow | null> {
      return filterQueries.runEach(teamId, async (filtering, inside) => {
        await inside('set transaction isolation level repeatable read, read only')
        const contact = await readContact(inside, teamId, reference)
        const email = contact?.email ?? ('email' in reference ? reference.email : null)
        if (email === null) return null
        const known = { email, addressHash: hashOf(email), contactId: contact?.id ?? null }
        const ofAddress = await readAddress(inside, teamId, known, limits)
        const ofContact = contact ? await readOfContact({ filtering, inside }, teamId, contact) : NO_CONTACT
        return contact || isKnown(ofAddress) ? { ...ofContact, ...ofAddress } : null
      })
    },
  }
}

type OfContact = Pick<ContactExportRow, 'contact' | 'segments' | 'topics'>
type OfAddress = Omit<ContactExportRow, keyof OfContact>

const NO_CONTACT: OfContact = { contact: null, segments: [], topics: [] }

/** Filters come last: from then on the transaction has only the rest of their time. */
async function readOfContact(
  { filtering, inside }: { filtering: Execute; inside: Execute },
  teamId: string,
  contact: ContactRow,
): Promise<OfContact> {
  const { id } = contact
  return {
    contact,
    topics: await inside(TOPICS, [teamId, id]),
    segments: await filtering(SEGMENTS, [teamId, id, await segmentsThatFind(filtering, teamId, id)]),
  }
}

async function readAddress(
  execute: Execute,
  teamId: string,
  { email, addressHash, contactId }: { email: string; addressHash: string; contactId: string | null },
  { emailsMax, eventsMax, runsMax }: ExportLimits,
): Promise<OfAddress> {
  const [optOut] = await execute<{ since: Date }>(OPT_OUT, [teamId, addressHash])
  const [suppression] = await execute<NonNullable<OfAddress['suppression']>>(SUPPRESSION, [teamId, email])
  return {
    optedOutAt: optOut?.since ?? null,
    topicOptOuts: await execute(TOPIC_OPT_OUTS, [teamId, addressHash]),
    suppression: suppression ?? null,
    emails: await bounded(execute, EXPORTED_EMAILS, [teamId, email], emailsMax),
    events: await bounded(execute, EXPORTED_EVENTS, [teamId, contactId, email], eventsMax),
    sentEvents: await bounded(execute, EXPORTED_SENT_EVENTS, [teamId, contactId, email], eventsMax),
    automationRuns: contactId === null ? { rows: [], hasMore: false } : await bounded(execute, EXPORTED_RUNS, [teamId, contactId], runsMax),
  }
}

const isKnown = ({ optedOutAt, topicOptOuts, suppression, emails, events, sentEvents }: OfAddress): boolean =>
  optedOutAt !== null || topicOptOuts.length > 0 || suppression !== null || [emails, events, sentEvents].some(({ rows }) => rows.length > 0)

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
  'select id, origin, source_id as "sourceId", created_at as "createdAt", soft_bounces as "softBounces" from suppressions where team_id = $1 and email = $2'

/**
 * Materialized, so that the emails of the address are found by its index and then ordered. Reading all emails from the newest on looks cheap to the
 * planner, and reads every one of them for an address that got few.
 *
 * @internal for tests: its plan.
 */
export const EXPORTED_EMAILS = `
with addressed as materialized (
  select email_id, address, state from recipients where ${isTo('$2::text')} and team_id = $1
), newest as (
  select * from addressed order by email_id desc, address limit $3
)
select e.id, n.address, e.subject, n.state, e.last_event as "lastEvent", e.created_at as "createdAt"
from newest n join emails e on e.id = n.email_id and e.team_id = $1 order by e.id desc, n.address`

/**
 * Each part by its own index, because a suppression that was lifted has left nothing but its events.
 *
 * @internal for tests: its plan.
 */
export const EXPORTED_EVENTS = `
with of_contact as materialized (
  select id, type, data, created_at from notifications where team_id = $1 and subject_id = $2::uuid order by id desc limit $4
), of_address as materialized (
  select id, type, data, created_at from notifications
  where team_id = $1 and data ->> 'email' = $3 and type like 'suppression.%' order by id desc limit $4
)
select id, type, data, created_at as "createdAt" from (select * from of_contact union all select * from of_address) e order by id desc limit $4`

const EXPORTED_SENT_EVENTS = `
select id, name, payload, created_at as "createdAt" from (
  (select * from sent_events where team_id = $1 and contact_id = $2::uuid order by id desc limit $4)
  union all (select * from sent_events where team_id = $1 and email = $3 order by id desc limit $4)
) e order by id desc limit $4`

/** Ordered after they were found, because only the index of contacts finds them. A run of a deleted automation is not shown to anyone. */
const EXPORTED_RUNS = `
with of_contact as materialized (
  select * from automation_runs r where contact_id = $2::uuid and team_id = $1
    and exists (select from automations a where a.id = r.automation_id and a.deleted_at is null) order by id desc limit $3
)
select id, automation_id as "automationId", status, event_name as "eventName", payload, coalesce(state -> 'steps', '{}') as steps, state -> 'heard' as heard,
  started_at as "startedAt", completed_at as "completedAt"
from of_contact order by id desc`
