// What a person got and did, as one list, newest first; in SQL, because it merges what several tables know. Every part reads a bounded number of rows
// by an index.

import type { Database } from '../../db/database.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../lib/ids.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import { isOfTeamTo, NEWEST_OF_TEAM } from '../emails/email-searches.repository.ts'
import { TIMELINE_ACTS, type TimelinePart } from './contact-timelines.schema.ts'

type Entry<Kind extends string, Data> = { id: string; kind: Kind; data: Data; createdAt: Date }

/** `id`: the place of an entry, by time. */
export type TimelineEntry =
  | Entry<'email', { emailId: string; subject: string; state: string }>
  /** What became of an email, and what the person did with it. */
  | Entry<'act', { emailId: string; type: string; detail: Record<string, unknown> | null }>
  | Entry<'contact', { type: string; unsubscribed: boolean | null; topics: { id: string; subscription: string }[] | null }>
  | Entry<'event', { name: string }>
  | Entry<'run', { runId: string; automationId: string; automation: string; status: string }>

/** `contactId` is null for an address without a contact. `parts`: what the reader may see. */
type Place = { contactId: string | null; email: string; parts: readonly TimelinePart[]; after: string | null; limit: number }

export function contactTimelineRepository({ transaction }: Pick<Database, 'transaction'>) {
  return {
    async read(teamId: string, { contactId, email, parts, after, limit }: Place): Promise<Page<TimelineEntry>> {
      const values = [teamId, contactId ?? LOWEST_ID, email, after ?? HIGHEST_ID, limit + 1, TIMELINE_ACTS, parts]
      const rows = await transaction(async (inside) => {
        await inside(BY_INDEX)
        return inside<TimelineEntry>(CONTACT_TIMELINE, values)
      })
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
    },
  }
}

/** A bitmap would read all that belongs to a person, and then sort it. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** Emails before a place in which acts are looked for. What a person did with an older one is on the page of that email. */
const EMAILS_READ_MAX = 100
const SUBJECT_LENGTH_MAX = 200

const isRead = (part: TimelinePart): string => `'${part}' = any($7::text[])`

const CONTACT_TIMELINE = `
with mail as materialized (
  select id, email_id, address, state from recipients
   where ${isOfTeamTo({ team: '$1::uuid', address: '$3::text', from: `'${LOWEST_ID}'`, before: '$4::uuid' })} and ${isRead('emails')} order by ${NEWEST_OF_TEAM} limit ${EMAILS_READ_MAX}
), emails_got as (
  select m.id, 'email' as kind, e.created_at,
    jsonb_build_object('emailId', m.email_id, 'subject', left(e.subject, ${SUBJECT_LENGTH_MAX}), 'state', case when e.last_event in ('scheduled', 'canceled') then e.last_event else m.state end) as data
  from (select * from mail order by id desc limit $5) m join emails e on e.id = m.email_id and e.team_id = $1
), acts as (
  select n.id, 'act' as kind, n.created_at, jsonb_build_object('emailId', m.email_id, 'type', n.type, 'detail', n.data -> 'detail') as data
  from mail m cross join lateral (
    select id, type, data, created_at from notifications
     where team_id = $1 and subject_id = m.email_id and id < $4::uuid and type = any($6::text[]) and data -> 'to' ? m.address order by id desc limit $5
  ) n order by n.id desc limit $5
), changes as (
  select id, 'contact' as kind, created_at,
    jsonb_build_object('type', type, 'unsubscribed', data -> 'unsubscribed', 'topics', data -> 'topics') as data
  from notifications where team_id = $1 and subject_id = $2::uuid and id < $4::uuid and ${isRead('contact')} order by id desc limit $5
), sent as (
  (select id, 'event' as kind, created_at, jsonb_build_object('name', name) as data
     from sent_events where team_id = $1 and contact_id = $2::uuid and id < $4::uuid and ${isRead('events')} order by id desc limit $5)
  union all
  (select id, 'event', created_at, jsonb_build_object('name', name)
     from sent_events where team_id = $1 and email = $3 and id < $4::uuid and ${isRead('events')} order by id desc limit $5)
), runs as (
  select r.id, 'run' as kind, r.created_at,
    jsonb_build_object('runId', r.id, 'automationId', a.id, 'automation', a.name, 'status', r.status) as data
  from automations a cross join lateral (
    select id, status, created_at from automation_runs
     where contact_id = $2::uuid and automation_id = a.id and team_id = $1 and id < $4::uuid order by id desc limit $5
  ) r where a.team_id = $1 and a.deleted_at is null and ${isRead('runs')} order by r.id desc limit $5
)
select id, kind, data, created_at as "createdAt" from (
  select id, kind, data, created_at from emails_got union all select id, kind, data, created_at from acts
  union all select id, kind, data, created_at from changes union all select id, kind, data, created_at from sent
  union all select id, kind, data, created_at from runs
) t order by id desc limit $5`
