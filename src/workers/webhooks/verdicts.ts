// What an answer means for a message: a pure judgement.
import type { WebhookAnswer } from '../../gateways/web/webhook-requests.ts'
import { ATTEMPTS_MAX, nextTryAt } from '../../lib/webhooks/ladder.ts'
import type { ClaimedMessage, MessageOutcome } from '../../repositories/webhooks/webhook-deliveries.ts'

const GONE = 410
/** A server that says when it wants to be asked again is believed. */
const STATUSES_THAT_ASK = [429, 503]

export const GONE_REASON = 'The endpoint answered 410 Gone.'
export const NOT_ENABLED = 'The webhook was disabled or deleted before this was sent.'

type Ended = Exclude<WebhookAnswer, { kind: 'stopped' }>

/** How long the endpoint wants to be left alone; null if it did not say so. */
export const askedMsOf = (answer: Ended): number | null =>
  answer.kind === 'answered' && STATUSES_THAT_ASK.includes(answer.status) ? answer.retryAfterMs : null

/** An attempt that has ended. A request that was stopped has no verdict. */
export function verdictOf(
  message: ClaimedMessage,
  answer: Ended,
  { durationMs, now, random }: { durationMs: number; now: Date; random: () => number },
): MessageOutcome {
  const status = answer.kind === 'answered' ? answer.status : null
  const error = answer.error ?? (status === null ? null : refusalOf(status))
  const reported = {
    ...attemptOf(message, durationMs),
    httpStatus: status,
    response: answer.kind === 'answered' ? answer.text : null,
    // A sample or a replay may fail for reasons of its own. Five days of nothing but failures are those of events.
    concernsEndpoint: error === null || !message.isSingle,
  }
  if (error === null) return { ...reported, outcome: 'success', error, retryAt: null, reason: null }
  const failed = { failures: message.failures + 1, askedMs: askedMsOf(answer) }
  const retryAt = message.isSingle || status === GONE ? null : nextTryAt(failed, { now, random })
  return { ...reported, outcome: 'failure', error, retryAt, reason: retryAt === null ? reasonOf(message, status) : null }
}

/** A message that cannot be sent, for a reason of our own. */
export const unsendable = (message: ClaimedMessage, reason: string): MessageOutcome => ({
  ...attemptOf(message, 0),
  outcome: 'failure',
  httpStatus: null,
  response: null,
  error: reason,
  retryAt: null,
  reason,
  concernsEndpoint: false,
})

export const isGone = ({ httpStatus }: MessageOutcome): boolean => httpStatus === GONE

const attemptOf = ({ seq, webhookId, messageId, attemptId, endpoint }: ClaimedMessage, durationMs: number) => ({
  ...{ seq, webhookId, messageId, attemptId, endpoint },
  durationMs: Math.round(durationMs),
})

/** Null for a success. */
function refusalOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `The endpoint redirects (status ${status}). Redirects are not followed.`
  return `The endpoint answered with status ${status}.`
}

function reasonOf({ isSingle }: ClaimedMessage, status: number | null): string {
  if (status === GONE) return GONE_REASON
  return isSingle
    ? 'The endpoint did not accept it. It was to be tried only once.'
    : `The endpoint did not accept it in ${ATTEMPTS_MAX} attempts.`
}
