import { bounceReasonOf } from '../bounces/bounce-reason.ts'
import type { ReportedRecipient } from './reported.ts'

type Found = Omit<ReportedRecipient, 'bounce'>

export function reportedRecipient({ message, ...found }: Found): ReportedRecipient {
  return {
    ...found,
    bounce: bounceReasonOf({ code: found.code ?? 0, enhancedCode: found.enhancedCode, text: message }),
    message: message.replace(/\s+/g, ' ').slice(0, MESSAGE_LENGTH_MAX).toWellFormed().trim(),
  }
}

const MESSAGE_LENGTH_MAX = 1024
