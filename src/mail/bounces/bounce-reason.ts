import { faultOfEnhancedCode, faultOfSmtpCode, faultOfSubject, isAboutSender } from './codes.ts'
import type { Answer, Fault } from './fault.ts'
import { AFTER_CODES, BEFORE_CODES } from './fault-texts.ts'
import { faultOfText } from './phrases.ts'

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
}

/** Why a message was refused, in the words that bounce notifications use. */
export function bounceReasonOf(answer: Answer): BounceReason {
  const fault = faultOf(answer)
  return isTemporary(answer, fault) ? REASONS[fault].forNow : REASONS[fault].forGood
}

/** Texts that leave no doubt come before the codes, because servers answer `5.1.1` to spam and `5.7.1` to users that they do not know. */
function faultOf({ code, enhancedCode, text }: Answer): Fault {
  const said = faultOfText(BEFORE_CODES, text)
  // `5.1.7 User unknown` is about the sender's address: only a code tells it from the recipient's.
  if (said === 'address' && isAboutSender(enhancedCode)) return 'policy'
  return (
    said ?? faultOfEnhancedCode(enhancedCode) ?? faultOfText(AFTER_CODES, text) ?? faultOfSubject(enhancedCode) ?? faultOfSmtpCode(code)
  )
}

/**
 * The code of the protocol decides. Some servers send `550 4.1.1`, and mean the first. `4.0.0` alone does not mean that an address fault is
 * temporary: Gmail reports a domain that does not exist that way.
 */
function isTemporary({ code, enhancedCode }: Answer, fault: Fault): boolean {
  if (code !== 0) return code < 500
  return enhancedCode?.startsWith('4.') === true && !(enhancedCode === '4.0.0' && fault === 'address')
}

const reason = (type: BounceType, subType: BounceSubType, isAddressFault = false): BounceReason => ({ type, subType, isAddressFault })

const DELAY = reason('Transient', 'General')
const FULL = reason('Transient', 'MailboxFull')
const TOO_LARGE = reason('Transient', 'MessageTooLarge')

/** What a fault means when the server may be asked again, and when its answer is final. */
const REASONS: Record<Fault, { forNow: BounceReason; forGood: BounceReason }> = {
  address: { forNow: DELAY, forGood: reason('Permanent', 'General', true) },
  route: { forNow: DELAY, forGood: reason('Permanent', 'General') },
  // About us. `General` would read as if the address were at fault.
  policy: { forNow: DELAY, forGood: reason('Permanent', 'ContentRejected') },
  content: { forNow: reason('Transient', 'ContentRejected'), forGood: reason('Permanent', 'ContentRejected') },
  attachment: { forNow: reason('Transient', 'AttachmentRejected'), forGood: reason('Permanent', 'AttachmentRejected') },
  full: { forNow: FULL, forGood: FULL },
  size: { forNow: TOO_LARGE, forGood: TOO_LARGE },
  system: { forNow: DELAY, forGood: DELAY },
  unclear: { forNow: DELAY, forGood: reason('Undetermined', 'Undetermined') },
}
