import { Badge } from '@mantine/core'

/** The color says whether something is well (green), on its way (blue), wants someone (orange) or has failed (red). The word says it too. */
const COLORS: Readonly<Record<string, string>> = {
  ...{
    delivered: 'green',
    opened: 'green',
    clicked: 'green',
    verified: 'green',
    enabled: 'green',
    active: 'green',
    succeeded: 'green',
    success: 'green',
  },
  ...{ completed: 'green', published: 'green', good: 'green', subscribed: 'green', ok: 'green' },
  ...{
    queued: 'blue',
    in_progress: 'blue',
    sent: 'blue',
    sending: 'blue',
    scheduled: 'blue',
    running: 'blue',
    processing: 'blue',
    pending: 'blue',
    waiting: 'blue',
  },
  ...{
    delivery_delayed: 'orange',
    paused: 'orange',
    warning: 'orange',
    partially_verified: 'orange',
    temporary_failure: 'orange',
    suspended: 'orange',
    failing: 'orange',
    bulk_paused: 'orange',
    partially_failed: 'orange',
    blocked: 'orange',
    disabled: 'orange',
  },
  ...{
    bounced: 'red',
    complained: 'red',
    failed: 'red',
    failure: 'red',
    problem: 'red',
    gets_no_mail: 'red',
    suppressed: 'red',
    stopped: 'red',
    unsubscribed: 'red',
    deleted: 'red',
  },
}

/** A state as the API names it, in words; its color holds for other words too. */
export const StateBadge = ({ state, words }: { state: string; words?: string | undefined }) => (
  <Badge variant="light" color={COLORS[state] ?? 'gray'} miw="max-content">
    {wordsOf(words ?? state)}
  </Badge>
)

/** `delivery_delayed` is "Delivery delayed", `api_key` "API key". What the API of automations calls `cancelled` is spelled as all else is. */
export const wordsOf = (name: string): string => {
  const words = name
    .replaceAll('_', ' ')
    .replace(/^api\b/, 'API')
    .replace(/^ok$/, 'OK')
    .replace(/^cancelled$/, 'canceled')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
