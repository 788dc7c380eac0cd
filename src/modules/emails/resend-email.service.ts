// Sends a stored email to its own recipients again, as a new email.

import { bodyHash } from '../../http/headers.ts'
import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { Failure, invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import type { OpenSpan } from '../../lib/tracing.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { acceptEmails } from './accept-email.service.ts'
import type { DraftAttachment, EmailDraft } from './email-draft.ts'
import type { EmailsContext } from './emails.context.ts'
import type { EmailToResend } from './emails.repository.ts'
import { EMAILS } from './emails.schema.ts'
import { validateEmails } from './validate-emails.service.ts'

type Context = PlatformContext & DomainsContext & AudienceContext & EmailsContext

type Resending = {
  emailId: string
  idempotencyKey: string | null
  span?: OpenSpan | null
  /** Called with the bytes of the files. */
  takeRoom: (bytes: number) => void
}

const OPERATION = 'emails.resend'

/**
 * A repetition of an idempotent request gets the first answer and sends nothing.
 *
 * @throws Failure `notFound`, `validation` for what is not to be sent again, `forbidden` for a sender that may not send any longer, and `rateLimited`
 */
export async function resendEmail(
  context: Context,
  holder: Caller,
  { emailId, idempotencyKey, ...request }: Resending,
): Promise<{ id: string }> {
  const { emails } = context.repositories
  const { teamId } = holder
  const id = emailId.toLowerCase()
  const idempotency = idempotencyKey === null ? null : { operation: OPERATION, key: idempotencyKey, body: { id } }
  const earlier =
    idempotency && (await emails.findEarlierAnswer(teamId, { ...idempotency, bodyHash: bodyHash(idempotency.body) }, context.clock.now()))
  if (earlier) return earlier as { id: string }
  const found = await emails.findToResend(teamId, id)
  if (!found) throw notFound(EMAILS.noun)
  const draft = draftOf(found)
  const validated = await validateEmails(context, holder, [{ draft }])
  const [refusal] = validated.refusals
  if (refusal) throw new Failure(refusal.kind, refusal.message)
  request.takeRoom(draft.contentBytes)
  if (!(await emails.beginResending(teamId, id, { now: context.clock.now(), forMs: MINUTE_MS }))) throw tooSoon()
  try {
    const attachments = await copyFiles(context, found.attachments)
    const copied = { drafts: [{ ...draft, attachments }], refusals: [] }
    return await acceptEmails(context, { mode: 'one', holder, validated: copied, idempotency, span: request.span ?? null })
  } catch (error) {
    await emails.endResending(teamId, id)
    throw error
  }
}

const tooSoon = (): Failure =>
  new Failure('rateLimited', 'This email was sent again less than a minute ago. Please wait a minute and try again.', {
    retryAfterSeconds: MINUTE_MS / 1_000,
  })

/** Its files are those of the email until they are copied. @throws Failure for what is not to be sent again */
function draftOf(email: EmailToResend): EmailDraft {
  const { broadcastId, state, isFetching, attachments, html, text, recipients, templateId, templateVersionId, ...fields } = email
  if (broadcastId !== null) throw invalid(OF_BROADCAST)
  if (state === 'scheduled' || state === 'canceled' || isFetching) throw invalid(NOT_SENT)
  if ((html === null && text === null) || recipients.length === 0 || attachments.some(({ blobKey }) => blobKey === null))
    throw invalid(GONE)
  return {
    ...{ ...fields, html, text, recipients, attachments: [], scheduledAt: null },
    template: templateId !== null && templateVersionId !== null ? { id: templateId, versionId: templateVersionId } : null,
  }
}

const OF_BROADCAST = 'This email is part of a broadcast. Emails of broadcasts cannot be sent again.'
const NOT_SENT = 'This email has not been sent: it is scheduled, was canceled, or its files are still being fetched.'
const GONE = 'The content of this email is no longer kept, so it cannot be sent again.'

/** Each email has its own files, because each is removed on its own. */
async function copyFiles({ gateways: { blobs } }: Context, files: EmailToResend['attachments']): Promise<DraftAttachment[]> {
  const copies: DraftAttachment[] = []
  try {
    for (const { blobKey, size, filename, contentType, contentId } of files) {
      const copyKey = createId()
      await blobs.copy(blobKey ?? '', copyKey)
      copies.push({ filename, contentType, contentId, bytes: null, path: null, stored: { blobKey: copyKey, bytes: size } })
    }
    return copies
  } catch (error) {
    await blobs.discard(copies.flatMap(({ stored }) => stored?.blobKey ?? []))
    throw error instanceof Failure && error.kind === 'notFound' ? invalid(GONE) : error
  }
}
