// Accepts the emails of a request: stores their files, then everything else in one commit. Every accepted email reaches a final state.

import { isMissingReference, isRefusedData } from '../../db/database-errors.ts'
import type { AcceptanceResult } from '../../db/idempotent-requests.ts'
import { bodyHash } from '../../http/headers.ts'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure, idempotencyConflict } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { type OpenSpan, spanned, type Tracing } from '../../lib/tracing.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { countedAddresses } from '../limits/quota-periods.ts'
import type { TakenQuota } from '../limits/quotas.service.ts'
import { takeStorage } from '../limits/team-storage.service.ts'
import type { Acceptance, NewAttachment, NewSubmittedMessage } from './accept-emails.repository.ts'
import type { DraftAttachment, EmailDraft, ValidatedEmails } from './email-draft.ts'
import type { EmailsContext } from './emails.context.ts'
import { type LaneClass, newDelivery } from './new-delivery.ts'
import type { NewSubmittedContent } from './submitted-message.ts'

type Context = PlatformContext & DomainsContext & AudienceContext & EmailsContext

type Dependencies = Pick<Context, 'config' | 'clock' | 'repositories' | 'gateways' | 'tracing' | 'wakeWorkers' | 'quotas'>

/**
 * `one`: a request of a single email. `all`: a batch that is accepted as a whole or not at all. `valid`: only the valid emails of a batch are
 * accepted.
 */
export type AcceptMode = keyof Replies

type Replies = {
  one: { id: string }
  all: { data: { id: string }[] }
  valid: { data: { id: string }[]; errors: { index: number; name: string; message: string }[] }
}

export type SendRequest<Mode extends AcceptMode> = {
  mode: Mode
  holder: Caller
  validated: ValidatedEmails
  /** The ids of the emails, if they stand in what is sent. */
  ids?: readonly string[]
  /** The operation and the key under which a repetition is recognized, and the body that it must repeat. */
  idempotency: { operation: string; key: string; body: unknown } | null
  /** The span of the request, if there is one. */
  span?: OpenSpan | null
}

/**
 * Accepts the emails of a request. A repetition of an idempotent request gets the first answer and sends nothing.
 *
 * @throws Failure about the first email that is wrong, unless the mode is `valid`; `idempotencyConflict` when the key was used with another body.
 */
export async function acceptEmails<Mode extends AcceptMode>(context: Dependencies, request: SendRequest<Mode>): Promise<Replies[Mode]> {
  const refused = requestRefusal(request)
  if (refused) return (await earlierAnswer(context, request, refused)) as Replies[Mode]
  if (await context.gateways.diskSpace.isLow()) {
    throw new Failure(
      'unavailable',
      'The server is almost out of disk space and accepts no new emails. Accepted ones are still delivered. Please try again later.',
      {
        retryAfterSeconds: 60,
      },
    )
  }
  const emails = request.validated.drafts.map((draft, index) => ({ draft, id: request.ids?.[index] ?? createId(context.clock) }))
  const reply = REPLIES[request.mode](
    emails.map(({ id }) => id),
    request.validated,
  )
  const acceptedAt = context.clock.now()
  const count = countedAddresses(
    emails.flatMap(({ draft }) => draft.recipients),
    context.config.simulatorDomains,
  )
  const { teamId } = request.holder
  const room = await takeStorage(context, teamId, fileBytesOf(emails))
  if (room instanceof Failure) return (await earlierAnswer(context, request, room)) as Replies[Mode]
  try {
    const quota = await context.quotas.take(teamId, { count, at: acceptedAt })
    if (quota instanceof Failure) return (await earlierAnswer(context, request, quota)) as Replies[Mode]
    const span = context.tracing && beginAcceptance(context.tracing, request, emails)
    const stored = store(context, request, { emails, reply, traceparent: span?.traceparent ?? null, acceptedAt, quota })
    return (await spanned(span, stored)) as Replies[Mode]
  } finally {
    await room.end()
  }
}

/** Files that are fetched later count when they have arrived. */
const fileBytesOf = (emails: Identified[]): number =>
  emails.reduce(
    (sum, { draft: { attachments, submitted } }) =>
      sum + attachments.reduce((bytes, attachment) => bytes + fileSize(attachment), submitted ? blobBytesOf(submitted) : 0),
    0,
  )

const fileSize = ({ stored, bytes }: DraftAttachment): number => stored?.bytes ?? bytes?.length ?? 0

/** A small message is in its row. */
const blobBytesOf = ({ body }: NewSubmittedContent): number => (Buffer.isBuffer(body) ? 0 : body.bytes)

/** What becomes of the emails continues this span, however much later and in whatever process. */
function beginAcceptance(tracing: Tracing, { holder, span }: SendRequest<AcceptMode>, emails: Identified[]): OpenSpan {
  const [only] = emails
  const attributes = {
    'posthaste.team.id': holder.teamId,
    'posthaste.emails': emails.length,
    ...(only && emails.length === 1 && { 'posthaste.email.id': only.id }),
  }
  const start = { kind: 'internal', attributes } as const
  return span ? span.child('accept emails', start) : tracing.begin('accept emails', { ...start, traceparent: null })
}

function requestRefusal({ mode, validated: { refusals } }: SendRequest<AcceptMode>): Failure | null {
  const [first] = refusals
  if (!first || mode === 'valid') return null
  return new Failure(first.kind, mode === 'one' ? first.message : `Email ${first.index} of the batch (from 0): ${first.message}`)
}

/** The reply of each mode, from the ids of the emails in the order of the drafts. */
const REPLIES: { [Mode in AcceptMode]: (ids: string[], validated: ValidatedEmails) => Replies[Mode] } = {
  one: ([id = '']) => ({ id }),
  all: (ids) => ({ data: ids.map((id) => ({ id })) }),
  valid: (ids, { refusals }) => ({
    data: ids.map((id) => ({ id })),
    errors: refusals.map(({ index, kind, message }) => ({ index, name: kind === 'notFound' ? 'not_found' : 'validation_error', message })),
  }),
}

/** A repetition may be refused although the first request was accepted: its time may have passed, or the team may have used its quota. @throws what it was refused for */
async function earlierAnswer(
  { repositories, clock }: Dependencies,
  { holder, idempotency }: SendRequest<AcceptMode>,
  refused: Failure,
): Promise<unknown> {
  if (!idempotency) throw refused
  const { operation, key, body } = idempotency
  const answer = await repositories.emails.findEarlierAnswer(holder.teamId, { operation, key, bodyHash: bodyHash(body) }, clock.now())
  if (answer === null) throw refused
  return answer
}

type Storing = { emails: Identified[]; reply: object; traceparent: string | null; acceptedAt: Date; quota: TakenQuota | null }

/** Stores all emails of the request or none. Returns the reply, or the reply to the earlier request that this one repeats. */
async function store(
  context: Dependencies,
  { holder, idempotency }: SendRequest<AcceptMode>,
  { quota, ...storing }: Storing,
): Promise<unknown> {
  const attachments = await storeFiles(context, storing.emails)
  const discard = () => context.gateways.blobs.discard(blobKeysOf(attachments))

  const acceptance = assemble(context, { holder, attachments, idempotency, ...storing })
  const result = await acceptCounted(context, acceptance, quota).catch(async (error) => {
    // If it is unknown whether it was committed, the files stay, because rows may name them. The sweep of blobs decides.
    if (error instanceof Failure || isRefusedData(error)) await discard()
    throw error
  })
  if (result.kind === 'accepted') {
    context.wakeWorkers()
    return storing.reply
  }
  await discard()
  if (result.kind === 'repeated') return result.response
  throw idempotencyConflict()
}

/** The last addresses of a quota go from one process to another, which is over soon. */
const QUOTA_TRIES_MAX = 20

/** If the reservation was called in meanwhile, it takes from another. */
async function acceptCounted(
  { repositories, quotas }: Pick<Dependencies, 'repositories' | 'quotas'>,
  acceptance: Acceptance,
  quota: TakenQuota | null,
): Promise<AcceptanceResult> {
  const { teamId, acceptedAt: at } = acceptance
  let taken = quota
  for (let tries = 0; taken !== null && tries < QUOTA_TRIES_MAX; tries += 1) {
    const result = await acceptWithin({ repositories, quotas }, acceptance, taken)
    if (result !== 'lost') return result
    const again = await quotas.take(teamId, { count: taken.count, at })
    if (again instanceof Failure) throw again
    taken = again
  }
  if (taken === null) return repositories.emails.accept(acceptance)
  throw new Failure('unavailable', 'The quota of your team is almost used, and others are taking the rest. Please try again.', {
    retryAfterSeconds: 1,
  })
}

async function acceptWithin(
  { repositories, quotas }: Pick<Dependencies, 'repositories' | 'quotas'>,
  acceptance: Acceptance,
  taken: TakenQuota,
): Promise<AcceptanceResult | 'lost'> {
  const end = (how: Parameters<Dependencies['quotas']['end']>[2]) => quotas.end(acceptance.teamId, taken, how)
  try {
    const result = await repositories.emails.accept({ ...acceptance, quotaUses: [{ ...taken }] })
    end(result.kind === 'accepted' ? 'accepted' : 'returned')
    return result
  } catch (error) {
    const isLost = isMissingReference(error)
    if (isLost || error instanceof Failure || isRefusedData(error)) end(isLost ? 'lost' : 'returned')
    if (isLost) return 'lost'
    throw error
  }
}

type Identified = { draft: EmailDraft; id: string }

/** Blobs before rows: a crash leaves a blob without a row, never a row without its blob. */
async function storeFiles({ gateways }: Dependencies, emails: Identified[]): Promise<NewAttachment[]> {
  const stored: NewAttachment[] = []
  try {
    for (const { draft, id } of emails) {
      // Lists show the newest first. The rows are made last to first, so that the files are listed in the order of the request.
      for (const [position, attachment] of [...draft.attachments.entries()].reverse()) {
        const blobKey = attachment.stored?.blobKey ?? (attachment.bytes && createId())
        stored.push(attachmentRow(id, position, attachment, blobKey))
        if (attachment.bytes && blobKey) await gateways.blobs.put(blobKey, attachment.bytes)
      }
    }
    return stored
  } catch (error) {
    await gateways.blobs.discard(blobKeysOf(stored))
    throw error
  }
}

const blobKeysOf = (attachments: NewAttachment[]): string[] => attachments.flatMap(({ blobKey }) => blobKey ?? [])

const attachmentRow = (emailId: string, position: number, attachment: DraftAttachment, blobKey: string | null): NewAttachment => ({
  id: createId(),
  emailId,
  position,
  filename: attachment.filename,
  contentType: attachment.contentType,
  contentId: attachment.contentId,
  size: fileSize(attachment),
  blobKey,
  path: attachment.path,
})

type Assembly = Pick<SendRequest<AcceptMode>, 'idempotency'> & {
  holder: Pick<Caller, 'teamId' | 'apiKeyId'>
  emails: Identified[]
  attachments: NewAttachment[]
  reply: object
  class?: LaneClass
  traceparent?: string | null
  acceptedAt?: Date
  quotaUses?: Acceptance['quotaUses']
}

/** What the accepting statement stores. */
export function assemble(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  {
    holder,
    emails,
    attachments,
    reply,
    idempotency,
    class: kind = 'transactional',
    traceparent = null,
    acceptedAt = clock.now(),
    quotaUses = [],
  }: Assembly,
): Acceptance {
  const recipients = emails.flatMap(({ id: emailId, draft }) => draft.recipients.map((address) => ({ id: createId(), emailId, address })))
  const waiting = new Set(emails.filter(({ draft }) => isFetching(draft)).map(({ id }) => id))
  const dueAt = new Map(emails.map(({ id, draft }) => [id, draft.scheduledAt ?? acceptedAt]))
  return {
    teamId: holder.teamId,
    apiKeyId: holder.apiKeyId,
    acceptedAt,
    quotaUses,
    response: reply,
    idempotency: idempotency && { operation: idempotency.operation, key: idempotency.key, bodyHash: bodyHash(idempotency.body) },
    emails: emails.map(({ id, draft: { recipients: _recipients, attachments: files, template, submitted, ...fields } }) => ({
      ...fields,
      ...(submitted && { html: submitted.html, text: submitted.text }),
      templateId: template?.id ?? null,
      templateVersionId: template?.versionId ?? null,
      id,
      state: fields.scheduledAt ? 'scheduled' : 'queued',
      attachmentCount: files.length,
      isFetching: waiting.has(id),
      traceparent,
    })),
    recipients,
    deliveries: recipients
      .filter(({ emailId }) => !waiting.has(emailId))
      .map((recipient) =>
        newDelivery({
          recipient,
          dueAt: dueAt.get(recipient.emailId) ?? acceptedAt,
          now: acceptedAt,
          delivery: config.delivery,
          class: kind,
        }),
      ),
    attachments,
    messages: emails.flatMap(({ id, draft: { submitted } }) => (submitted ? [messageRow(id, submitted)] : [])),
    notifications: emails.flatMap(({ id, draft }) =>
      draft.scheduledAt
        ? [
            {
              id: createId(clock),
              teamId: holder.teamId,
              type: 'email.scheduled',
              subjectId: id,
              data: { to: draft.recipients, detail: { scheduled_at: draft.scheduledAt.toISOString() } },
            },
          ]
        : [],
    ),
  }
}

const messageRow = (emailId: string, { head, body, htmlPart }: NewSubmittedContent): NewSubmittedMessage =>
  Buffer.isBuffer(body)
    ? { emailId, head, body: body.toString('base64'), blobKey: null, blobBytes: null, bodyStart: 0, htmlPart }
    : { emailId, head, body: null, blobKey: body.blobKey, blobBytes: body.bytes, bodyStart: body.start, htmlPart }

const isFetching = ({ attachments }: EmailDraft): boolean => attachments.some(({ path }) => path !== null)
