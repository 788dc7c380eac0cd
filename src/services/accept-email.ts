// Accepts the emails of a request: stores their files, then everything else in one commit. Every accepted email reaches a final state.
import type { Context } from '../context.ts'
import { bodyHash } from '../lib/body-hash.ts'
import { isRefusedData } from '../lib/database-errors.ts'
import type { LaneClass } from '../lib/engine/lanes.ts'
import { newDelivery } from '../lib/engine/new-delivery.ts'
import { Failure, idempotencyConflict } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import type { SubmittedContent } from '../lib/submitted-content.ts'
import { type OpenSpan, spanned, type Tracing } from '../lib/tracing.ts'
import type { DraftAttachment, EmailDraft, JudgedEmails } from '../mail/email-draft.ts'
import type { Acceptance, NewAttachment, NewSubmittedMessage } from '../repositories/emails/accept-emails.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

type Dependencies = Pick<Context, 'config' | 'clock' | 'repositories' | 'gateways' | 'tracing' | 'wakeWorkers'>

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
  holder: KeyHolder
  judged: JudgedEmails
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
  const refused = refusalOf(request)
  if (refused) {
    // A repetition may be refused although the first request was accepted: its time may have passed.
    const answer = await earlierAnswer(context, request)
    if (answer === null) throw refused
    return answer as Replies[Mode]
  }
  if (await context.gateways.diskSpace.isLow()) {
    throw new Failure('unavailable', 'The server is almost out of disk space and takes no new emails. Those that it has are delivered.', {
      retryAfterSeconds: 60,
    })
  }
  const emails = request.judged.drafts.map((draft, index) => ({ draft, id: request.ids?.[index] ?? createId(context.clock) }))
  const reply = REPLIES[request.mode](
    emails.map(({ id }) => id),
    request.judged,
  )
  const span = context.tracing && beginAcceptance(context.tracing, request, emails)
  const stored = store(context, request, { emails, reply, traceparent: span?.traceparent ?? null })
  return (await spanned(span, stored)) as Replies[Mode]
}

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

function refusalOf({ mode, judged: { refusals } }: SendRequest<AcceptMode>): Failure | null {
  const [first] = refusals
  if (!first || mode === 'valid') return null
  return new Failure(first.kind, mode === 'one' ? first.message : `Email ${first.index} of the batch (from 0): ${first.message}`)
}

/** The reply of each mode, from the ids of the emails in the order of the drafts. */
const REPLIES: { [Mode in AcceptMode]: (ids: string[], judged: JudgedEmails) => Replies[Mode] } = {
  one: ([id = '']) => ({ id }),
  all: (ids) => ({ data: ids.map((id) => ({ id })) }),
  valid: (ids, { refusals }) => ({
    data: ids.map((id) => ({ id })),
    errors: refusals.map(({ index, kind, message }) => ({ index, name: kind === 'notFound' ? 'not_found' : 'validation_error', message })),
  }),
}

async function earlierAnswer({ repositories, clock }: Dependencies, { holder, idempotency }: SendRequest<AcceptMode>): Promise<unknown> {
  if (!idempotency) return null
  const { operation, key, body } = idempotency
  return repositories.emails.findEarlierAnswer(holder.teamId, { operation, key, bodyHash: bodyHash(body) }, clock.now())
}

/** Stores all emails of the request or none. Returns the reply, or the reply to the earlier request that this one repeats. */
async function store(
  context: Dependencies,
  { holder, idempotency }: SendRequest<AcceptMode>,
  { emails, reply, traceparent }: { emails: Identified[]; reply: object; traceparent: string | null },
): Promise<unknown> {
  const attachments = await storeFiles(context, emails)
  const discard = () => context.gateways.blobs.discard(blobKeysOf(attachments))

  const acceptance = assemble(context, { holder, emails, attachments, reply, idempotency, traceparent })
  const result = await context.repositories.emails.accept(acceptance).catch(async (error) => {
    // If it is unknown whether it was committed, the files stay, because rows may name them. The sweep of blobs decides.
    if (error instanceof Failure || isRefusedData(error)) await discard()
    throw error
  })
  if (result.kind === 'accepted') {
    context.wakeWorkers()
    return reply
  }
  await discard()
  if (result.kind === 'repeated') return result.response
  throw idempotencyConflict()
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
  size: attachment.stored?.bytes ?? attachment.bytes?.length ?? 0,
  blobKey,
  path: attachment.path,
})

type Assembly = Pick<SendRequest<AcceptMode>, 'idempotency'> & {
  holder: Pick<KeyHolder, 'teamId' | 'apiKeyId'>
  emails: Identified[]
  attachments: NewAttachment[]
  reply: object
  class?: LaneClass
  traceparent?: string | null
}

/** What the accepting statement stores. */
export function assemble(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { holder, emails, attachments, reply, idempotency, class: kind = 'transactional', traceparent = null }: Assembly,
): Acceptance {
  const acceptedAt = clock.now()
  const recipients = emails.flatMap(({ id: emailId, draft }) => draft.recipients.map((address) => ({ id: createId(), emailId, address })))
  const waiting = new Set(emails.filter(({ draft }) => isFetching(draft)).map(({ id }) => id))
  const dueAt = new Map(emails.map(({ id, draft }) => [id, draft.scheduledAt ?? acceptedAt]))
  return {
    teamId: holder.teamId,
    apiKeyId: holder.apiKeyId,
    acceptedAt,
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

const messageRow = (emailId: string, { head, body, htmlPart }: SubmittedContent): NewSubmittedMessage =>
  Buffer.isBuffer(body)
    ? { emailId, head, body: body.toString('base64'), blobKey: null, bodyStart: 0, htmlPart }
    : { emailId, head, body: null, blobKey: body.blobKey, bodyStart: body.start, htmlPart }

const isFetching = ({ attachments }: EmailDraft): boolean => attachments.some(({ path }) => path !== null)
