import type { RowOf } from '../api/queries'

export type EventType = RowOf<'/webhooks'>['events'][number]

/** Every type, in the order in which people look for them. */
const TYPES: Readonly<Record<EventType, true>> = {
  ...{ 'email.scheduled': true, 'email.sent': true, 'email.delivered': true, 'email.delivery_delayed': true, 'email.bounced': true },
  ...{ 'email.complained': true, 'email.opened': true, 'email.clicked': true, 'email.failed': true, 'email.suppressed': true },
  ...{ 'email.received': true, 'contact.created': true, 'contact.updated': true, 'contact.deleted': true, 'contact.topics.updated': true },
  ...{ 'topic.created': true, 'topic.updated': true, 'topic.deleted': true },
  ...{ 'domain.created': true, 'domain.updated': true, 'domain.deleted': true },
  ...{ 'automation.disabled': true, 'broadcast.unscheduled': true, 'suppression.added': true, 'suppression.removed': true },
  ...{ 'quota.warning': true, 'quota.reached': true, 'reputation.warning': true, 'reputation.paused': true, 'reputation.released': true },
  ...{ 'audit.recorded': true },
}

export const EVENT_TYPES = Object.keys(TYPES) as EventType[]

const groupOf = (type: string): string => type.split('.', 1)[0] ?? ''

/** Event types, grouped by what they are about. */
export const EVENT_GROUPS: readonly { group: string; types: EventType[] }[] = [...new Set(EVENT_TYPES.map(groupOf))].map((group) => ({
  group,
  types: EVENT_TYPES.filter((type) => groupOf(type) === group),
}))
