// Brings what was written in an account elsewhere: templates, and broadcasts that were not sent.

import type { TheirRecord } from '../gateways/web/resend-client.ts'
import { invalid } from '../lib/failure.ts'
import { createBodyReader } from '../schemas/bodies/body-validator.ts'
import { BroadcastCreate } from '../schemas/broadcasts.ts'
import { TemplateCreate } from '../schemas/templates.ts'
import { createBroadcast } from '../services/save-broadcast.ts'
import { createTemplate } from '../services/save-template.ts'
import { allRows } from './database.ts'
import { bring, count, fieldsOf, idOf, type Move, oldestFirst, takeNamed, textIn } from './moving-in.ts'

const readTemplate = createBodyReader(TemplateCreate)
const readBroadcast = createBodyReader(BroadcastCreate)

export async function bringTemplates(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan } = move
  const ours = (await allRows((request) => repositories.templates.list(teamId, request))).reverse()
  for (const summary of await oldestFirst(client.list('/templates'))) {
    const name = textIn(summary, 'name')
    const alias = textIn(summary, 'alias')
    const byAlias = alias === '' ? -1 : ours.findIndex((row) => row.alias === alias)
    const existing = byAlias === -1 ? takeNamed(ours, name) : ours.splice(byAlias, 1)[0]
    if (existing) {
      count(move, 'templates', 'existing')
      continue
    }
    await bring(move, { kind: 'templates', name }, async () => {
      const record = await client.find(`/templates/${idOf(summary)}`)
      if (!record) throw invalid('It was deleted meanwhile.')
      const fields = fieldsOf(record, ['name', 'alias', 'from', 'subject', 'reply_to', 'text'])
      const input = readTemplate({ ...fields, html: record.html ?? '', variables: variablesIn(record.variables) })
      if (isPlan) return
      const saved = await createTemplate(move, teamId, input)
      if (record.status === 'published') await repositories.templates.publish(teamId, { id: saved.id })
    })
  }
}

const variablesIn = (variables: unknown): TheirRecord[] =>
  Array.isArray(variables) ? variables.map((variable) => fieldsOf(Object(variable), ['key', 'type', 'fallback_value'])) : []

export async function bringBroadcasts(move: Move): Promise<void> {
  const { client, repositories, teamId, isPlan, segments, topics, notes } = move
  const ours = (await allRows((request) => repositories.broadcasts.list(teamId, request))).reverse()
  let sent = 0
  for (const summary of await oldestFirst(client.list('/broadcasts'))) {
    const isScheduled = summary.status === 'scheduled' || summary.status === 'queued'
    if (summary.status !== 'draft' && !isScheduled) {
      sent += 1
      continue
    }
    const name = textIn(summary, 'name')
    if (takeNamed(ours, name)) {
      count(move, 'broadcasts', 'existing')
      continue
    }
    await bring(move, { kind: 'broadcasts', name }, async () => {
      const record = await client.find(`/broadcasts/${idOf(summary)}`)
      if (!record) throw invalid('It was deleted meanwhile.')
      const [theirs, topic] = [textIn(record, 'segment_id') || textIn(record, 'audience_id'), textIn(record, 'topic_id')]
      const segmentId = segments.get(theirs)
      const topicId = topic === '' ? undefined : topics.get(topic)
      if (segmentId === undefined) throw invalid('Its segment did not come over.')
      if (topic !== '' && !topicId) throw invalid('Its topic did not come over.')
      const input = readBroadcast({
        ...fieldsOf(record, ['name', 'from', 'subject', 'reply_to', 'preview_text', 'html', 'text']),
        segment_id: segmentId ?? PLANNED_ID,
        ...(topicId && { topic_id: topicId.id ?? PLANNED_ID }),
      })
      if (!isPlan) await createBroadcast({ ...move, wakeWorkers: () => {}, gateways: WITHOUT_FILES }, senderOf(teamId), input)
    })
    if (isScheduled) notes.push(`The broadcast ${JSON.stringify(name.slice(0, 80))} is scheduled there, and a draft here.`)
  }
  if (sent > 0) notes.push(`Broadcasts that were sent there, and what became of them: ${sent}.`)
}

/** Stands in for the id of a record that a plan would make. */
const PLANNED_ID = '00000000-0000-7000-8000-000000000000'

/** Broadcasts have no attachments, so no address of a file is judged. */
const WITHOUT_FILES = { remoteFiles: { problemOf: () => null } }

/** A draft is not sent, so nothing is judged for a key. */
const senderOf = (teamId: string) => ({
  holder: { teamId, apiKeyId: PLANNED_ID, permission: 'full_access' as const, domainId: null },
  judge: async () => ({ refusals: [] }),
})
