import { faultTexts, spamTrapPhrases } from './phrase-files.ts'
import { ANSWER_LENGTH_MAX, type Answer, type Fault, faultOfText, holdsAny, plainWords } from './phrases.ts'

// What codes say about a refusal, where they can be relied on. Whether a refusal is final is judged elsewhere.

/** By subject and detail (RFC 3463, the registry of RFC 5248, and Microsoft 365). Null if the words may say more. */
export const faultOfEnhancedCode = (enhancedCode: string | null): Fault | null =>
  BY_DETAIL[enhancedCode?.slice(enhancedCode.indexOf('.') + 1) ?? ''] ?? null

/** What is left to say if the words of the answer said nothing. */
export const faultOfSubject = (enhancedCode: string | null): Fault | null => BY_SUBJECT[enhancedCode?.split('.')[1] ?? ''] ?? null

/** The sender's address or its domain, and its authentication (RFC 3463, 7372, 7505, and the codes that Gmail added). */
export const isAboutSender = (enhancedCode: string | null): boolean =>
  SENDER_DETAILS.has(enhancedCode?.slice(enhancedCode.indexOf('.') + 1) ?? '')

const SENDER_DETAILS = new Set(['1.7', '1.8', '7.20', '7.21', '7.22', '7.23', '7.24', '7.25', '7.26', '7.27', '7.30', '7.32', '7.509'])

export const faultOfSmtpCode = (code: number): Fault => BY_SMTP_CODE[code] ?? (code >= 400 && code < 500 ? 'system' : 'unclear')

const BY_DETAIL: Readonly<Record<string, Fault>> = {
  '1.1': 'address',
  '1.2': 'address',
  '1.3': 'address',
  // Several mailboxes fit.
  '1.4': 'route',
  '1.6': 'address',
  // The address of the sender.
  '1.7': 'policy',
  '1.8': 'policy',
  '1.9': 'route',
  // The domain accepts no mail (RFC 7505).
  '1.10': 'address',
  '1.90': 'policy',
  '1.351': 'address',
  // The mailbox is disabled.
  '2.1': 'address',
  '2.2': 'full',
  '2.3': 'size',
  '2.4': 'route',
  '2.121': 'system',
  '2.122': 'system',
  '3.1': 'full',
  '3.2': 'system',
  '3.4': 'size',
  '4.1': 'system',
  '4.2': 'system',
  '4.3': 'system',
  '4.5': 'system',
  '4.7': 'system',
  '4.300': 'system',
  '4.310': 'address',
  '4.312': 'system',
  '4.316': 'system',
  '4.317': 'system',
  // Too many recipients.
  '5.3': 'system',
  // The mailbox or its domain has another owner than the sender knew (RFC 7293).
  '7.17': 'address',
  '7.18': 'address',
}

const BY_SUBJECT: Readonly<Record<string, Fault>> = { 3: 'system', 4: 'route', 6: 'content', 7: 'policy' }

const BY_SMTP_CODE: Readonly<Record<number, Fault>> = {
  // The host accepts no mail at all (RFC 7504), or the mailbox has moved for good.
  521: 'address',
  551: 'address',
  552: 'full',
  556: 'address',
}

export type BounceType = 'Permanent' | 'Transient' | 'Undetermined'

export type BounceSubType =
  | 'General'
  | 'NoEmail'
  | 'MailboxFull'
  | 'MessageTooLarge'
  | 'ContentRejected'
  | 'AttachmentRejected'
  | 'Undetermined'

export type BounceReason = {
  type: BounceType
  subType: BounceSubType
  /** The address does not exist: it is suppressed. */
  isAddressFault: boolean
  /** The sender, its address, its reputation or its rate was refused, which says nothing about the recipient. */
  isSenderFault: boolean
}

/** Why a message was refused, in the words that bounce notifications use. */
export function classifyBounce(answer: Answer): BounceReason {
  const fault = classifyFault(answer)
  return isTemporary(answer, fault) ? REASONS[fault].forNow : REASONS[fault].forGood
}

/** Texts that leave no doubt come before the codes, because servers answer `5.1.1` to spam and `5.7.1` to users that they do not know. */
export function classifyFault({ code, enhancedCode, text }: Answer): Fault {
  const { beforeCodes, afterCodes } = faultTexts()
  const said = faultOfText(beforeCodes, text)
  // `5.1.7 User unknown` is about the sender's address: only a code tells it from the recipient's.
  if (said === 'address' && isAboutSender(enhancedCode)) return 'policy'
  const fault =
    said ?? faultOfEnhancedCode(enhancedCode) ?? faultOfText(afterCodes, text) ?? faultOfSubject(enhancedCode) ?? faultOfSmtpCode(code)
  // A policy that asks for patience, such as `450 4.7.1 Try again later`, is about who sends.
  return fault === 'system' && faultOfSubject(enhancedCode) === 'policy' ? 'rate' : fault
}

/** Whether a server says that the address, or the mail before, went to a spam trap: an address that no one has given to a sender. */
export const namesSpamTrap = (text: string): boolean => holdsAny(plainWords(text.slice(0, ANSWER_LENGTH_MAX)), spamTrapPhrases())

/**
 * The code of the protocol decides. Some servers send `550 4.1.1`, and mean the first. `4.0.0` alone does not mean that an address fault is
 * temporary: Gmail reports a domain that does not exist that way.
 */
function isTemporary({ code, enhancedCode }: Answer, fault: Fault): boolean {
  if (code !== 0) return code < 500
  return enhancedCode?.startsWith('4.') === true && !(enhancedCode === '4.0.0' && fault === 'address')
}

const reason = (
  type: BounceType,
  subType: BounceSubType,
  { isAddressFault = false, isSenderFault = false }: Partial<BounceReason> = {},
): BounceReason => ({ type, subType, isAddressFault, isSenderFault })

/** About us: it says nothing about the address. */
const DELAY_OF_SENDER = reason('Transient', 'General', { isSenderFault: true })
const DELAY = reason('Transient', 'General')
const FULL = reason('Transient', 'MailboxFull')
const TOO_LARGE = reason('Transient', 'MessageTooLarge')

/** What a fault means when the server may be asked again, and when its answer is final. */
const REASONS: Record<Fault, { forNow: BounceReason; forGood: BounceReason }> = {
  address: { forNow: DELAY, forGood: reason('Permanent', 'General', { isAddressFault: true }) },
  route: { forNow: DELAY, forGood: reason('Permanent', 'General') },
  // About us. `General` would read as if the address were at fault.
  policy: {
    forNow: DELAY_OF_SENDER,
    forGood: reason('Permanent', 'ContentRejected', { isSenderFault: true }),
  },
  rate: { forNow: DELAY_OF_SENDER, forGood: DELAY_OF_SENDER },
  content: { forNow: reason('Transient', 'ContentRejected'), forGood: reason('Permanent', 'ContentRejected') },
  attachment: { forNow: reason('Transient', 'AttachmentRejected'), forGood: reason('Permanent', 'AttachmentRejected') },
  full: { forNow: FULL, forGood: FULL },
  size: { forNow: TOO_LARGE, forGood: TOO_LARGE },
  system: { forNow: DELAY, forGood: DELAY },
  unclear: { forNow: DELAY, forGood: reason('Undetermined', 'Undetermined') },
}
