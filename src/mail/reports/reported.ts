import type { BounceReason } from '../bounces/bounce-reason.ts'
import type { ReportSender } from './report-sender.ts'

export type ReportedRecipient = {
  /** As the report writes it; null if it names none. */
  address: string | null
  /** Where it failed, if that is another mailbox: the mail was forwarded, or the recipient is a list. */
  forwardedTo?: string
  bounce: BounceReason
  enhancedCode: string | null
  code: number | null
  /** The codes as they came. */
  diagnosticCode: string[]
  message: string
}

/** What the returned headers name: the message, where its bounces go, and the addresses that it went to. */
export type Original = {
  messageIds: string[]
  returnPathAddresses: string[]
  /** Recipients of the envelope alone. With several recipients, `To` does not say which of them a report is about. */
  envelopeRecipients: string[]
  /** These, and those of `To` and `Cc`. */
  recipients: string[]
}

/** What the reporter itself says. The head of the reported mail was written by its sender, who may be anyone. */
export type SaidEnvelope = Pick<Original, 'returnPathAddresses' | 'envelopeRecipients'>

export type Report =
  | { kind: 'bounce'; recipients: ReportedRecipient[]; original: Original }
  | { kind: 'complaint'; feedbackType: string; original: Original; envelope: SaidEnvelope; userAgent: string | null; sender: ReportSender }
  | { kind: 'delay' | 'success' | 'auto_reply' | 'challenge' | 'other'; original: Original }
