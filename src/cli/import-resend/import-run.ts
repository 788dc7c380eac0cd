// What is counted and said while an account elsewhere is brought to a team.
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DkimAlgorithm } from '../../lib/crypto/keys.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { AddressHash } from '../../modules/audience/address-hashes.ts'
import { BroadcastCreate } from '../../modules/broadcasts/broadcasts.schema.ts'
import { createBroadcast } from '../../modules/broadcasts/broadcasts.service.ts'
import type { NewDkimKey } from '../../modules/domains/dkim/dkim-keys.repository.ts'
import { NO_LIMITS } from '../../modules/limits/limits.schema.ts'
import type { Quotas } from '../../modules/limits/quotas.service.ts'
import { TemplateCreate } from '../../modules/templates/templates.schema.ts'
import { createTemplate } from '../../modules/templates/templates.service.ts'
import type { Repositories } from '../../repositories.ts'
import { allRows } from '../database.ts'
import { printTable, say } from '../output.ts'
import type { ResendClient, TheirRecord } from './resend-client.ts'

export type Move = {
  client: ResendClient
  repositories: Repositories
  config: Config
  clock: Clock
  teamId: string
  /** Nothing is changed. */
  isPlan: boolean
  hashAddress: AddressHash
  makeDkimKey: (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>
  tally: Tally
  /** Ids here by ids there; null where a plan would make it. */
  segments: Map<string, string | null>
  topics: Map<string, { id: string | null; subscription: string }>
  /** What came over, but not as it was, or did not. */
  notes: string[]
}

type Outcome = 'created' | 'existing' | 'refused'
export type Tally = Map<string, Record<Outcome, number>>

/** Each is a line on the terminal. */
const REFUSALS_SAID_MAX = 100

export const count = ({ tally }: Move, kind: string, outcome: Outcome): void => {
  const counts = tally.get(kind) ?? { created: 0, existing: 0, refused: 0 }
  counts[outcome] += 1
  tally.set(kind, counts)
}

/**
 * Creates one record, or finds that it cannot be, and counts it. A record that our rules refuse is said, and the others are still brought.
 *
 * @param name of the record, which is their text.
 * @returns what `create` returned; null in a plan, or if it was refused.
 */
export async function importRecord<Result>(
  move: Move,
  { kind, name, isExisting = false }: { kind: string; name: string; isExisting?: boolean },
  create: () => Promise<Result>,
): Promise<Result | null> {
  try {
    const result = await create()
    count(move, kind, isExisting ? 'existing' : 'created')
    return result
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    count(move, kind, 'refused')
    const refused = [...move.tally.values()].reduce((sum, counts) => sum + counts.refused, 0)
    if (refused <= REFUSALS_SAID_MAX) say(`Not imported: ${kind} ${JSON.stringify(name.slice(0, NAME_SAID_MAX))}: ${error.message}`)
    return null
  }
}

const NAME_SAID_MAX = 80

export function printTally({ tally, isPlan }: Move): void {
  printTable(
    ['WHAT', isPlan ? 'WOULD BE NEW' : 'NEW', 'HERE ALREADY', 'REFUSED'],
    [...tally].map(([kind, { created, existing, refused }]) => [kind, created, existing, refused]),
  )
}

/** A text field of their record; empty if its value is not a text. */
export const textIn = (record: TheirRecord, name: string): string => {
  const value = record[name]
  return typeof value === 'string' ? value : ''
}

/**
 * The id, fit for a path.
 * @throws Failure if it does not look like an id, so that no path leads elsewhere.
 */
export function readId(record: TheirRecord): string {
  const id = textIn(record, 'id')
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) throw invalid('Its id cannot be read.')
  return id
}

/** Keeps the fields that have a value, for one of our schemas to judge. */
export const pickFields = (record: TheirRecord, names: readonly string[]): TheirRecord =>
  Object.fromEntries(names.flatMap((name) => (record[name] == null || record[name] === '' ? [] : [[name, record[name]]])))

/** All of a list that is short by their rules, oldest first, so that ours has the same order. */
export async function oldestFirst(records: AsyncIterable<TheirRecord>): Promise<TheirRecord[]> {
  const all: TheirRecord[] = []
  for await (const record of records) all.push(record)
  return all.reverse()
}

/** The nth of theirs with a name is the nth of ours, because names need not be unique. */
export function takeNamed<Row extends { id: string; name: string }>(rows: Row[], name: string): Row | null {
  const at = rows.findIndex((row) => row.name === name)
  return at === -1 ? null : (rows.splice(at, 1)[0] ?? null)
}

// Brings what was written in an account elsewhere: templates, and broadcasts that were not sent.

const readTemplate = createBodyReader(TemplateCreate)
const readBroadcast = createBodyReader(BroadcastCreate)

export async function importTemplates(move: Move): Promise<void> {
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
    await importRecord(move, { kind: 'templates', name }, async () => {
      const record = await client.find(`/templates/${readId(summary)}`)
      if (!record) throw invalid('It was deleted during the import.')
      const fields = pickFields(record, ['name', 'alias', 'from', 'subject', 'reply_to', 'text'])
      const input = readTemplate({ ...fields, html: record.html ?? '', variables: variablesIn(record.variables) })
      if (isPlan) return
      const saved = await createTemplate(move, teamId, input)
      if (record.status === 'published') await repositories.templates.publish(teamId, { id: saved.id })
    })
  }
}

const variablesIn = (variables: unknown): TheirRecord[] =>
  Array.isArray(variables) ? variables.map((variable) => pickFields(Object(variable), ['key', 'type', 'fallback_value'])) : []

export async function importBroadcasts(move: Move): Promise<void> {
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
    await importRecord(move, { kind: 'broadcasts', name }, async () => {
      const record = await client.find(`/broadcasts/${readId(summary)}`)
      if (!record) throw invalid('It was deleted during the import.')
      const [theirs, topic] = [textIn(record, 'segment_id') || textIn(record, 'audience_id'), textIn(record, 'topic_id')]
      const segmentId = segments.get(theirs)
      const topicId = topic === '' ? undefined : topics.get(topic)
      if (segmentId === undefined) throw invalid('Its segment was not imported.')
      if (topic !== '' && !topicId) throw invalid('Its topic was not imported.')
      const input = readBroadcast({
        ...pickFields(record, ['name', 'from', 'subject', 'reply_to', 'preview_text', 'html', 'text']),
        segment_id: segmentId ?? PLANNED_ID,
        ...(topicId && { topic_id: topicId.id ?? PLANNED_ID }),
      })
      if (!isPlan)
        await createBroadcast(
          { ...move, quotas: WITHOUT_QUOTAS, wakeWorkers: () => {}, gateways: WITHOUT_FILES },
          draftSender(teamId),
          input,
        )
    })
    if (isScheduled) notes.push(`The broadcast ${JSON.stringify(name.slice(0, 80))} is scheduled there, and a draft here.`)
  }
  if (sent > 0) notes.push(`Broadcasts that were sent there, and what became of them: ${sent}.`)
}

/** Stands in for the id of a record that a plan would make. */
const PLANNED_ID = '00000000-0000-7000-8000-000000000000'

/** Broadcasts have no attachments, so no address of a file is judged. */
/** Drafts are sent to no one. */
const WITHOUT_QUOTAS: Quotas = {
  limitsOf: async () => NO_LIMITS,
  take: async () => null,
  end: () => {},
  takeForBroadcast: async () => null,
}
const WITHOUT_FILES = { remoteFiles: { checkUrl: () => null } }

/** A draft is not sent, so nothing is judged for a key. */
const draftSender = (teamId: string) => ({
  holder: { teamId, apiKeyId: PLANNED_ID, permission: 'full_access' as const, domainId: null },
  validate: async () => ({ refusals: [] }),
})
