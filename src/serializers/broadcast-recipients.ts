import type { Static } from '@sinclair/typebox'
import { shortId } from '../lib/short-ids.ts'
import type { BroadcastRecipientRow, ClickedLinkRow } from '../repositories/broadcasts/broadcast-recipients.ts'
import type { BroadcastRecipient, ClickedLink, RecipientType } from '../schemas/broadcast-recipients.ts'

export const toBroadcastRecipient =
  (type: RecipientType) =>
  ({ id, contactId, email, count, bounceType, links }: BroadcastRecipientRow): BroadcastRecipient => ({
    id: shortId(id),
    contact_id: contactId,
    email,
    ...((type === 'opened' || type === 'clicked') && { count }),
    ...(type === 'bounced' && { bounce_type: bounceTypeOf(bounceType) }),
    ...(type === 'clicked' && { clicked_links: links }),
  })

export const toClickedLink = ({ id, url, clicks, uniqueClicks }: ClickedLinkRow): Static<typeof ClickedLink> => ({
  id: shortId(id),
  url,
  clicks,
  unique_clicks: uniqueClicks,
})

const bounceTypeOf = (stored: string | null): 'permanent' | 'transient' | 'undetermined' =>
  stored === 'permanent' || stored === 'transient' ? stored : 'undetermined'
