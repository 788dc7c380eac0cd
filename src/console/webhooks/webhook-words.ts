// How a webhook and its events stand, in words with a color.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { WebhookEventRow } from '../../modules/webhooks/events/webhook-events.repository.ts'
import type { WebhookAttemptOutcome, WebhookEventStatus } from '../../modules/webhooks/events/webhook-events.schema.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'

export const ADDRESS = '/console/webhooks'

export const webhookAddress = ({ id }: Pick<WebhookRow, 'id'>): string => `${ADDRESS}/${id}`

/** What a webhook is called: where its events go. */
export const webhookName = ({ endpoint }: Pick<WebhookRow, 'endpoint'>): string => endpoint ?? 'Feed only'

/** The colors are those of states of emails. */
export function webhookMark({ status, disabledReason, failingSince }: WebhookRow): SafeHtml {
  if (status === 'disabled') return disabledReason === null ? mark('canceled', 'disabled') : mark('failed', 'disabled by the service')
  return failingSince === null ? mark('delivered', 'enabled') : mark('delayed', 'failing')
}

/** A webhook without an endpoint accepts events as soon as they can be read. */
export const eventMark = ({ status }: Pick<WebhookEventRow, 'status'>, { endpoint }: Pick<WebhookRow, 'endpoint'>): SafeHtml =>
  mark(COLORS[status], status === 'success' && endpoint === null ? 'in the feed' : STATUS_WORDS[status])

export const STATUS_WORDS: Record<WebhookEventStatus, string> = {
  success: 'accepted',
  pending: 'waiting',
  attempting: 'being sent',
  failed: 'given up',
}

const COLORS: Record<WebhookEventStatus, string> = { success: 'delivered', pending: 'pending', attempting: 'sent', failed: 'failed' }

export const outcomeMark = (outcome: WebhookAttemptOutcome | null): SafeHtml => {
  if (outcome === 'success') return mark('delivered', 'accepted')
  if (outcome === 'failure') return mark('failed', 'failed')
  return outcome === null ? mark('sent', 'running') : mark('unknown', 'unknown: the process that sent it died')
}

const mark = (color: string, words: string): SafeHtml => html`<span class="state ${color}">${words}</span>`
