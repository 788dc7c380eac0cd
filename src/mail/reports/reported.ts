import type { BounceReason } from '../bounces/bounce-reason.ts'

export type ReportedRecipient = {
  /** As the report writes it; null if it names none. */
  address: string | null
  bounce: BounceReason
  enhancedCode: string | null
  code: number | null
  /** As it came. */
  diagnosticCode: string[]
  message: string
}

/** What the returned headers name: the message, where its bounces go, and to whom it went. */
export type Original = { messageIds: string[]; returnPathAddresses: string[]; recipients: string[] }

export type Report =
  | { kind: 'bounce'; recipients: ReportedRecipient[]; original: Original }
  | { kind: 'complaint'; feedbackType: string; original: Original; userAgent: string | null }
  | { kind: 'delay' | 'success' | 'auto_reply' | 'challenge' | 'other'; original: Original }
