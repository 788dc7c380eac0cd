import { type BounceReason, bounceReasonOf } from '../bounces/bounce-reason.ts'
import type { ReportedRecipient } from './reported.ts'

type Found = Omit<ReportedRecipient, 'bounce'>

export function reportedRecipient({ message, ...found }: Found): ReportedRecipient {
  const bounce = bounceReasonOf({ code: found.code ?? 0, enhancedCode: found.enhancedCode, text: message })
  return {
    ...found,
    bounce: found.address === null ? withoutAddress(bounce) : bounce,
    message: message.replace(/\s+/g, ' ').slice(0, MESSAGE_LENGTH_MAX).toWellFormed().trim(),
  }
}

/** What is wrong is known, but not with which address. */
const withoutAddress = (bounce: BounceReason): BounceReason =>
  bounce.type === 'Permanent' && bounce.subType === 'General' ? { ...bounce, subType: 'NoEmail' } : bounce

const MESSAGE_LENGTH_MAX = 1024
