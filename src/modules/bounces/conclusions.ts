// What follows from a report, from what it says and the recipients that it may be about.

import { DAY_MS } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import { storable } from '../../lib/text.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import { bounceCountedAs } from '../emails/counted-as.ts'
import type { CountedAs } from '../emails/email-timeline.schema.ts'
import type { InboundVerdict } from '../inbound/inbound-messages.repository.ts'
import { isSoftBounce } from '../suppressions/soft-bounces.ts'
import type { ClaimedComplaint, ReportableRecipients } from './complaint-verifier.ts'
import type { Conclusion, Consequence, WaitingMessage } from './pending-reports.repository.ts'
import { complainants, type FoundRecipients, REPORTS_TAKEN_DAYS } from './recipients-of-reports.ts'
import type { ReportedRecipientRow } from './reported-recipients.repository.ts'
import type { Report, ReportedRecipient } from './reports/delivery-status.ts'

// What a bounce says of the recipient whose return path it came to.

export type RecipientBounce = {
  type: ReportedRecipient['bounce']['type']
  subType: ReportedRecipient['bounce']['subType']
  isAddressFault: boolean
  isSenderFault: boolean
  message: string
  diagnosticCode: string[]
}

/**
 * A bounce may name other addresses: the recipient's mail is forwarded, or the recipient is a list. The mail has come back in any case, but
 * only what the bounce says of the recipient's own address is about that address (`isOfAddress`). A bounce that names no address is about the recipient.
 */
export function mostTellingBounce(reported: ReportedRecipient[], address: string): { bounce: RecipientBounce; isOfAddress: boolean } {
  const own = reported.filter((one) => one.address !== null && isSame(one.address, address))
  const unnamed = reported.filter((one) => one.address === null)
  const [worst] = [own, unnamed, reported].find((group) => group.length > 0)?.toSorted(bySeverity) ?? []
  if (!worst) return { bounce: WITHOUT_REASON, isOfAddress: false }
  const { bounce, message, diagnosticCode } = worst
  return {
    bounce: { ...bounce, message: storable(message), diagnosticCode: diagnosticCode.map((code) => storable(code)) },
    isOfAddress: worst.forwardedTo === undefined && (own.length > 0 || unnamed.length > 0),
  }
}

const WITHOUT_REASON: RecipientBounce = {
  type: 'Undetermined',
  subType: 'Undetermined',
  isAddressFault: false,
  isSenderFault: false,
  message: 'The mail was returned without a reason.',
  diagnosticCode: [],
}

const SEVERITY = { Permanent: 0, Transient: 1, Undetermined: 2 }

/** One that is about the address says most. */
const bySeverity = ({ bounce: a }: ReportedRecipient, { bounce: b }: ReportedRecipient): number =>
  Number(b.isAddressFault) - Number(a.isAddressFault) || SEVERITY[a.type] - SEVERITY[b.type]

/** Servers change the case of addresses. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

type ConclusionOptions = { now: Date; simulatorDomains: readonly string[] }

/** A complaint may be a claim, which has to be judged first. */
export function conclude(
  message: WaitingMessage,
  report: Report,
  found: FoundRecipients,
  options: ConclusionOptions,
): Conclusion | { claim: ClaimedComplaint } {
  const validFrom = options.now.getTime() - REPORTS_TAKEN_DAYS * DAY_MS
  const isValid = ({ dueAt }: ReportedRecipientRow) => dueAt.getTime() >= validFrom
  const valid = {
    byToken: found.byToken.filter(isValid),
    byMessageId: found.byMessageId.filter(isValid),
    bySending: found.bySending.filter(isValid),
  }
  const conclusion = undecided(message, report)
  const known = conclusion.detail
  const isExpired = valid.byToken.length < found.byToken.length
  const [recipient] = valid.byToken
  switch (report.kind) {
    case 'bounce':
      if (!recipient) return { ...conclusion, verdict: 'backscatter', detail: { ...known, reason: backscatterReason(message, isExpired) } }
      return concludeBounce(conclusion, report, recipient, options)
    case 'complaint': {
      const reported = complainants(report.envelope, valid)
      if ('reason' in reported) {
        const isOld = Object.values(found)
          .flat()
          .some((row) => !isValid(row))
        return { ...conclusion, verdict: 'unmatched', detail: { ...known, reason: isOld ? EXPIRED : reported.reason } }
      }
      if (!reported.isProven) return { claim: { message, report, recipients: reported.recipients } }
      return concludeComplaint(conclusion, report, reported.recipients, options)
    }
    default:
      return answered(conclusion, report.kind, recipient)
  }
}

export function concludeClaim({ message, report }: ClaimedComplaint, result: ReportableRecipients, options: ConclusionOptions): Conclusion {
  const conclusion = undecided(message, report)
  return 'reason' in result
    ? { ...conclusion, verdict: 'unmatched', detail: { ...conclusion.detail, reason: storable(result.reason) } }
    : concludeComplaint(conclusion, report, result.recipients, options)
}

const undecided = ({ id }: WaitingMessage, report: Report): Undecided => ({
  messageId: id,
  recipient: null,
  consequences: [],
  answer: null,
  detail: reportDetail(report),
})

/** The content of the message is lost, or cannot be worked with. */
export const unreadable = ({ id }: Pick<WaitingMessage, 'id'>): Conclusion => ({
  messageId: id,
  verdict: 'unreadable',
  detail: {},
  recipient: null,
  consequences: [],
  answer: null,
})

type Undecided = Omit<Conclusion, 'verdict'>

function concludeBounce(
  conclusion: Undecided,
  report: Extract<Report, { kind: 'bounce' }>,
  recipient: ReportedRecipientRow,
  { simulatorDomains }: ConclusionOptions,
): Conclusion {
  const { bounce, isOfAddress } = mostTellingBounce(report.recipients, recipient.address)
  const { isAddressFault, isSenderFault, ...reason } = bounce
  const isSimulated = simulatedOutcome(recipient.address, simulatorDomains) !== null
  const isOfItsOwn = isOfAddress && !isSimulated
  const counted = bounceCountedAs({ isSimulated, isAddressFault: isAddressFault && isOfAddress, text: reason.message })
  return {
    ...about({ ...conclusion, detail: { ...conclusion.detail, type: reason.type, sub_type: reason.subType } }, recipient),
    verdict: 'bounce',
    consequences: [
      {
        change: stateChange(recipient, 'bounced', { bounce: reason }, counted),
        suppression: isAddressFault && isOfItsOwn ? toSuppression(recipient, 'bounce') : null,
        // That the address does not exist holds whatever became of this mail. A repetition says nothing new.
        suppresses: 'once',
        isSoftBounce: isOfItsOwn && isSoftBounce({ ...reason, isSenderFault }),
      },
    ],
    answer: staysRead(recipient) ? conclusionDetail(recipient, 'bounce', { bounce: reason }) : null,
  }
}

function concludeComplaint(
  conclusion: Undecided,
  { feedbackType, userAgent }: Extract<Report, { kind: 'complaint' }>,
  recipients: ReportedRecipientRow[],
  { simulatorDomains }: ConclusionOptions,
): Conclusion {
  const complaint = { type: shownName(feedbackType), ...(userAgent !== null && { userAgent: shownName(userAgent) }) }
  const consequences = recipients.map((recipient): Consequence => {
    const isSimulated = simulatedOutcome(recipient.address, simulatorDomains) !== null
    return {
      change: stateChange(recipient, 'complained', { complaint }, isSimulated ? 'simulated' : null),
      suppression: isSimulated ? null : toSuppression(recipient, 'complaint'),
      // The owner of the address may have changed their mind since the first complaint.
      suppresses: 'withState',
    }
  })
  const [first] = recipients
  return { ...(first ? about(conclusion, first) : conclusion), verdict: 'complaint', consequences }
}

/** It changes nothing, and is shown in the timeline if its recipient is known. */
const answered = (conclusion: Undecided, verdict: Answer, recipient: ReportedRecipientRow | undefined): Conclusion =>
  recipient ? { ...about(conclusion, recipient), verdict, answer: conclusionDetail(recipient, verdict) } : { ...conclusion, verdict }

/** Such a recipient stays as it is. */
const staysRead = ({ state, isRead }: ReportedRecipientRow): boolean => isRead && (state === 'opened' || state === 'clicked')

type BounceReason = Omit<RecipientBounce, 'isAddressFault' | 'isSenderFault'>

type Answer = Exclude<InboundVerdict, 'complaint' | 'backscatter' | 'unmatched' | 'unreadable'>

const ANSWERS: Record<Answer, string> = {
  bounce: 'The mail was returned after it had been opened.',
  delay: 'A later server said that the mail is delayed.',
  success: 'A later server confirmed the delivery.',
  auto_reply: 'The recipient answered automatically.',
  challenge: "The recipient's server asked the sender for a confirmation.",
  other: 'A message came back that is neither a bounce nor a complaint.',
}

const conclusionDetail = (
  { teamId, emailId, address }: ReportedRecipientRow,
  kind: Answer,
  details: { bounce?: BounceReason } = {},
): Conclusion['answer'] => ({
  id: createId(),
  teamId,
  type: 'email.answered',
  subjectId: emailId,
  data: { to: [address], detail: { answer: { kind, message: ANSWERS[kind] }, ...details } },
})

const about = (conclusion: Undecided, { id, teamId, emailId }: ReportedRecipientRow): Undecided => ({
  ...conclusion,
  detail: { ...conclusion.detail, email_id: emailId },
  recipient: { teamId, recipientId: id },
})

const stateChange = (
  { id, teamId, emailId, address }: ReportedRecipientRow,
  to: 'bounced' | 'complained',
  detail: Record<string, unknown>,
  countedAs: CountedAs | null,
): Consequence['change'] => ({
  teamId,
  emailId,
  recipientId: id,
  to,
  notifications: [
    { id: createId(), teamId, type: `email.${to}`, subjectId: emailId, data: { to: [address], detail, ...(countedAs && { countedAs }) } },
  ],
})

const toSuppression = ({ teamId, emailId, address }: ReportedRecipientRow, origin: 'bounce' | 'complaint'): Consequence['suppression'] => ({
  teamId,
  email: address,
  origin,
  sourceId: emailId,
})

/** How many of the names in a report are shown, and how long each is. Operators find the mail by it. */
const NAMES_SHOWN_MAX = 3
const NAME_LENGTH_MAX = 320

function reportDetail(report: Report): Record<string, unknown> {
  const shown = (names: readonly string[]) => names.slice(0, NAMES_SHOWN_MAX).map(shownName)
  const { messageIds, envelopeRecipients } = report.original
  return {
    message_ids: shown(messageIds),
    recipients: shown(report.kind === 'bounce' ? report.recipients.flatMap(({ address }) => address ?? []) : envelopeRecipients),
    ...(report.kind === 'complaint' && {
      feedback_type: shownName(report.feedbackType),
      user_agent: report.userAgent === null ? null : shownName(report.userAgent),
    }),
  }
}

const shownName = (name: string): string => storable(name.slice(0, NAME_LENGTH_MAX))

const EXPIRED = `The mail was due more than ${REPORTS_TAKEN_DAYS} days ago.`

function backscatterReason({ purpose, recipientId }: WaitingMessage, isExpired: boolean): string {
  if (isExpired) return EXPIRED
  if (recipientId !== null) return 'The email of this return path has been removed.'
  return purpose === 'return_path' ? 'The return path is not one of ours.' : 'The returned mail has no return path of ours.'
}
