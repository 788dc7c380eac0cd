import { Group } from '@mantine/core'
import { StateBadge } from '../parts/StateBadge'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'

/** What counts for mail: a subscription of an address that is suppressed is none, so it is not green. */
export const SubscriptionBadge = ({ unsubscribed, suppressed = false }: { unsubscribed: boolean; suppressed?: boolean | undefined }) => (
  <Group gap={4} component="span">
    {suppressed && <StateBadge state="suppressed" />}
    {(unsubscribed || !suppressed) && (
      <StateBadge state={unsubscribed ? 'unsubscribed' : 'subscribed'} words={unsubscribed ? TEXTS.unsubscribed : TEXTS.subscribed} />
    )}
  </Group>
)

/** First and last name; empty if there is neither. */
export const nameOf = ({ first_name, last_name }: { first_name: string | null; last_name: string | null }): string =>
  [first_name, last_name].filter(Boolean).join(' ')
