// How broadcasts and what became of their recipients are called.
import type { BroadcastSummaryRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import type { RecipientType } from '../../modules/broadcasts/recipients/broadcast-recipients.schema.ts'

export const ADDRESS = '/console/broadcasts'

export const broadcastAddress = ({ id }: Pick<BroadcastSummaryRow, 'id'>): string => `${ADDRESS}/${id}`

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
