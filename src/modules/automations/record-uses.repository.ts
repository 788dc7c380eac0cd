// Ends what cannot go on after a template, a segment, a topic or a domain is deleted, in the transaction that deletes it; in SQL, because one statement
// finds and changes many rows, and steps of automations are searched within their JSON.

import type { Execute } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import type { RecordUses, UsesEnding } from '../../db/record-uses.ts'
import { createId } from '../../lib/ids.ts'
import type { Use } from '../../lib/uses.ts'
import { scheduledBroadcasts, unscheduleBroadcasts } from '../broadcasts/scheduled-broadcasts.repository.ts'
import { cancelScheduledEmails, scheduledEmailsFrom } from '../emails/scheduled-emails.repository.ts'
import { NAMING_FIELDS, STEP_TYPES } from './graph/graph.ts'

type Found = { id: string; name: string }

const toUses = (kind: Use['kind'], rows: Found[]): Use[] => rows.map(({ id, name }) => ({ kind, id, name }))

async function ofTemplate(execute: Execute, teamId: string, template: { id: string; alias: string | null }): Promise<Use[]> {
  return toUses('automation', await execute<Found>(AUTOMATIONS_WITH_TEMPLATE, [teamId, template.id, template.alias]))
}

async function ofSegment(execute: Execute, teamId: string, segmentId: string): Promise<Use[]> {
  const automations = await execute<Found>(AUTOMATIONS_WITH_SEGMENT, [teamId, segmentId])
  return [...toUses('automation', automations), ...toUses('broadcast', await scheduledBroadcasts.toSegment(execute, teamId, segmentId))]
}

async function ofTopic(execute: Execute, teamId: string, topicId: string): Promise<Use[]> {
  const automations = await execute<Found>(AUTOMATIONS_WITH_TOPIC, [teamId, topicId])
  return [...toUses('automation', automations), ...toUses('broadcast', await scheduledBroadcasts.ofTopic(execute, teamId, topicId))]
}

async function ofDomain(execute: Execute, teamId: string, domain: string): Promise<Use[]> {
  const broadcasts = await scheduledBroadcasts.fromDomain(execute, teamId, domain)
  return [...toUses('broadcast', broadcasts), ...toUses('email', await scheduledEmailsFrom(execute, teamId, domain))]
}

async function end(
  execute: Execute,
  teamId: string,
  { uses, reasons: { automation = '', broadcast = '' }, now }: UsesEnding,
  simulatorDomains: readonly string[],
): Promise<void> {
  const idsOf = (kind: Use['kind']): string[] => uses.flatMap((use) => (use.kind === kind ? use.id : []))
  const automations = await execute<Found>(DISABLE, [teamId, idsOf('automation'), automation, now])
  await append(
    execute,
    automations.map(({ id, name }) => ({
      id: createId(),
      teamId,
      subjectId: id,
      type: 'automation.disabled' as const,
      data: { id, name, reason: automation },
    })),
    now,
  )
  await unscheduleBroadcasts(execute, teamId, { ids: idsOf('broadcast'), reason: broadcast, now })
  await cancelScheduledEmails(execute, teamId, { ids: idsOf('email'), simulatorDomains, now })
}

export const createRecordUses = (simulatorDomains: readonly string[]): RecordUses => ({
  ...{ ofTemplate, ofSegment, ofTopic, ofDomain },
  end: (execute, teamId, ending) => end(execute, teamId, ending, simulatorDomains),
})

/** Enabled automations with a step that names the record: `value` is the text in its field. */
const automationsWith = (kind: 'template' | 'topic' | 'segment', condition: (value: string) => string) => `
select a.id, a.name from automations a join automation_versions v on v.id = a.version_id
 where a.team_id = $1 and a.status = 'enabled' and a.deleted_at is null and exists (select from jsonb_array_elements(v.steps) s where ${stepsNaming(kind, condition)})
 order by a.id desc`

const stepsNaming = (kind: 'template' | 'topic' | 'segment', condition: (value: string) => string): string =>
  STEP_TYPES.flatMap((type) => {
    const path = NAMING_FIELDS[type][kind]
    return path === undefined ? [] : `s->>'type' = '${type}' and (${condition(`s#>>'{config,${path.replaceAll('.', ',')}}'`)})`
  }).join(' or ')

const isId = (value: string): string => `lower(${value}) = $2::text`

const AUTOMATIONS_WITH_TEMPLATE = automationsWith('template', (value) => `${isId(value)} or ${value} = $3::text`)
const AUTOMATIONS_WITH_SEGMENT = automationsWith('segment', isId)
const AUTOMATIONS_WITH_TOPIC = automationsWith('topic', isId)

const DISABLE = `
update automations set status = 'disabled', disabled_reason = $3, updated_at = $4
 where team_id = $1 and id = any($2::uuid[]) and status = 'enabled' returning id, name`
