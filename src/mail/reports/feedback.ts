// Complaints: reports in the Abuse Reporting Format (RFC 5965, 6591), and those of Microsoft, which return the message without a word.
import { type Fields, firstOf, readFields } from './fields.ts'
import type { Part } from './message-parts.ts'

export type Feedback = { isComplaint: boolean; feedbackType: string; userAgent: string | null; fields: Fields }

/** Null if the message is no feedback. */
export function feedbackOf(parts: readonly Part[], returned: Fields): Feedback | null {
  const report = parts.find(({ contentType }) => contentType === 'message/feedback-report')
  const root = parts[0]
  if (report !== undefined) return feedback(readFields(report.text))
  if (root === undefined) return null
  // Written by hand, or by a program that got the type of the part wrong.
  const written = parts.find(
    ({ contentType, text }) => contentType.startsWith('text/') && /^feedback-type:/im.test(text.slice(0, SEARCHED_LENGTH_MAX)),
  )
  if (written !== undefined && /^multipart\/report$/.test(root.contentType)) {
    return feedback(readFields(written.text.slice(written.text.search(/^feedback-type:/im))))
  }
  return returned.has('x-hmxmroriginalrecipient') || isRedacted(root.fields)
    ? { isComplaint: true, feedbackType: 'abuse', userAgent: null, fields: new Map() }
    : null
}

const SEARCHED_LENGTH_MAX = 64 * 1024

/** Microsoft's program for senders (JMRP), and SpamCop. */
const isRedacted = (root: Fields): boolean =>
  /^complaint about message from /i.test(firstOf(root, 'subject')) || /@(?:reports|bounces)\.spamcop\.net\b/i.test(firstOf(root, 'from'))

function feedback(fields: Fields): Feedback {
  const feedbackType =
    firstOf(fields, 'feedback-type')
      .split(/[\s;(]/, 1)[0]
      ?.toLowerCase() || 'abuse'
  const userAgent = firstOf(fields, 'user-agent') || null
  return { isComplaint: !NO_COMPLAINTS.has(feedbackType), feedbackType, userAgent, fields }
}

/** A reader who takes a complaint back (RFC 6430), and what servers noticed about signatures (RFC 6591). */
const NO_COMPLAINTS = new Set(['not-spam', 'auth-failure', 'dkim', 'dmarc'])
