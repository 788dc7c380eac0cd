// Ends what cannot go on after a template, a segment, a topic or a domain is deleted, in the transaction that deletes it; in SQL, because one statement
// finds and changes many rows, and steps of automations are searched within their JSON.
import { createId } from '../lib/ids.ts'
import type { Use } from '../lib/uses.ts'
import { sendersOfDomain } from './addressed.ts'
import type { Execute } from './database.ts'
import { append } from './notifications.ts'

/** Scheduled emails that are canceled together with a domain. Others fail at their time. */
export const EMAILS_CANCELED_MAX = 10_000
/** Scheduled emails of a team that are looked at. */
const SCHEDULED_LOOKED_AT_MAX = 100_000

type Found = { id: string; name: string }

const usesOf = (kind: Use['kind'], rows: Found[]): Use[] => rows.map(({ id, name }) => ({ kind, id, name }))

/** The enabled automations with a step that sends a template. */
export async function automationsWith(execute: Execute, teamId: string, template: { id: string; alias: string | null }): Promise<Use[]> {
  return usesOf('automation', await execute<Found>(AUTOMATIONS_WITH, [teamId, template.id, template.alias]))
}

/** The enabled automations with a step that adds contacts to a segment, and the scheduled broadcasts to it. */
export async function usesOfSegment(execute: Execute, teamId: string, segmentId: string): Promise<Use[]> {
  const automations = await execute<Found>(AUTOMATIONS_THAT_ADD, [teamId, segmentId])
  return [...usesOf('automation', automations), ...usesOf('broadcast', await execute<Found>(BROADCASTS_TO, [teamId, segmentId]))]
}

/** The enabled automations with a step that sends mail of a topic, and the scheduled broadcasts of it. */
export async function usesOfTopic(execute: Execute, teamId: string, topicId: string): Promise<Use[]> {
  const automations = await execute<Found>(AUTOMATIONS_OF_TOPIC, [teamId, topicId])
  return [...usesOf('automation', automations), ...usesOf('broadcast', await execute<Found>(BROADCASTS_OF_TOPIC, [teamId, topicId]))]
}

/** The scheduled broadcasts and emails from a domain. */
export async function mailFrom(execute: Execute, teamId: string, domain: string): Promise<Use[]> {
  const broadcasts = await execute<Found>(BROADCASTS_FROM, [teamId, sendersOfDomain(domain)])
  return [...usesOf('broadcast', broadcasts), ...usesOf('email', await execute<Found>(EMAILS_FROM, [teamId, domain]))]
}

/** `reasons`: a sentence for people, of the automations and of the broadcasts. */
type Ending = { uses: readonly Use[]; reasons: { automation?: string; broadcast?: string }; now: Date }

/** Automations are disabled, broadcasts are drafts again, and emails are canceled, each with an event. */
export async function endUses(
  execute: Execute,
  teamId: string,
  { uses, reasons: { automation = '', broadcast = '' }, now }: Ending,
): Promise<void> {
  const idsOf = (kind: Use['kind']): string[] => uses.flatMap((use) => (use.kind === kind ? use.id : []))
  const automations = await execute<Found>(DISABLE, [teamId, idsOf('automation'), automation, now])
  const broadcasts = await execute<Found>(UNSCHEDULE, [teamId, idsOf('broadcast'), broadcast])
  const emails = await execute<{ id: string; to: string[] }>(CANCEL, [teamId, idsOf('email'), now])
  await execute(REMOVE_DELIVERIES, [emails.map(({ id }) => id)])
  const about = (subjectId: string) => ({ id: createId(), teamId, subjectId })
  await append(
    execute,
    [
      ...automations.map(({ id, name }) => ({
        ...about(id),
        type: 'automation.disabled' as const,
        data: { id, name, reason: automation },
      })),
      ...broadcasts.map(({ id, name }) => ({
        ...about(id),
        type: 'broadcast.unscheduled' as const,
        data: { id, name, reason: broadcast },
      })),
      ...emails.map(({ id, to }) => ({ ...about(id), type: 'email.canceled' as const, data: { to } })),
    ],
    now,
  )
}

const automationsWhere = (step: string) => `
select a.id, a.name from automations a join automation_versions v on v.id = a.version_id
 where a.team_id = $1 and a.status = 'enabled' and a.deleted_at is null and exists (select from jsonb_array_elements(v.steps) s where ${step})
 order by a.id desc`

const AUTOMATIONS_WITH = automationsWhere(`lower(s->'config'->'template'->>'id') = $2::text or s->'config'->'template'->>'id' = $3::text`)
const AUTOMATIONS_THAT_ADD = automationsWhere(`s->>'type' = 'add_to_segment' and lower(s->'config'->>'segment_id') = $2::text`)
const AUTOMATIONS_OF_TOPIC = automationsWhere(`s->>'type' = 'send_email' and lower(s->'config'->>'topic_id') = $2::text`)

const BROADCASTS_TO = `
select id, name from broadcasts where team_id = $1 and segment_id = $2 and status = 'scheduled' order by id desc`

const BROADCASTS_OF_TOPIC = `
select id, name from broadcasts where team_id = $1 and topic_id = $2 and status = 'scheduled' order by id desc`

const BROADCASTS_FROM = `
select id, name from broadcasts where team_id = $1 and status = 'scheduled' and lower("from") like any($2::text[]) order by id desc`

const EMAILS_FROM = `
select id, subject as name from (
  select id, subject, from_domain, broadcast_id from emails where team_id = $1 and state = 'scheduled' order by id desc limit ${SCHEDULED_LOOKED_AT_MAX}
) scheduled where from_domain = $2 and broadcast_id is null order by id desc limit ${EMAILS_CANCELED_MAX}`

const DISABLE = `
update automations set status = 'disabled', disabled_reason = $3, updated_at = $4
 where team_id = $1 and id = any($2::uuid[]) and status = 'enabled' returning id, name`

const UNSCHEDULE = `
update broadcasts set status = 'draft', scheduled_at = null, due_at = null, api_key_id = null, status_reason = $3
 where team_id = $1 and id = any($2::uuid[]) and status = 'scheduled' returning id, name`

const CANCEL = `
update emails set state = 'canceled', last_event = 'canceled', is_fetching = false, final_at = $3
 where team_id = $1 and id = any($2::uuid[]) and state = 'scheduled'
returning id, array(select address from recipients r where r.email_id = emails.id order by r.id) as "to"`

const REMOVE_DELIVERIES = `
delete from deliveries where leased_by is null and id in (select id from recipients where email_id = any($1::uuid[]))`
