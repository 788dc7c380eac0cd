// A message that was submitted, as an email like one of POST /emails.

import { LOGGED_BODY_BYTES_MAX } from '../../http/validation/logged-body.ts'
import { invalid } from '../../lib/failure.ts'
import { isProblem } from '../../lib/problem.ts'
import { textUpTo } from '../../lib/text.ts'
import { createBodyCheck } from '../../lib/validation/body-validator.ts'
import { canonicalAddress, parseMailbox } from '../../mail/addresses.ts'
import { fieldValue, type Head, sentHead } from '../../mail/message-head.ts'
import { type EmailDraft, parseSchedule } from '../emails/email-draft.ts'
import { EmailSend } from '../emails/emails.schema.ts'
import type { SubmissionContent } from './submission-content.ts'
import type { SubmissionHeaders } from './submission-headers.ts'

export type ReadSubmission = {
  /** The recipients of the envelope, each once: local part exact, domain as a lower-case A-label. */
  recipients: string[]
  head: Head
  headers: SubmissionHeaders
  /** Who gets it without being named in it. */
  bcc: string[]
  content: SubmissionContent
  body: Buffer | { blobKey: string; start: number; bytes: number }
}

type Acceptance = { received: string; messageId: string; now: Date }

/** What POST /emails would have been told, for the request log: of its texts, what is kept and a byte more. */
export function submissionBody({
  headers,
  bcc,
  content: { html, text, files },
}: Pick<ReadSubmission, 'headers' | 'bcc' | 'content'>): EmailSend {
  const { from, to, cc, replyTo, subject, tags, topicId, scheduledAt } = headers
  return {
    ...{ from, to, cc, bcc, reply_to: replyTo, subject, tags },
    ...{ html: textUpTo(html, LOGGED_BODY_BYTES_MAX + 1), text: textUpTo(text, LOGGED_BODY_BYTES_MAX + 1) },
    ...(topicId !== null && { topic_id: topicId }),
    ...(scheduledAt !== null && { scheduled_at: scheduledAt }),
    attachments: files.map(({ filename, contentType, contentId }) => ({
      ...{ filename, content_type: contentType, content_id: contentId },
      content: '',
    })),
  }
}

/** @throws Failure about the first header of ours that is wrong */
export function draftSubmission(submission: ReadSubmission, { received, messageId, now }: Acceptance): EmailDraft {
  const { recipients, head, headers, bcc, content, body } = submission
  const { from, sender, to, cc, replyTo, subject, tags, topicId, scheduledAt } = headers
  refuseFields({ tags, topicId })
  const { html, text, textBytes, files, htmlPart } = content
  const sent = sentHead(head, { received, messageId, date: now, sender })
  const unsubscribe = head.fields.find(({ name }) => name === 'list-unsubscribe')
  return {
    ...{ from, to, cc, bcc, replyTo, subject, html: null, text: null, recipients, tags },
    fromDomain: sender.domain,
    contentBytes: textBytes + sent.length + (Buffer.isBuffer(body) ? body.length : 0),
    // What tracking has to leave alone.
    headers: unsubscribe === undefined ? {} : { 'List-Unsubscribe': fieldValue(unsubscribe) },
    scheduledAt: scheduledAt === null ? null : parseSchedule('X-Scheduled-At', scheduledAt, now),
    topicId: topicId?.toLowerCase() ?? null,
    template: null,
    attachments: files.map(({ filename, contentType, contentId, blobKey, size }) => ({
      ...{ filename, contentType, contentId, bytes: null, path: null },
      stored: { blobKey, bytes: size },
    })),
    submitted: { html, text, head: sent, body, htmlPart },
  }
}

/** The recipients whom the header does not name. */
export function blindCopies(recipients: readonly string[], { to, cc }: SubmissionHeaders): string[] {
  const shown = new Set([...to, ...cc].map(canonical))
  return recipients.filter((address) => !shown.has(address))
}

function canonical(text: string): string {
  const parsed = parseMailbox(text)
  return isProblem(parsed) ? text : canonicalAddress(parsed)
}

const checkBody = createBodyCheck(EmailSend)

/** The others are what the message says, and have no rules of ours. */
function refuseFields({ tags, topicId }: Pick<SubmissionHeaders, 'tags' | 'topicId'>): void {
  if (tags.length === 0 && topicId === null) return
  const problem = checkBody({ to: '', tags, ...(topicId !== null && { topic_id: topicId }) })
  if (problem !== null) throw invalid(problem)
}
