import { StateBadge } from '../parts/StateBadge'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

export const SubscriptionBadge = ({ unsubscribed }: { unsubscribed: boolean }) => (
  <StateBadge state={unsubscribed ? TEXTS.unsubscribed : TEXTS.subscribed} />
)

/** First and last name; empty if there is neither. */
export const nameOf = ({ first_name, last_name }: { first_name: string | null; last_name: string | null }): string =>
  [first_name, last_name].filter(Boolean).join(' ')
