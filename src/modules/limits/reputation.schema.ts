// How a team stands with the guard of reputations, and what is said of it.
import { Type } from '@sinclair/typebox'
import type { NotificationsOf } from '../../lib/notifications.ts'
import { Enum, EventTime } from '../../lib/validation/common.schema.ts'

/** How far the guard goes: it only warns, it pauses bulk mail, or it pauses all mail where it is twice as bad. */
export const GUARD_MODES = ['warn', 'bulk', 'all'] as const
export type GuardMode = (typeof GUARD_MODES)[number]

/** The best first. */
export const REPUTATION_STATUSES = ['good', 'warning', 'bulk_paused', 'paused'] as const
export type ReputationStatus = (typeof REPUTATION_STATUSES)[number]

/** What of its mail a team that was released sends at a tenth of its pace. */
export const THROTTLED = ['bulk', 'all'] as const
export type Throttled = (typeof THROTTLED)[number]

export const OUTCOME_PERIODS = ['day', 'week'] as const
export type OutcomePeriod = (typeof OUTCOME_PERIODS)[number]

export const STATUS_MEANINGS =
  '`good`: nothing is paused. `warning`: too many bounces or complaints, nothing is paused. `bulk_paused`: bulk mail waits. `paused`: all mail waits.'

const count = (what: string) => Type.Integer({ description: `${what}.` })

const measured = {
  status: Enum([...REPUTATION_STATUSES], { description: `How the team stands now. ${STATUS_MEANINGS}`, examples: ['bulk_paused'] }),
  reason: Type.String({ description: 'Why, for people.' }),
  domain: Type.Union([Type.String(), Type.Null()], { description: 'The domain whose mail it is about; null: all mail of the team.' }),
  period: Enum([...OUTCOME_PERIODS], { description: 'What was counted: the last day or the last week.' }),
  sent: count('Recipients that mail was sent to'),
  bounced: count('Those whose mail bounced for good'),
  complained: count('Those who reported it as spam'),
}

export const REPUTATION_NOTIFICATIONS = {
  'reputation.warning': Type.Object(measured),
  'reputation.paused': Type.Object(measured),
  'reputation.released': Type.Object({
    released_by: Enum(['operator', 'time'], { description: 'Who released it: an operator, or the guard after the time.' }),
    throttled: Enum([...THROTTLED], { description: 'What of its mail the team sends at a tenth of its pace.' }),
    throttled_until: EventTime('Until when.'),
  }),
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof REPUTATION_NOTIFICATIONS> {}
}
