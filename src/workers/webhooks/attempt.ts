// One attempt to send a message of a webhook: signed when it is sent, so that its time is within the tolerance of those who verify it.
import type { Context } from '../../context.ts'
import type { WebhookAnswer } from '../../gateways/web/webhook-requests.ts'
import { signedHeaders } from '../../lib/signing/webhook-secrets.ts'
import type { OpenSpan, SpanEnd, Tracing } from '../../lib/tracing.ts'
import { CLAIMS_MAX } from '../../lib/webhooks/ladder.ts'
import { payloadText } from '../../lib/webhooks/payload-text.ts'
import type { WebhookContent } from '../../repositories/webhooks/webhook-contents.ts'
import type { ClaimedMessage, MessageOutcome } from '../../repositories/webhooks/webhook-deliveries.ts'
import { toWebhookPayload } from '../../serializers/webhook-payloads.ts'
import { webhookEventId } from '../../serializers/webhooks.ts'
import type { Lease } from '../engine/lease.ts'
import { askedMsOf, unsendable, verdictOf } from './verdicts.ts'

/** `askedMs`: how long the endpoint asked to be left alone; null if it did not. */
export type EndedAttempt = { outcome: MessageOutcome; isTimeout: boolean; askedMs: number | null }

type Dependencies = Pick<Context, 'gateways' | 'webhookSecrets' | 'clock' | 'log' | 'metrics' | 'tracing'>

/** Null if it was stopped, or may not be sent because the lease was lost: another worker does it then. */
export async function attempt(
  context: Dependencies,
  message: ClaimedMessage,
  { content, lease, signal }: { content: WebhookContent | undefined; lease: Lease; signal: AbortSignal },
): Promise<EndedAttempt | null> {
  const { gateways, clock, log, metrics, tracing } = context
  const prepared = prepare(context, message, content)
  if ('problem' in prepared) return { outcome: unsendable(message, prepared.problem), isTimeout: false, askedMs: null }
  if (!lease.isHeld()) return null
  const startedAtMs = clock.monotonicMs()
  const { webhookId, endpoint } = message
  const span = tracing && beginSpan(tracing, message, content)
  const headers = { ...prepared.headers, ...(span && { traceparent: span.traceparent }) }
  const answer = await gateways.webhookRequests.send({ webhookId, endpoint, headers, body: prepared.body, signal })
  span?.end(endOfSpan(answer))
  if (answer.kind === 'stopped') return null
  const durationMs = clock.monotonicMs() - startedAtMs
  const outcome = verdictOf(message, answer, { durationMs, now: clock.now(), random: Math.random })
  const { isTimeout } = answer
  metrics.webhookAttempts.inc({ outcome: labelOf(outcome, { isTimeout }) })
  metrics.webhookAttemptSeconds.observe(durationMs / 1_000)
  const { messageId, teamId } = message
  log.info(
    {
      ...{ webhookId, messageId, teamId, attempt: message.failures + 1, outcome: outcome.outcome },
      ...{ status: outcome.httpStatus, reason: outcome.error, durationMs: outcome.durationMs },
    },
    'webhook attempted',
  )
  return { outcome, isTimeout, askedMs: askedMsOf(answer) }
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
  const { webhookId, messageId, claims } = message
  if (claims > CLAIMS_MAX) return { problem: `The service ended ${CLAIMS_MAX} times while it was sending this event.` }
  const payload = content && toWebhookPayload(content)
  if (!payload) return { problem: 'What happened is no longer kept.' }
  const { current, old } = message.secrets
  const now = clock.now()
  const sealed = old && old.until > now ? [current, old] : [current]
  const secrets = sealed.flatMap((secret) => webhookSecrets.open(webhookId, secret) ?? [])
  if (secrets.length === 0) return { problem: 'The secret of the webhook cannot be opened.' }
  const body = payloadText(payload)
  const id = webhookEventId(messageId)
  return { headers: signedHeaders(secrets, { id, seconds: Math.floor(now.getTime() / 1_000), body }), body }
}

function labelOf({ outcome, httpStatus }: MessageOutcome, { isTimeout }: { isTimeout: boolean }): string {
  if (outcome === 'success') return 'success'
  if (isTimeout) return 'timeout'
  return httpStatus === null ? 'unreachable' : 'refused'
}
