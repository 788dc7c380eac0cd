// Complaints: reports in the Abuse Reporting Format (RFC 5965, 6591), and those of Microsoft, which return the message without a word.

import { allOf, type Fields, firstOf, readFields } from '../../../mail/mime-fields.ts'
import { isStatusPart, type Original } from './delivery-status.ts'
import { isReturned, type Part } from './message-parts.ts'
import { isDeliveryReport } from './report-kind.ts'
import { bareAddress } from './reporters.ts'

/** `fields`: what the reporter says of the mail. */
export type Feedback = { isComplaint: boolean; feedbackType: string; userAgent: string | null; fields: Fields }

/**
 * Null if the message is no feedback. What comes back with a report was written by the sender of the mail, who may be anyone: a server that returns
 * it to us signs it too, but does not say that it is true. So the returned mail never makes a report feedback.
 */
export function readFeedback(parts: readonly Part[], returned: Fields): Feedback | null {
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

/** What the head of a returned message names. Only this many of each: a list of thousands is no help in finding one email. */
export function readOriginal(returned: Fields): Original {
  return {
    messageIds: messageIdsIn(allOf(returned, 'message-id', 'x-message-id', 'original-message-id', 'x-original-message-id')),
    returnPathAddresses: addressesIn(allOf(returned, ...ENVELOPE_SENDERS)),
    envelopeRecipients: addressesIn(allOf(returned, ...ENVELOPE_RECIPIENTS)),
    recipients: addressesIn(allOf(returned, ...ENVELOPE_RECIPIENTS, 'to', 'cc')),
  }
}

/** Joins what several places say, without repetitions. */
export function mergeOriginals(...originals: readonly Partial<Original>[]): Original {
  const all = (name: keyof Original) => [...new Set(originals.flatMap((original) => original[name] ?? []))].slice(0, NAMES_MAX)
  return {
    messageIds: all('messageIds'),
    returnPathAddresses: all('returnPathAddresses'),
    envelopeRecipients: all('envelopeRecipients'),
    recipients: all('recipients'),
  }
}

export const messageIdsIn = (values: readonly string[]): string[] =>
  unique(values.flatMap((value) => value.slice(0, VALUE_LENGTH_MAX).match(MESSAGE_ID) ?? []))

const addressesIn = (values: readonly string[]): string[] =>
  unique(
    values
      .flatMap((value) => value.slice(0, VALUE_LENGTH_MAX).split(','))
      .map(bareAddress)
      .filter((address) => address !== null),
  )

const unique = (values: readonly string[]): string[] => [...new Set(values)].slice(0, NAMES_MAX)

const NAMES_MAX = 50

const VALUE_LENGTH_MAX = 16 * 1024

const MESSAGE_ID = /<[^<>\s]{1,500}>/g

const ENVELOPE_SENDERS = ['return-path', 'original-mail-from', 'x-original-mail-from', 'x-envelope-from', 'envelope-from', 'x-mail-from']

/** The redacted reports of Microsoft name the recipient in fields of their own. */
const ENVELOPE_RECIPIENTS = [
  'original-rcpt-to',
  'x-original-rcpt-to',
  'x-hmxmroriginalrecipient',
  'x-ms-exchange-organization-originalrecipient',
  'removal-recipient',
  'x-original-to',
  'delivered-to',
  'envelope-to',
  'x-envelope-to',
  'x-rcpt-to',
]
