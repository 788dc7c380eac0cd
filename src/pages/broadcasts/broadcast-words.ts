// How a broadcast stands, in words with a color.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { BroadcastStatus } from '../../lib/broadcast-states.ts'
import type { BroadcastSummaryRow } from '../../repositories/broadcasts/broadcasts.ts'
import type { RecipientType } from '../../schemas/broadcast-recipients.ts'

export const ADDRESS = '/console/broadcasts'

export const broadcastAddress = ({ id }: Pick<BroadcastSummaryRow, 'id'>): string => `${ADDRESS}/${id}`

/** The colors are those of states of emails. */
export const broadcastMark = ({ status, statusReason }: Pick<BroadcastSummaryRow, 'status' | 'statusReason'>): SafeHtml =>
  status === 'queued' && statusReason !== null
    ? html`<span class="state delayed">waiting</span>`
    : html`<span class="state ${COLORS[status]}">${WORDS[status]}</span>`

const WORDS: Record<BroadcastStatus, string> = {
  draft: 'draft',
  scheduled: 'scheduled',
  queued: 'being sent',
  paused: 'paused',
  sent: 'sent',
  canceled: 'canceled',
}

const COLORS: Record<BroadcastStatus, string> = {
  draft: 'pending',
  scheduled: 'scheduled',
  queued: 'sent',
  paused: 'delayed',
  sent: 'delivered',
  canceled: 'canceled',
}

/** To whom something happened, as the funnel and the lists say it. */
export const RECIPIENT_WORDS: Record<RecipientType, string> = {
  sent: 'Sent',
  delivered: 'Delivered',
  opened: 'Opened',
  clicked: 'Clicked',
  unsubscribed: 'Unsubscribed',
  bounced: 'Bounced',
  complained: 'Complained',
  suppressed: 'Suppressed',
  failed: 'Failed',
  canceled: 'Canceled',
}
