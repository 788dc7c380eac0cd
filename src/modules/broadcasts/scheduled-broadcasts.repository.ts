// The scheduled broadcasts that use a segment, a topic or a domain that is deleted, in that transaction; in SQL, because one statement changes many.

import type { Execute } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import { createId } from '../../lib/ids.ts'
import { sendersOfDomain } from '../emails/email-searches.repository.ts'

type Found = { id: string; name: string }

export const scheduledBroadcasts = {
  toSegment: (execute: Execute, teamId: string, segmentId: string): Promise<Found[]> => execute(BROADCASTS_TO, [teamId, segmentId]),
  ofTopic: (execute: Execute, teamId: string, topicId: string): Promise<Found[]> => execute(BROADCASTS_OF_TOPIC, [teamId, topicId]),
  fromDomain: (execute: Execute, teamId: string, domain: string): Promise<Found[]> =>
    execute(BROADCASTS_FROM, [teamId, sendersOfDomain(domain)]),
}

/** They are drafts again, each with an event. `reason`: a sentence for people. */
export async function unscheduleBroadcasts(
  execute: Execute,
  teamId: string,
  { ids, reason, now }: { ids: string[]; reason: string; now: Date },
): Promise<void> {
  const broadcasts = await execute<Found>(UNSCHEDULE, [teamId, ids, reason])
  await append(
    execute,
    broadcasts.map(({ id, name }) => ({
      id: createId(),
      teamId,
      subjectId: id,
      type: 'broadcast.unscheduled' as const,
      data: { id, name, reason },
    })),
    now,
  )
}

/** One that has not begun is a draft again, with an event. `reason`: a sentence for people. */
export async function refuseQueuedBroadcast(
  execute: Execute,
  teamId: string,
  { id, reason, now }: { id: string; reason: string; now: Date },
): Promise<void> {
  const refused = await execute<Found>(REFUSE, [teamId, id, reason])
  await append(
    execute,
    refused.map(({ name }) => ({
      id: createId(),
      teamId,
      subjectId: id,
      type: 'broadcast.unscheduled' as const,
      data: { id, name, reason },
    })),
    now,
  )
}

const REFUSE = `
update broadcasts set status = 'draft', started_at = null, scheduled_at = null, timezone = null, due_at = null, api_key_id = null, status_reason = $3
 where team_id = $1 and id = $2 and status = 'queued' and reached_contact_id is null returning id, name`

const BROADCASTS_TO = `
select id, name from broadcasts where team_id = $1 and segment_id = $2 and status = 'scheduled' order by id desc`

const BROADCASTS_OF_TOPIC = `
select id, name from broadcasts where team_id = $1 and topic_id = $2 and status = 'scheduled' order by id desc`

const BROADCASTS_FROM = `
select id, name from broadcasts where team_id = $1 and status = 'scheduled' and lower("from") like any($2::text[]) order by id desc`

const UNSCHEDULE = `
update broadcasts set status = 'draft', scheduled_at = null, timezone = null, due_at = null, api_key_id = null, status_reason = $3
 where team_id = $1 and id = any($2::uuid[]) and status = 'scheduled' returning id, name`
