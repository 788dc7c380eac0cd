// Makes an email of a message that was handed in over SMTP, and accepts it as one of POST /emails.
import type { Context } from '../../context.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { messageIdOf } from '../../lib/message-ids.ts'
import type { EmailDraft, EmailRefusal } from '../../mail/email-draft.ts'
import { readHead } from '../../mail/submission/head.ts'
import { type Reception, receivedLine } from '../../mail/submission/received-line.ts'
import type { SubmissionContent } from '../../mail/submission/submission-content.ts'
import { blindCopies, draftSubmission, submissionBody } from '../../mail/submission/submission-draft.ts'
import { readSubmissionHeaders } from '../../mail/submission/submission-headers.ts'
import type { KeyHolder } from '../../repositories/team/api-keys.ts'
import type { EmailSend } from '../../schemas/emails.ts'
import { acceptEmails } from '../../services/accept-email.ts'
import { judgeEmails } from '../../services/judge-emails.ts'

export type Submission = {
  holder: KeyHolder
  /** The recipients of the envelope, each once: local part exact, domain as a lower-case A-label. */
  recipients: string[]
  reception: Reception
  /** All of a small message, and the first bytes of a large one, which is the blob. */
  beginning: Buffer
  blobKey: string | null
}

/** The email as the request log shows it. */
export type SubmittedEmail = { body: EmailSend; userAgent: string | null }

/** Called as soon as it is known what the message says. */
export type OnRead = (email: SubmittedEmail) => void

/** @throws Failure about the first thing that is wrong */
export async function submitMessage(context: Context, submission: Submission, onRead: OnRead): Promise<{ id: string }> {
  const { clock, gateways } = context
  const { holder, recipients, reception, beginning, blobKey } = submission
  let content: SubmissionContent | null = null
  const discard = () => removeBlobs(gateways, [...(content?.files ?? []), ...(blobKey === null ? [] : [{ blobKey }])])
  try {
    const head = readHead(beginning)
    const headers = readSubmissionHeaders(head)
    const { idempotencyKey: key } = headers
    content = await gateways.submissions.read(blobKey === null ? beginning : { blobKey }, { hasFingerprint: key !== null })
    const read = { recipients, head, headers, bcc: blindCopies(recipients, headers), content }
    onRead({ body: submissionBody(read), userAgent: headers.userAgent })
    if (content.refusal !== null) throw invalid(content.refusal)
    // Lists go by the time in the id, so it is made when reading has ended.
    const id = createId(clock)
    const source = blobKey === null ? beginning.subarray(head.bodyStart) : { blobKey, start: head.bodyStart }
    const now = clock.now()
    const entry = draftedOf(
      { ...read, body: source },
      { received: receivedLine(reception, { id, date: now }), messageId: messageIdOf({ id, fromDomain: headers.sender.domain }), now },
    )
    const reply = await acceptEmails(context, {
      mode: 'one',
      holder,
      judged: await judgeEmails(context, holder, [entry]),
      ids: [id],
      idempotency:
        key === null ? null : { operation: 'submission', key, body: { recipients: recipients.toSorted(), message: content.fingerprint } },
    })
    // It repeats an earlier one, so nothing names its files.
    if (reply.id !== id) await discard()
    return reply
  } catch (error) {
    // If it is unknown whether it was committed, the files stay, because rows may name them. The sweep of blobs decides.
    if (error instanceof Failure) await discard()
    throw error
  }
}

/** What is wrong is a refusal, not an error: a repetition gets the first answer although the time of the message may have passed. */
function draftedOf(...submission: Parameters<typeof draftSubmission>): { draft: EmailDraft } | { refusal: EmailRefusal } {
  try {
    return { draft: draftSubmission(...submission) }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { refusal: { kind: 'validation', message: error.message } }
  }
}

const removeBlobs = ({ blobs }: Context['gateways'], stored: { blobKey: string }[]): Promise<unknown> =>
  blobs.discard(stored.map(({ blobKey }) => blobKey))
