// Makes an email of a message that was submitted over SMTP, and accepts it as one of POST /emails.

import type { Caller } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { cutBody, loggedBody } from '../../http/validation/logged-body.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { storableText } from '../../lib/text.ts'
import { fieldTree } from '../../lib/validation/field-tree.ts'
import { readHead } from '../../mail/message-head.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import { acceptEmails } from '../emails/accept-email.service.ts'
import type { EmailDraft, EmailRefusal } from '../emails/email-draft.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { EmailSend } from '../emails/emails.schema.ts'
import { messageIdOf } from '../emails/message-ids.ts'
import { validateEmails } from '../emails/validate-emails.service.ts'
import type { LogsContext } from '../logs/logs.context.ts'
import type { SubmissionContext } from './submission.context.ts'
import type { SubmissionContent } from './submission-content.ts'
import { blindCopies, draftSubmission, submissionBody } from './submission-draft.ts'
import { type Reception, readSubmissionHeaders, receivedLine } from './submission-headers.ts'

type Context = PlatformContext & DomainsContext & AudienceContext & EmailsContext & LogsContext & SubmissionContext

export type Submission = {
  holder: Caller
  /** The recipients of the envelope, each once: local part exact, domain as a lower-case A-label. */
  recipients: string[]
  reception: Reception
  /** All of a small message, and the first bytes of a large one, which is the blob. */
  beginning: Buffer
  blobKey: string | null
  /** The size of the whole message. */
  bytes: number
}

/** The email as the request log shows it. */
export type SubmittedEmail = { body: EmailSend; userAgent: string | null }

/** Called as soon as it is known what the message says. */
export type OnRead = (email: SubmittedEmail) => void

/** @throws Failure about the first thing that is wrong */
export async function submitMessage(context: Context, submission: Submission, onRead: OnRead): Promise<{ id: string }> {
  const { clock, gateways } = context
  const { holder, recipients, reception, beginning, blobKey, bytes } = submission
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
    const source = blobKey === null ? beginning.subarray(head.bodyStart) : { blobKey, start: head.bodyStart, bytes }
    const now = clock.now()
    const entry = makeDraft(
      { ...read, body: source },
      { received: receivedLine(reception, { id, date: now }), messageId: messageIdOf({ id, fromDomain: headers.sender.domain }), now },
    )
    const reply = await acceptEmails(context, {
      mode: 'one',
      holder,
      validated: await validateEmails(context, holder, [entry]),
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
function makeDraft(...submission: Parameters<typeof draftSubmission>): { draft: EmailDraft } | { refusal: EmailRefusal } {
  try {
    return { draft: draftSubmission(...submission) }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'validation') throw error
    return { refusal: { kind: 'validation', message: error.message } }
  }
}

const removeBlobs = ({ blobs }: Context['gateways'], stored: { blobKey: string }[]): Promise<unknown> =>
  blobs.discard(stored.map(({ blobKey }) => blobKey))

// Hands every message of a team to its request log, as the API does with requests.

/** `email`: null if it is not known what the message says. `answer`: the code of the reply, and what it said. */
export type LoggedSubmission = { holder: Caller; email: SubmittedEmail | null; answer: { code: number; body: object } }

const ENDPOINT = '/submission'
const USER_AGENT_LENGTH_MAX = 512
/** What an entry costs in addition to its bodies, roughly. */
const ENTRY_BYTES = 512

let fields: ReturnType<typeof fieldTree> | undefined

export function logSubmission(
  { repositories, clock }: Pick<Context, 'repositories' | 'clock'>,
  { holder, email, answer }: LoggedSubmission,
) {
  fields ??= fieldTree(EmailSend)
  const sent = loggedBody(fields, email?.body)
  const answered = cutBody(answer.body)
  repositories.requestLogs.append(
    {
      id: createId(clock),
      teamId: holder.teamId,
      apiKeyId: holder.apiKeyId,
      personId: null,
      method: 'SMTP',
      endpoint: ENDPOINT,
      responseStatus: answer.code,
      userAgent: email?.userAgent == null ? null : storableText(email.userAgent, USER_AGENT_LENGTH_MAX),
      requestBody: sent.json,
      responseBody: answered.json,
      requestBodyTruncated: sent.isCut,
      responseBodyTruncated: answered.isCut,
      createdAt: clock.now(),
    },
    ENTRY_BYTES + sent.bytes + answered.bytes,
  )
}
