// What contacts did, stored for one request or many at once; in SQL, because it runs for every event, and locks contacts so that none is deleted meanwhile.

import { type Database, type Execute, statement } from '../../db/database.ts'
import {
  type AcceptanceResult,
  acceptKeyed,
  type BatchResult,
  findEarlierAnswer,
  type Idempotency,
  isFirstRequest,
  type KeyedRequest,
  REQUESTS,
  requestAcceptor,
  requestRow,
  storeKeys,
} from '../../db/idempotent-requests.ts'
import { boundOf, readPage } from '../../db/page.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page } from '../../lib/validation/common.schema.ts'

export type NewSentEvent = {
  id: string
  name: string
  contactId: string | null
  email: string | null
  payload: object
  payloadBytes: number
}

/** One request: all of it is stored, or nothing. */
export type Sending = KeyedRequest & { events: NewSentEvent[] }

/** `index`: the first event whose contact the team does not have. */
type UnknownContact = { kind: 'unknown contact'; index: number }

export type SendingResult = AcceptanceResult | UnknownContact

export type SentEventRow = { id: string; name: string; payload: Record<string, unknown>; createdAt: Date }

/** The row around a payload, with its indexes; roughly. */
const ROW_BYTES = 500

export function sentEventRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    send: requestAcceptor<Sending, SendingResult>({
      commit: (requests) => sendTogether(execute, requests),
      weightOf: ({ events }) => events.reduce((sum, { payloadBytes }) => sum + payloadBytes + ROW_BYTES, 0),
    }),

    findEarlierAnswer: (teamId: string, idempotency: Idempotency, now: Date): Promise<unknown> =>
      findEarlierAnswer({ execute }, teamId, idempotency, now),

    /** Lists the events of a contact, and events that were sent for its address before the contact existed. */
    listOf(teamId: string, contact: { id: string; email: string }, request: PageRequest): Promise<Page<SentEventRow>> {
      return readPage(request, (keyset) => {
        const isOldestFirst = keyset.orderBy.id === 'asc'
        const bound = boundOf(keyset) ?? (isOldestFirst ? LOWEST_ID : HIGHEST_ID)
        return execute<SentEventRow>(isOldestFirst ? OLDEST : NEWEST, [teamId, contact.id, contact.email, bound, keyset.take])
      })
    },
  }
}

/** With an unknown contact, nothing of the request is stored, its key included. A repetition still gets the answer to the first request. */
async function sendTogether(execute: Execute, requests: Sending[]): Promise<(SendingResult | BatchResult)[]> {
  const unknown = new Map<Sending, number>()
  const results = await acceptKeyed(execute, requests, async (firsts) => {
    const rows = await store(execute, firsts)
    for (const { ordinal, unknownIndex } of rows) {
      const request = firsts[ordinal]
      if (request && unknownIndex !== null) unknown.set(request, unknownIndex)
    }
    return rows.filter(({ unknownIndex }) => unknownIndex === null).map(({ ordinal }) => ordinal)
  })
  return results.map((result, place) => {
    const request = requests[place]
    const index = request && unknown.get(request)
    return result.kind === 'gone' && index !== undefined ? { kind: 'unknown contact', index } : result
  })
}

const store = (execute: Execute, requests: Sending[]) =>
  execute<{ ordinal: number; unknownIndex: number | null }>(SEND, [
    ...REQUESTS.values(requests.map(requestRow)),
    JSON.stringify(
      requests.flatMap(({ events }, ordinal) => events.map(({ payloadBytes: _bytes, ...event }, index) => ({ ordinal, index, ...event }))),
    ),
  ])

// The automations of a team are told in the same statement, if it has any: also disabled ones, whose runs may wait for this event. The contacts are held
// until the commit: one that is deleted meanwhile takes these events with it. Always in the same order, so that no two batches
// wait for each other.
const SEND = statement(
  'send-events',
  `
with request as (
  select * from ${REQUESTS.source} as r
), event as materialized (
  select r."teamId", e.* from jsonb_to_recordset($${REQUESTS.next}::jsonb)
    as e(ordinal int, index int, id uuid, name text, "contactId" uuid, email text, payload jsonb) join request r using (ordinal)
), named as materialized (
  select e.id, coalesce(i.id, a.id) as contact_id from (select * from event order by "contactId", email collate "C") e
  left join lateral (select c.id from contacts c where c.team_id = e."teamId" and c.id = e."contactId" for key share) i on true
  left join lateral (select c.id from contacts c where c.team_id = e."teamId" and c.email = e.email for key share) a on true
), unknown as (
  select ordinal, min(index) as index from event e join named n using (id) where e."contactId" is not null and n.contact_id is null group by ordinal
), known as (
  select * from request r where not exists (select from unknown u where u.ordinal = r.ordinal)
), won as (${storeKeys('known')}
), accepted as (
  select r.ordinal, r."teamId", r."acceptedAt" from known r
    left join won w on w.team_id = r."teamId" and w.digest = r.digest
   where ${isFirstRequest}
), new as materialized (
  select e.id, a."teamId" as team_id, e.name, n.contact_id, case when n.contact_id is null then e.email end as email, e.payload, a."acceptedAt" as created_at
  from event e join accepted a using (ordinal) join named n using (id)
), stored as (
  insert into sent_events (id, team_id, name, contact_id, email, payload, created_at)
  select id, team_id, name, contact_id, email, payload, created_at from new
), told as (
  insert into automation_occurrences (id, team_id, name, contact_id, email, payload, created_at)
  select id, team_id, name, contact_id, email, payload, created_at from new
   where team_id in (select r."teamId" from request r where exists (select from automations a where a.team_id = r."teamId" and a.deleted_at is null))
   order by id
)
select ordinal, null::int as "unknownIndex" from accepted union all select ordinal, index from unknown`,
)

const page = (beyond: '<' | '>', direction: 'asc' | 'desc'): string => {
  const part = (of: string) =>
    `(select id, name, payload, created_at from sent_events where ${of} and id ${beyond} $4::uuid order by id ${direction} limit $5)`
  return `
select id, name, payload, created_at as "createdAt" from (
  ${part('team_id = $1 and contact_id = $2::uuid')} union all ${part('team_id = $1 and email = $3')}
) e order by id ${direction} limit $5`
}

const NEWEST = page('<', 'desc')
const OLDEST = page('>', 'asc')

// What was sent for a contact that is gone, in the transaction that deletes it or that of a job.

const REMOVALS = [
  `delete from sent_events where team_id = $1 and contact_id = $2::uuid and id = any(array(
     select id from sent_events where team_id = $1 and contact_id = $2::uuid order by id limit $3
   )) returning 1 as one`,
  `delete from automation_occurrences where team_id = $1 and seq = any(array(
     select seq from automation_occurrences where contact_id = $2::uuid limit $3
   )) returning 1 as one`,
]

/** Whether as many rows as may be removed at once were there: then there may be more. */
export async function forgetSentEvents(
  execute: Execute,
  teamId: string,
  { contactId, rowsMax }: { contactId: string; rowsMax: number },
): Promise<boolean> {
  for (const sql of REMOVALS) {
    const removed = await execute(sql, [teamId, contactId, rowsMax])
    if (removed.length === rowsMax) return true
  }
  return false
}

/** Events that were sent for an address before it was a contact. */
export async function forgetAddress(execute: Execute, teamId: string, email: string): Promise<void> {
  await execute('delete from sent_events where team_id = $1 and email = $2', [teamId, email])
  await execute('delete from automation_occurrences where team_id = $1 and email = $2', [teamId, email])
}
