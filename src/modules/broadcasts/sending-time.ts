// When a broadcast is sent, and on the clocks of which place that was chosen.
import { type Failure, invalid } from '../../lib/failure.ts'
import { quotedValue } from '../../lib/problem.ts'
import { ianaZone } from '../../lib/times/calendar-periods.ts'
import { parseSchedule } from '../emails/email-draft.ts'

/** `timezone`: a name such as `America/New_York`, which is only shown; null if none was given. At once if `scheduledAt` is null. */
export type SendingTime = { scheduledAt: Date | null; timezone: string | null }

/** What a client has written. */
export type GivenTime = { scheduled_at?: string | null; timezone?: string | null }

/** @throws Failure `validation` about a time that is none or has passed, and about a zone that is none or has no time. */
export function readSendingTime(given: GivenTime, now: Date): SendingTime {
  const zone = given.timezone == null ? null : knownZone(given.timezone)
  if (given.scheduled_at == null) {
    if (zone !== null) throw invalid('The `timezone` field is only for broadcasts that are sent at a time: give `scheduled_at` too.')
    return { scheduledAt: null, timezone: null }
  }
  // The clocks of a zone are kept under its name, so only under names that are few: not in every spelling that a client gives.
  return { scheduledAt: parseSchedule('scheduled_at', given.scheduled_at, now, zone?.name ?? null), timezone: zone?.shown ?? null }
}

/** Zones with two names, such as that of India, are shown by the one that was given. */
function knownZone(given: string): { name: string; shown: string } {
  const name = ianaZone(given)
  if (name === null) throw unknownZone(given)
  return { name, shown: name.toLowerCase() === given.toLowerCase() ? name : given }
}

const unknownZone = (given: string): Failure =>
  invalid(`The \`timezone\` field must be a name of the IANA time zone database, such as \`Europe/Berlin\`.${quotedValue(given)}`)
