// One attempt to send a message of a webhook: signed when it is sent, so that its time is within the tolerance of those who verify it.

import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { CLAIMS_MAX, isGivenUp } from '../../../lib/limits/claims.ts'
import type { OpenSpan, SpanEnd, Tracing } from '../../../lib/tracing.ts'
import { webhookEventId } from '../events/webhook-events.schema.ts'
import type { WebhookContent } from '../payloads/webhook-contents.repository.ts'
import { payloadText, toWebhookPayload } from '../payloads/webhook-payloads.ts'
import { signedHeaders } from '../webhook-secrets.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import { ATTEMPTS_MAX, nextAttemptAt } from './retry-schedule.ts'
import type { ClaimedMessage, MessageOutcome } from './webhook-deliveries.repository.ts'
import type { WebhookAnswer } from './webhook-requests.client.ts'

type Context = PlatformContext & WebhooksContext

// What an answer means for a message: a pure judgement.

const GONE = 410
/** A server that says when it wants to be asked again is believed. */
const STATUSES_THAT_ASK = [429, 503]

export const GONE_REASON = 'The endpoint answered 410 Gone.'
export const NOT_ENABLED = 'The webhook was disabled or deleted before this was sent.'

type Ended = Exclude<WebhookAnswer, { kind: 'stopped' }>

/** How long the endpoint wants to be left alone; null if it did not say so. */
export const requestedRetryAfterMs = (answer: Ended): number | null =>
  answer.kind === 'answered' && STATUSES_THAT_ASK.includes(answer.status) ? answer.retryAfterMs : null

/** An attempt that has ended. A request that was stopped has no verdict. */
export function toOutcome(
  message: ClaimedMessage,
  answer: Ended,
  { durationMs, now, random }: { durationMs: number; now: Date; random: () => number },
): MessageOutcome {
  const status = answer.kind === 'answered' ? answer.status : null
  const error = answer.error ?? (status === null ? null : describeRefusal(status))
  const reported = {
    ...toAttempt(message, durationMs),
    httpStatus: status,
    response: answer.kind === 'answered' ? answer.text : null,
    // A sample or a replay may fail for reasons of its own. Five days of nothing but failures are those of events.
    concernsEndpoint: error === null || !message.isSingle,
  }
  if (error === null) return { ...reported, outcome: 'success', error, retryAt: null, reason: null }
  const failed = { failures: message.failures + 1, retryAfterMs: requestedRetryAfterMs(answer) }
  const retryAt = message.isSingle || status === GONE ? null : nextAttemptAt(failed, { now, random })
  return { ...reported, outcome: 'failure', error, retryAt, reason: retryAt === null ? givingUpReason(message, status) : null }
}

/** A message that cannot be sent, for a reason of our own. */
export const unsendable = (message: ClaimedMessage, reason: string): MessageOutcome => ({
  ...toAttempt(message, 0),
  outcome: 'failure',
  httpStatus: null,
  response: null,
  error: reason,
  retryAt: null,
  reason,
  concernsEndpoint: false,
})

export const isGone = ({ httpStatus }: MessageOutcome): boolean => httpStatus === GONE

const toAttempt = ({ seq, webhookId, messageId, attemptId, endpoint }: ClaimedMessage, durationMs: number) => ({
  ...{ seq, webhookId, messageId, attemptId, endpoint },
  durationMs: Math.round(durationMs),
})

/** Null for a success. */
function describeRefusal(status: number): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return `The endpoint redirects (status ${status}). Redirects are not followed.`
  return `The endpoint answered with status ${status}.`
}

function givingUpReason({ isSingle }: ClaimedMessage, status: number | null): string {
  if (status === GONE) return GONE_REASON
  return isSingle
    ? 'The endpoint did not accept it. A test, and an event that is replayed alone, are not retried.'
    : `The endpoint did not accept it in ${ATTEMPTS_MAX} attempts.`
}

/** `retryAfterMs`: how long the endpoint asked to be left alone; null if it did not. */
export type EndedAttempt = { outcome: MessageOutcome; isTimeout: boolean; retryAfterMs: number | null }

type Dependencies = Pick<Context, 'gateways' | 'webhookSecrets' | 'clock' | 'log' | 'metrics' | 'tracing'>

/** Null if it was stopped, or may not be sent because the lease was lost: another worker does it then. */
export async function attempt(
  context: Dependencies,
  message: ClaimedMessage,
  { content, lease, signal }: { content: WebhookContent | undefined; lease: Lease; signal: AbortSignal },
): Promise<EndedAttempt | null> {
  const { gateways, clock, log, metrics, tracing } = context
  const prepared = prepare(context, message, content)
  if ('problem' in prepared) return { outcome: unsendable(message, prepared.problem), isTimeout: false, retryAfterMs: null }
  if (!lease.isHeld()) return null
  const startedAtMs = clock.monotonicMs()
  const { webhookId, endpoint } = message
  const span = tracing && beginSpan(tracing, message, content)
  const headers = { ...prepared.headers, ...(span && { traceparent: span.traceparent }) }
  const answer = await gateways.webhookRequests.send({ webhookId, endpoint, headers, body: prepared.body, signal })
  span?.end(endOfSpan(answer))
  if (answer.kind === 'stopped') return null
  const durationMs = clock.monotonicMs() - startedAtMs
  const outcome = toOutcome(message, answer, { durationMs, now: clock.now(), random: Math.random })
  const { isTimeout } = answer
  metrics.webhookAttempts.inc({ outcome: outcomeLabel(outcome, { isTimeout }) })
  metrics.webhookAttemptSeconds.observe(durationMs / 1_000)
  const { messageId, teamId } = message
  log.info(
    {
      ...{ webhookId, messageId, teamId, attempt: message.failures + 1, outcome: outcome.outcome },
      ...{ status: outcome.httpStatus, reason: outcome.error, durationMs: outcome.durationMs },
    },
    'webhook attempted',
  )
  return { outcome, isTimeout, retryAfterMs: requestedRetryAfterMs(answer) }
}

/** The address is left out but for its host: it may be a secret. */
function beginSpan(tracing: Tracing, message: ClaimedMessage, content: WebhookContent | undefined): OpenSpan {
  const { webhookId, messageId, teamId, endpoint, failures } = message
  const host = URL.parse(endpoint)?.hostname
  return tracing.begin('POST', {
    kind: 'client',
    traceparent: content?.email?.traceparent ?? null,
    attributes: {
      'http.request.method': 'POST',
      ...(host !== undefined && { 'server.address': host }),
      ...(content && { 'posthaste.event': content.type }),
      'posthaste.webhook.id': webhookId,
      'posthaste.message.id': messageId,
      'posthaste.team.id': teamId,
      'posthaste.attempt': failures + 1,
    },
  })
}

function endOfSpan(answer: WebhookAnswer): SpanEnd {
  if (answer.kind === 'answered')
    return { isError: answer.error !== null || answer.status >= 400, attributes: { 'http.response.status_code': answer.status } }
  return { isError: true, attributes: { 'error.type': answer.kind === 'unanswered' && answer.isTimeout ? 'timeout' : answer.kind } }
}

type Prepared = { headers: Record<string, string>; body: string } | { problem: string }

function prepare({ webhookSecrets, clock }: Dependencies, message: ClaimedMessage, content: WebhookContent | undefined): Prepared {
  const { webhookId, messageId } = message
  if (isGivenUp(message)) return { problem: `The service ended ${CLAIMS_MAX} times while it was sending this event.` }
  const payload = content && toWebhookPayload(content)
  if (!payload) return { problem: 'The data of the event is no longer kept.' }
  const { current, old } = message.secrets
  const now = clock.now()
  const sealed = old && old.until > now ? [current, old] : [current]
  const secrets = sealed.flatMap((secret) => webhookSecrets.open(webhookId, secret) ?? [])
  if (secrets.length === 0) return { problem: 'The secret of the webhook cannot be opened.' }
  const body = payloadText(payload)
  const id = webhookEventId(messageId)
  return { headers: signedHeaders(secrets, { id, seconds: Math.floor(now.getTime() / 1_000), body }), body }
}

function outcomeLabel({ outcome, httpStatus }: MessageOutcome, { isTimeout }: { isTimeout: boolean }): string {
  if (outcome === 'success') return 'success'
  if (isTimeout) return 'timeout'
  return httpStatus === null ? 'unreachable' : 'refused'
}
