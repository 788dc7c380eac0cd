// Creates, changes and sends broadcasts: the content is judged like that of an email, and if it is to be sent, like that of an email that is sent now.

import type { Idempotency } from '../../db/idempotent-requests.ts'
import { bodyHash } from '../../http/headers.ts'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { changedMeanwhile } from '../../lib/changed-meanwhile.ts'
import { Failure, idempotencyConflict, invalid } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { doInPieces } from '../../lib/main-thread.ts'
import { nameOfCopy } from '../../lib/text.ts'
import { asArray, notEmpty } from '../../mail/address-forms.ts'
import { senderDomain } from '../../mail/addresses.ts'
import type { ExplainedWarning } from '../../mail/rendering/placeholder-look-alikes.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { requireSending } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { placeholderProperties } from '../audience/properties/placeholder-properties.service.ts'
import type { AuditContext } from '../audit/audit.context.ts'
import { writerOf } from '../audit/writers.service.ts'
import type { Writer } from '../audit/writers.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { draftEmail, type ValidatedEmails } from '../emails/email-draft.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import type { EmailSend } from '../emails/emails.schema.ts'
import { validateEmail } from '../emails/validate-emails.service.ts'
import { changedDocument, fromStoredDocument, toStoredDocument } from '../templates/content-document.ts'
import { broadcastRefusal } from './broadcast-quotas.service.ts'
import { refusedMove, statusesFor } from './broadcast-states.ts'
import { broadcastVersion } from './broadcast-version.ts'
import { type BroadcastSurroundings, broadcastWarnings, type WrittenBroadcast } from './broadcast-warnings.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { BroadcastContent, BroadcastRow, MissingReference } from './broadcasts.repository.ts'
import { BROADCAST_NAME_LENGTH_MAX, type BroadcastCreate, type BroadcastUpdate } from './broadcasts.schema.ts'
import { FILLED_LENGTH_MAX, filledLengthMax, unknownPlaceholders } from './merge-fields.ts'
import { type GivenTime, readSendingTime } from './sending-time.ts'

type Context = PlatformContext & DomainsContext & AccountsContext & AudienceContext & EmailsContext & AuditContext & BroadcastsContext

type Dependencies = Pick<Context, 'clock' | 'config' | 'repositories' | 'wakeWorkers' | 'quotas'> & {
  gateways: { remoteFiles: Pick<Context['gateways']['remoteFiles'], 'checkUrl'> }
}

/** The caller for whom a broadcast is written or sent. `validate` says what is wrong with an email of theirs. */
export type BroadcastSender = { holder: Caller; validate(email: EmailSend): Promise<Pick<ValidatedEmails, 'refusals'>> }

export const broadcastSender = (context: Parameters<typeof validateEmail>[0], holder: Caller): BroadcastSender => ({
  holder,
  validate: (email) => validateEmail(context, holder, email),
})

/**
 * A repetition of an idempotent request gets the first answer, and nothing is stored.
 *
 * @throws Failure about the first thing that is wrong; `idempotencyConflict` when the key was used with another body. FormUsed.
 */
export async function createBroadcast(
  context: Dependencies,
  sender: BroadcastSender,
  input: BroadcastCreate,
  { formId, idempotencyKey = null }: { formId?: string | undefined; idempotencyKey?: string | null } = {},
): Promise<SavedBroadcast> {
  const idempotency = idempotencyKey === null ? null : { operation: 'broadcasts.create', key: idempotencyKey, bodyHash: bodyHash(input) }
  try {
    return await createOnce(context, sender, { input, idempotency, formId })
  } catch (error) {
    // A repetition may be refused although the first request was accepted: the segment may have been deleted.
    const { broadcasts } = context.repositories
    const answer = error instanceof Failure && idempotency ? await broadcasts.findEarlierAnswer(sender.holder.teamId, idempotency) : null
    if (answer === null) throw error
    return answer as SavedBroadcast
  }
}

type Creation = { input: BroadcastCreate; idempotency: Idempotency | null; formId: string | undefined }

async function createOnce(
  context: Dependencies,
  sender: BroadcastSender,
  { input, idempotency, formId }: Creation,
): Promise<SavedBroadcast> {
  const { repositories, clock, wakeWorkers } = context
  const { holder } = sender
  // Writing a broadcast is one right, sending it another.
  if (input.send) requireSending(holder)
  const segmentId = input.segment_id ?? input.audience_id
  if (segmentId == null) throw invalid('Missing `segment_id` field.')
  if (input.scheduled_at != null && !input.send)
    throw invalid('The `scheduled_at` field is only for broadcasts that are sent: give `send: true` too.')
  const time = readSendingTime(input, clock.now())
  const content = await validateContent(context, {
    segmentId: segmentId.toLowerCase(),
    topicId: input.topic_id?.toLowerCase() ?? null,
    from: input.from,
    subject: input.subject,
    replyTo: asArray(notEmpty(input.reply_to)),
    previewText: input.preview_text ?? null,
    html: input.html ?? null,
    text: input.text ?? null,
    contentDocument: toStoredDocument(input.content_document),
    ratePerHour: input.rate_per_hour ?? null,
  })
  if (input.send) await refuseUnsendable(context, sender, content)
  if (input.send && !time.scheduledAt) await refuseBeyondLimits(context, holder.teamId, content)
  const response = { id: createId(clock), warnings: toSentences(await findWarnings(context, holder.teamId, content)) }
  const sending = input.send ? { apiKeyId: holder.apiKeyId, ...time } : null
  const name = input.name ?? nameFrom(input.subject)
  const created = await repositories.broadcasts.create(
    holder.teamId,
    { id: response.id, name, content, sending, author: await writerOf(repositories, holder), request: { idempotency, response } },
    formId,
  )
  if ('missing' in created) throw unknownReference(created)
  if ('kind' in created) {
    if (created.kind === 'conflict') throw idempotencyConflict()
    return created.response as SavedBroadcast
  }
  if (input.send) wakeWorkers('broadcasts')
  return response
}

/** @returns null if the team has no such broadcast. */
export async function updateBroadcast(
  context: Dependencies,
  sender: BroadcastSender,
  { id, input }: { id: string; input: BroadcastUpdate },
): Promise<SavedBroadcast | null> {
  return change(context, sender, { id, input, restoredFrom: null })
}

/** Its content is that of an older version again, as a new one. Returns null if the team has no such version. */
export async function restoreBroadcast(
  context: Dependencies,
  sender: BroadcastSender,
  { id, versionId }: { id: string; versionId: string },
): Promise<SavedBroadcast | null> {
  const found = await context.repositories.broadcastVersions.find(sender.holder.teamId, id, versionId)
  if (!found) return null
  const { from, subject, replyTo, previewText, html, text, contentDocument } = found.version
  const envelope = { from, subject, reply_to: replyTo, preview_text: previewText }
  const input = { ...envelope, html, text, content_document: fromStoredDocument(contentDocument) }
  return change(context, sender, { id, input, restoredFrom: found.version.id })
}

/** `restoredFrom`: the version that has its content; null if it was written. */
type Change = { id: string; input: BroadcastUpdate; restoredFrom: string | null }

async function change(context: Dependencies, sender: BroadcastSender, changed: Change): Promise<SavedBroadcast | null> {
  const author = await writerOf(context.repositories, sender.holder)
  for (let triesLeft = CHANGES_TRIED_MAX; triesLeft > 0; triesLeft -= 1) {
    const saved = await tryChange(context, sender, { ...changed, author })
    if (saved !== 'edited meanwhile') return saved
  }
  throw invalid('This broadcast was modified at the same time. Retry.')
}

/** One of several changes that come together is made, so as many as this can. */
const CHANGES_TRIED_MAX = 20

async function tryChange(
  context: Dependencies,
  sender: BroadcastSender,
  { id, input, restoredFrom, author }: Change & { author: Writer },
): Promise<SavedBroadcast | 'edited meanwhile' | null> {
  const { teamId } = sender.holder
  const { broadcasts } = context.repositories
  const { name, expected_version: expected, autosave, ...others } = input
  const row = await broadcasts.find(teamId, id)
  if (!row) return null
  if (expected != null && expected !== broadcastVersion(row))
    throw changedMeanwhile('broadcast', await broadcasts.lastChange(teamId, row.id))
  if (autosave === true && row.status !== 'draft')
    throw invalid('This broadcast is no longer a draft, so it keeps what it says until you save it without `autosave`.')
  // A name can change in every state, whatever the content says.
  const isRenamed = name !== undefined && Object.values(others).every((value) => value === undefined)
  // What is scheduled is sent as it was changed.
  if (!isRenamed && row.status === 'scheduled') requireSending(sender.holder)
  const content = isRenamed ? null : await changedContent(context, sender, { row, input })
  const saving = { author, isAutosave: autosave === true, restoredFrom }
  const changed =
    content === null
      ? await broadcasts.rename(teamId, id, { name: name ?? row.name, author })
      : await broadcasts.updateBroadcast(teamId, { validated: row, name: name ?? row.name, content, saving })
  if (changed === null || changed === 'edited meanwhile') return changed
  if (changed !== 'done') throw 'missing' in changed ? unknownReference(changed) : invalid(refusedMove('update', changed.refused))
  const warnings = await findWarnings(context, teamId, { ...(content ?? row), status: row.status })
  const version = broadcastVersion({ ...row, ...content, name: name ?? row.name })
  return { id: row.id, warnings: toSentences(warnings), ...(expected !== undefined && { version }) }
}

/** @returns null if the team has no such broadcast. */
export async function sendBroadcast(
  context: Dependencies,
  sender: BroadcastSender,
  { id, time: given, expectedVersion = null }: { id: string; time: GivenTime; expectedVersion?: string | null },
): Promise<{ id: string; warnings: ExplainedWarning[] } | null> {
  const { repositories, clock, wakeWorkers } = context
  const { holder } = sender
  const row = await repositories.broadcasts.find(holder.teamId, id)
  if (!row) return null
  if (expectedVersion !== null && expectedVersion !== broadcastVersion(row))
    throw changedMeanwhile('broadcast', await repositories.broadcasts.lastChange(holder.teamId, row.id), 'send')
  const act = given.scheduled_at == null ? 'send' : 'schedule'
  if (!statusesFor(act).includes(row.status)) throw invalid(refusedMove(act, row.status))
  const time = readSendingTime(given, clock.now())
  await refuseUnsendable(context, sender, row)
  if (!time.scheduledAt) await refuseBeyondLimits(context, holder.teamId, row)
  const warnings = await findWarnings(context, holder.teamId, row)
  const author = await writerOf(repositories, holder)
  const sent = await repositories.broadcasts.send(holder.teamId, row, { apiKeyId: holder.apiKeyId, ...time, author })
  if (sent === null) return null
  if (sent !== 'done' && 'missing' in sent) throw unknownReference(sent)
  if (sent !== 'done' && statusesFor(act).includes(sent.refused))
    throw invalid('This broadcast was modified at the same time. Check it, and send it again.')
  if (sent !== 'done') throw invalid(refusedMove(act, sent.refused))
  wakeWorkers('broadcasts')
  return { id: row.id, warnings }
}

/** A draft with the same content. Returns null if the team has no such broadcast. */
export async function duplicateBroadcast(
  context: Dependencies,
  { holder }: Pick<BroadcastSender, 'holder'>,
  id: string,
): Promise<{ id: string } | null> {
  const { repositories } = context
  const row = await repositories.broadcasts.find(holder.teamId, id)
  if (!row) return null
  const name = nameOfCopy(row.name, BROADCAST_NAME_LENGTH_MAX)
  const content = await validateContent(context, row)
  const author = await writerOf(repositories, holder)
  const created = await repositories.broadcasts.create(holder.teamId, { name, content, author, sending: null })
  if ('missing' in created) throw invalid(`This broadcast cannot be duplicated: its ${created.missing} has been deleted.`)
  return 'id' in created ? created : null
}

/** `warnings`: what to look at before it is sent, each in a sentence. `version`: only if the client said which it expects. */
export type SavedBroadcast = { id: string; warnings: string[]; version?: string }

type Written = Omit<BroadcastContent, 'contentBytes'>

/** @throws Failure if it could not be an email. */
async function validateContent({ clock, gateways }: Dependencies, written: Written): Promise<BroadcastContent> {
  const { segmentId, topicId, from, subject, replyTo, previewText, html, text, contentDocument, ratePerHour } = written
  const draft = draftEmail(asEmail(written), { now: clock.now(), urlProblem: (url) => gateways.remoteFiles.checkUrl(url) })
  const { contentBytes } = await doInPieces(draft)
  const length = filledLengthMax([html, text, previewText])
  if (length > FILLED_LENGTH_MAX)
    throw invalid(
      `With the longest values in its placeholders, an email of this broadcast could have ${length.toLocaleString('en')} characters. At most ${FILLED_LENGTH_MAX.toLocaleString('en')} are allowed: use fewer placeholders.`,
    )
  const content = { segmentId, topicId, from, subject, replyTo, previewText, html, text, contentDocument, ratePerHour }
  return { ...content, contentBytes: Math.max(contentBytes, length) }
}

async function changedContent(
  context: Dependencies,
  sender: BroadcastSender,
  { row, input }: { row: BroadcastRow; input: BroadcastUpdate },
): Promise<BroadcastContent> {
  const segmentId = input.segment_id ?? input.audience_id
  const content = await validateContent(context, {
    segmentId: segmentId?.toLowerCase() ?? row.segmentId,
    topicId: input.topic_id === undefined ? row.topicId : (input.topic_id?.toLowerCase() ?? null),
    from: input.from ?? row.from,
    subject: input.subject ?? row.subject,
    replyTo: input.reply_to === undefined ? row.replyTo : asArray(notEmpty(input.reply_to)),
    previewText: input.preview_text === undefined ? row.previewText : input.preview_text,
    html: input.html === undefined ? row.html : input.html,
    text: input.text === undefined ? row.text : input.text,
    contentDocument: changedDocument(row.contentDocument, input),
    ratePerHour: input.rate_per_hour === undefined ? row.ratePerHour : input.rate_per_hour,
  })
  if (row.status === 'scheduled') await refuseUnsendable(context, sender, content)
  return content
}

/** @throws Failure if it has more recipients than the limits of the team allow now. */
async function refuseBeyondLimits(context: Dependencies, teamId: string, broadcast: Pick<Written, 'segmentId' | 'topicId'>): Promise<void> {
  const refused = await broadcastRefusal(context, teamId, broadcast)
  if (refused) throw refused
}

/** @throws Failure about why it cannot be sent. */
export async function refuseUnsendable(context: Dependencies, { holder, validate }: BroadcastSender, written: Written): Promise<void> {
  if (!written.html?.trim() && !written.text?.trim()) throw invalid('This broadcast has no content: give it `html`, `text` or both.')
  const { segments } = context.repositories
  if (!(await segments.find(holder.teamId, written.segmentId))) throw unknownReference({ missing: 'segment' })
  const {
    refusals: [refusal],
  } = await validate(asEmail(written))
  if (refusal) throw new Failure(refusal.kind, refusal.message)
  const { subject, html, text, previewText } = written
  const [unknown] = unknownPlaceholders(
    [subject, html, text, previewText],
    await placeholderProperties(context.repositories, holder.teamId),
  )
  if (unknown !== undefined) throw invalid(`This broadcast cannot be sent: ${unknown}`)
}

/**
 * What to look at before it is sent: `broadcastWarnings`. Once it is being sent, its segment and its domain are not looked at.
 *
 * @param written without a status: what is created or changed now
 */
export async function findWarnings(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  written: WrittenBroadcast & Partial<Pick<BroadcastRow, 'status'>>,
): Promise<ExplainedWarning[]> {
  const isWaiting = written.status === undefined || statusesFor('update').includes(written.status)
  return broadcastWarnings(written, {
    properties: await placeholderProperties(repositories, teamId),
    isSegmentEmpty: isWaiting ? await isSegmentEmpty(repositories, teamId, written.segmentId) : null,
    domain: isWaiting ? await findSendingDomain(repositories, teamId, senderDomain(written.from)) : null,
  })
}

export const toSentences = (warnings: readonly ExplainedWarning[]): string[] => warnings.map(({ message }) => message)

/** One that takes too long to read is not known to be empty. One that was deleted is refused when the broadcast is saved or sent. */
async function isSegmentEmpty(
  { segments, segmentMembers }: Context['repositories'],
  teamId: string,
  segmentId: string,
): Promise<boolean | null> {
  const segment = await segments.find(teamId, segmentId)
  if (!segment) return null
  try {
    const { rows } = await segmentMembers.list(teamId, segment, { limit: 1, after: null, before: null })
    return rows.length === 0
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

async function findSendingDomain(
  { domains }: Context['repositories'],
  teamId: string,
  name: string,
): Promise<NonNullable<BroadcastSurroundings['domain']>> {
  if ((await domains.sendersAmong(teamId, [name])).has(name)) return 'verified'
  return (await domains.findByName(teamId, name)) === null ? 'unknown' : 'registered'
}

/** To anyone: the audience is not known yet. */
const asEmail = ({ from, subject, replyTo, html, text, topicId }: Written): EmailSend => ({
  from,
  to: 'anyone@example.com',
  subject,
  reply_to: replyTo,
  html,
  text,
  topic_id: topicId,
})

const unknownReference = ({ missing }: MissingReference): Failure =>
  invalid(`The \`${missing}_id\` field is not the id of one of your ${missing}s.`)

const nameFrom = (subject: string): string =>
  subject.trim().slice(0, BROADCAST_NAME_LENGTH_MAX).replace(HALF_CHARACTER_AT_END, '') || 'Untitled'
const HALF_CHARACTER_AT_END = /[\ud800-\udbff]$/
