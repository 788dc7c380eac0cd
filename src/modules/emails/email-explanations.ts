// What went wrong with an email, for its attempts and its events: in words that need no knowledge of SMTP.
import { isRecord } from '../../lib/validation/field-tree.ts'
import { type Explained, explainBounce, explainDelay } from '../../mail/bounces/explanations.ts'
import type { Answer } from '../../mail/bounces/phrases.ts'

type Attempted = { outcome: string | null; code: number | null; enhancedCode: string | null; text: string | null }

/** Null unless the attempt failed. */
export function explainAttempt({ outcome, code, enhancedCode, text }: Attempted): Explained | null {
  const answer = { code: code ?? 0, enhancedCode, text: text ?? '' }
  if (outcome === 'delayed') return explainDelay(answer)
  return outcome === 'bounced' || outcome === 'failed' ? explainBounce(answer) : null
}

/** Null if nothing went wrong, and for `email.failed`, whose reason is a sentence already. */
export function explainEvent(type: string, detail: Readonly<Record<string, unknown>> | null): Explained | null {
  if (type === 'email.complained') return COMPLAINT
  if (detail === null) return null
  if (type === 'email.delivery_delayed') return explainDelay(answerIn(detail))
  if (type === 'email.bounced' && isRecord(detail.bounce)) return explainBounce(diagnosed(detail.bounce))
  if (type === 'email.suppressed' && isRecord(detail.suppressed)) return SUPPRESSIONS[textOf(detail.suppressed.reason)] ?? null
  return null
}

/** The fields of what needs no explanation. */
export const UNEXPLAINED = { explanation: null, advice: null }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const answerIn = ({ code, enhanced_code: enhancedCode, message }: Readonly<Record<string, unknown>>): Answer => ({
  code: typeof code === 'number' ? code : 0,
  enhancedCode: typeof enhancedCode === 'string' ? enhancedCode : null,
  text: textOf(message),
})

const CODES = /^[a-z]{1,10}; (?:(\d{3})(?: |$))?(?:(\d\.\d{1,3}\.\d{1,3})(?: |$))?/i

/** The codes stand before the words in `diagnosticCode`, such as `smtp; 550 5.1.1 No such user`. */
function diagnosed({ diagnosticCode, message }: Record<string, unknown>): Answer {
  const [first] = Array.isArray(diagnosticCode) ? diagnosticCode : []
  const [, code, enhancedCode = null] = CODES.exec(textOf(first)) ?? []
  return { code: Number(code ?? 0), enhancedCode, text: textOf(message) }
}

const COMPLAINT: Explained = {
  explanation: 'The recipient reported the email as spam. The address is suppressed, so no mail is sent to it anymore.',
  advice: 'Do not send to this person again unless they ask for it. If it happens often, ask for consent before you send.',
}

const SUPPRESSIONS: Partial<Record<string, Explained>> = {
  previous_bounce: {
    explanation: 'Nothing was sent, because an earlier email to the address bounced.',
    advice: 'Ask the person for another address. Remove the suppression only if you know that the mailbox exists now.',
  },
  previous_complaint: {
    explanation: 'Nothing was sent, because an earlier email to the address was reported as spam.',
    advice: 'Do not send to this person again unless they ask for it.',
  },
  manual: {
    explanation: 'Nothing was sent, because your team put the address on the suppression list.',
    advice: 'Remove the suppression if the reason for it is gone.',
  },
}
