// Complaints: reports in the Abuse Reporting Format (RFC 5965, 6591), and those of Microsoft, which return the message without a word.
import { bareAddress } from './addresses-in-reports.ts'
import { isStatusPart } from './delivery-status.ts'
import { type Fields, firstOf, readFields } from './fields.ts'
import { isReturned, type Part } from './message-parts.ts'
import { isDeliveryReport } from './report-kind.ts'

/** `fields`: what the reporter says of the mail. */
export type Feedback = { isComplaint: boolean; feedbackType: string; userAgent: string | null; fields: Fields }

/**
 * Null if the message is no feedback. What comes back with a report was written by the sender of the mail, who may be anyone: a server that returns
 * it to us signs it too, but does not say that it is true. So the returned mail never makes a report feedback.
 */
export function feedbackOf(parts: readonly Part[], returned: Fields): Feedback | null {
  const root = parts[0]
  if (root === undefined || isDeliveryReport(root.fields) || parts.some(isStatusPart)) return null
  const own = parts.filter((part) => !isReturned(part))
  const report = own.find(({ contentType }) => contentType === 'message/feedback-report')
  if (report !== undefined) return feedback(readFields(report.text))
  // Written by hand, or by a program that got the type of the part wrong.
  const written = own.find(
    ({ contentType, text }) => contentType.startsWith('text/') && /^feedback-type:/im.test(text.slice(0, SEARCHED_LENGTH_MAX)),
  )
  if (written !== undefined && /^multipart\/report$/.test(root.contentType)) {
    return feedback(readFields(written.text.slice(written.text.search(/^feedback-type:/im))))
  }
  if (isOfMicrosoft(root.fields, returned)) return withoutWords(addedByMicrosoft(returned))
  return isOfSpamCop(root.fields) || isOfAmazon(root.fields) ? withoutWords(new Map()) : null
}

const withoutWords = (fields: Fields): Feedback => ({ isComplaint: true, feedbackType: 'abuse', userAgent: null, fields })

const SEARCHED_LENGTH_MAX = 64 * 1024

/** Microsoft's program for senders (JMRP) names the recipient in the head of the mail that it returns. */
const isOfMicrosoft = (root: Fields, returned: Fields): boolean =>
  bareAddress(firstOf(root, 'from'))?.toLowerCase() === 'staff@hotmail.com' &&
  (returned.has(MICROSOFT_RECIPIENT) || /^complaint about message from /i.test(firstOf(root, 'subject')))

/** The first of each: servers write above what the sender wrote. */
const addedByMicrosoft = (returned: Fields): Fields =>
  new Map([MICROSOFT_RECIPIENT, 'return-path'].flatMap((name) => (returned.has(name) ? [[name, [firstOf(returned, name)]]] : [])))

const MICROSOFT_RECIPIENT = 'x-hmxmroriginalrecipient'

/** Amazon's relay returns the mail too, and names nothing else. */
const isOfAmazon = (root: Fields): boolean =>
  /^complaints@(?:[a-z0-9-]{1,30}\.)?email-abuse\.amazonses\.com$/.test(bareAddress(firstOf(root, 'from'))?.toLowerCase() ?? '') &&
  /^complaint about message from /i.test(firstOf(root, 'subject'))

const isOfSpamCop = (root: Fields): boolean => /@(?:reports|bounces)\.spamcop\.net\b/i.test(firstOf(root, 'from'))

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
