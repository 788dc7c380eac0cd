import { bounceReasonOf } from '../bounces/bounce-reason.ts'
import type { ReportedRecipient } from './reported.ts'

type Found = Omit<ReportedRecipient, 'bounce'>

export function reportedRecipient({ message, ...found }: Found): ReportedRecipient {
  return {
    ...found,
    bounce: bounceReasonOf({ code: found.code ?? 0, enhancedCode: found.enhancedCode, text: message }),
    message: shortened(message.replace(/\s+/g, ' ').trim(), MESSAGE_LENGTH_MAX),
  }
}

/** At most so many characters of what a server said. If that is not all of it, it ends with a sign. */
export const shortened = (text: string, lengthMax: number): string =>
  text.length <= lengthMax
    ? text.toWellFormed()
    : `${text
        .slice(0, lengthMax - 1)
        .replace(HALF_AT_END, '')
        .toWellFormed()
        .trimEnd()}…`

/** The first half of a pair of units that make one character. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

const MESSAGE_LENGTH_MAX = 1024
