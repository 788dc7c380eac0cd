// What a team may have and send, and what is said of it.
import { Type } from '@sinclair/typebox'
import type { NotificationsOf } from '../../lib/notifications.ts'
import { Enum, EventTime } from '../../lib/validation/common.schema.ts'

export const QUOTA_PERIODS = ['day', 'month'] as const
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number]

/** The limits of a team by their names on the wire. */
export const LIMIT_NAMES = [
  'emails_per_day',
  'emails_per_month',
  'broadcast_recipients',
  'contacts',
  'domains',
  'webhooks',
  'stored_bytes',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Null: no limit. */
export type TeamLimits = Record<LimitName, number | null>

export const NO_LIMITS = Object.fromEntries(LIMIT_NAMES.map((name) => [name, null])) as TeamLimits

export const LIMIT_MAX = 1_000_000_000
/** A petabyte, which is counted exactly. */
export const STORED_BYTES_MAX = 1_000_000_000_000_000

export const limitMax = (name: LimitName): number => (name === 'stored_bytes' ? STORED_BYTES_MAX : LIMIT_MAX)

/** Percentages of a limit at which an event tells of it, in rising order. */
export const WARNING_PERCENTS = [80, 100] as const

const quotaNotification = Type.Object({
  limit_name: Enum(['emails_per_day', 'emails_per_month'], { description: 'The limit.', examples: ['emails_per_day'] }),
  limit: Type.Integer({ description: 'How many addresses the team may send to in the period.', examples: [1_000] }),
  percent: Type.Integer({ description: 'How much of it is used at least.', examples: [80] }),
  resets_at: EventTime('When the next period begins.'),
})

export const QUOTA_NOTIFICATIONS = { 'quota.warning': quotaNotification, 'quota.reached': quotaNotification }

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof QUOTA_NOTIFICATIONS> {}
}
