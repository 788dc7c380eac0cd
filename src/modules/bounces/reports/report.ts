import { Readable } from 'node:stream'
import type { BounceReason } from '../../../mail/bounces/bounce-reason.ts'
import { plainWords } from '../../../mail/bounces/phrases.ts'
import { decodedWords } from '../../../mail/decoded-text.ts'
import { allOf, type Fields, firstOf, readFields } from '../../../mail/mime-fields.ts'
import {
  type DeliveryStatus,
  isStatusPart,
  mailboxOf,
  type Original,
  type Report,
  type ReportedRecipient,
  readDeliveryStatus,
} from './delivery-status.ts'
import { mergeOriginals, messageIdsIn, readFeedback, readOriginal } from './feedback.ts'
import { isReturned, type Part, readParts } from './message-parts.ts'
import { readNotice } from './notice.ts'
import { isChallengeSender, isDaemonMail, isDeliveryReport, kindOfNotice } from './report-kind.ts'
import { bareAddress, readSender } from './reporters.ts'
import { explanationIn, failedRecipients, readWrittenBounce } from './written-bounce.ts'

export type { Report } from './delivery-status.ts'

/**
 * Reads what came back about a message: a bounce, a complaint, or something that changes nothing. Bounded in memory and time, and never throws for
 * what the message holds; a failure to read it from its storage is passed on.
 */
export async function readReport(message: AsyncIterable<Uint8Array>): Promise<Report> {
  const parts = await readParts(message)
  const passedOn = reportPassedOn(parts)
  return reportIn(passedOn === null ? parts : await readParts(Readable.from([passedOn])))
}

async function reportIn(parts: readonly Part[]): Promise<Report> {
  const root: Fields = parts[0]?.fields ?? new Map()
  const returned = returnedIn(parts)
  const original = mergeOriginals(...returned.map(readOriginal))
  const subject = subjectOf(root)

  const feedback = readFeedback(parts, returned[0] ?? new Map())
  if (feedback !== null) {
    const { isComplaint, feedbackType, userAgent, fields } = feedback
    const said = readOriginal(fields)
    // Everyone who got a reply knows the Message-IDs that it names, so only the mail itself counts.
    const messageIds = messageIdsIn(returned.flatMap((head) => allOf(head, 'message-id')))
    const whole = { ...mergeOriginals(said, original), messageIds }
    const { returnPathAddresses, envelopeRecipients } = said
    const envelope = { returnPathAddresses, envelopeRecipients }
    return isComplaint
      ? { kind: 'complaint', feedbackType, userAgent, original: whole, envelope, sender: readSender(root) }
      : { kind: 'other', original: whole }
  }
  const notice = readNotice(parts)
  const whole = withReplies(mergeOriginals(original, readOriginal(notice.returned)), root)
  if (isChallengeSender(root, plainWords(subject))) return { kind: 'challenge', original: whole }

  const failed = failedRecipients(allOf(root, 'x-failed-recipients', 'x-failed-recipient'))
  const status = await statusIn(parts, notice.text)
  if (status !== null) {
    const named = mergeOriginals({ messageIds: messageIdsIn(status.messageIds), returnPathAddresses: [], recipients: [] }, whole)
    if (status.action !== 'failed') return { kind: status.action === 'delayed' ? 'delay' : 'success', original: named }
    return { kind: 'bounce', recipients: withForwarding(withAddress(status.recipients, named), failed), original: named }
  }
  const returnsMail = [...returned, notice.returned].some((fields) => fields.has('message-id') && fields.has('from'))
  const kind = kindOfNotice({ root, subject, text: notice.text, hasFailedRecipients: failed.length > 0, returnsMail })
  if (kind !== 'bounce') return { kind, original: whole }
  const others = othersIn(root, [...returned, notice.returned], whole)
  const recipients = await readWrittenBounce({ text: notice.text, failed, others })
  return { kind, recipients: withAddress(recipients, whole), original: whole }
}

/**
 * A gateway may put a whole report into a notice of its own, which then says nothing else. Only the outermost one is opened. People who forward a
 * report do not say that something failed.
 */
function reportPassedOn(parts: readonly Part[]): Uint8Array | null {
  const root: Fields = parts[0]?.fields ?? new Map()
  if (!isDaemonMail(root) || parts.some(isStatusPart)) return null
  const [report] = parts.filter((part) => isReturned(part) && isDeliveryReport(readFields(part.text)))
  return report === undefined ? null : Buffer.from(report.text)
}

const returnedIn = (parts: readonly Part[]): Fields[] => parts.filter(isReturned).map(({ text }) => readFields(text))

/** Some servers write the fields into a part of another type, or into the text. */
async function statusIn(parts: readonly Part[], notice: string): Promise<DeliveryStatus | null> {
  const labeled = parts.filter(isStatusPart)
  const other = parts.filter(
    (part) => !isStatusPart(part) && part.contentType.startsWith('text/') && STATUS_LINES.test(part.text.slice(0, STATUS_SEARCHED_MAX)),
  )
  const explain = explanationIn.bind(null, notice)
  for (const { text } of [...labeled, ...other.filter((part) => !isReturned(part))]) {
    const status = await readDeliveryStatus(text, explain)
    if (status !== null) return status
  }
  return null
}

const STATUS_LINES = /^final-recipient[ \t]*:/im

const STATUS_SEARCHED_MAX = 64 * 1024

const subjectOf = (root: Fields): string => decodedWords(firstOf(root, 'subject').slice(0, SUBJECT_LENGTH_MAX))

const SUBJECT_LENGTH_MAX = 1000

/** Replies name what they answer, which helps where nothing is returned. */
function withReplies(original: Original, root: Fields): Original {
  if (original.messageIds.length > 0) return original
  return { ...original, messageIds: messageIdsIn(allOf(root, 'in-reply-to', 'references')) }
}

/** Exim names the recipient in the fields for programs, and the addresses that its mail was forwarded to in a header. */
function withForwarding(recipients: ReportedRecipient[], failed: readonly string[]): ReportedRecipient[] {
  const [forwardedTo] = failed
  const mailboxes = new Set(failed.map(mailboxOf))
  return recipients.map((recipient) => {
    const { address } = recipient
    return forwardedTo === undefined || address === null || mailboxes.has(mailboxOf(address)) ? recipient : { forwardedTo, ...recipient }
  })
}

/** A message to one person failed for that person. */
function withAddress(recipients: readonly ReportedRecipient[], { recipients: named }: Original): ReportedRecipient[] {
  const only = named.length === 1 && recipients.length === 1 ? (named[0] ?? null) : null
  return recipients.map((recipient) => {
    const address = recipient.address ?? only
    return { ...recipient, address, bounce: address === null ? withoutAddress(recipient.bounce) : recipient.bounce }
  })
}

/** What is wrong is known, but not with which address. */
const withoutAddress = (bounce: BounceReason): BounceReason =>
  bounce.type === 'Permanent' && bounce.subType === 'General' ? { ...bounce, subType: 'NoEmail' } : bounce

/** Addresses in the text that are not the recipient's: of the server, and of who sent the message. */
function othersIn(root: Fields, returned: readonly Fields[], { returnPathAddresses }: Original): Set<string> {
  const values = [root, ...returned].flatMap((fields) => allOf(fields, 'from', 'sender', 'reply-to', 'return-path'))
  const addresses = [...values, ...allOf(root, 'to', 'delivered-to'), ...returnPathAddresses].map(bareAddress)
  return new Set(addresses.filter((address) => address !== null).map((address) => address.toLowerCase()))
}
