// When the DNS is asked about a domain again.
import type { RecordStatus } from './domain-records.ts'
import { MISSING_HOURS_MAX } from './record-states.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** After verification was requested. Most records are there within the first minutes. */
const FIRST_CHECKS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]

export type CheckedDomain = {
  id: string
  /** The statuses of all records of the domain. */
  statuses: readonly RecordStatus[]
  /** When verification was last requested; null: never. */
  askedAt: Date | null
}

/**
 * When to ask the DNS next: soon and then hourly while a record is looked for, daily while the domain has a verified record. Otherwise null: when
 * verification is requested. A record is looked for longer than it may be missing only where the DNS does not answer at all: daily then.
 */
export function nextCheckAt({ id, statuses, askedAt }: CheckedDomain, now: Date): Date | null {
  if (statuses.includes('pending'))
    return firstCheckAfter(askedAt, now) ?? (isGivenUp(askedAt, now) ? dailyCheckAfter(id, now) : hourAfter(now))
  if (statuses.includes('temporary_failure')) return hourAfter(now)
  return statuses.includes('verified') ? dailyCheckAfter(id, now) : null
}

/** Whether asking again changes nothing yet, because the DNS is being asked. */
export const wasJustAsked = (askedAt: Date | null, now: Date): boolean =>
  askedAt !== null && now.getTime() - askedAt.getTime() < ASKED_AGAIN_AFTER_MS

const ASKED_AGAIN_AFTER_MS = 10 * SECOND_MS

const hourAfter = (now: Date): Date => new Date(now.getTime() + HOUR_MS)

/** The check after the last hour fails what is missing. */
const isGivenUp = (askedAt: Date | null, now: Date): boolean =>
  askedAt !== null && now.getTime() - askedAt.getTime() > (MISSING_HOURS_MAX + 1) * HOUR_MS

function firstCheckAfter(askedAt: Date | null, now: Date): Date | null {
  if (askedAt === null) return null
  const times = FIRST_CHECKS_MS.map((ms) => askedAt.getTime() + ms)
  const next = times.find((time) => time > now.getTime())
  return next === undefined ? null : new Date(next)
}

/** Each domain has its own time of the day (UTC), so that a million of them are checked evenly. */
function dailyCheckAfter(id: string, now: Date): Date {
  const midnight = now.getTime() - (now.getTime() % DAY_MS)
  const today = midnight + timeOfDayMs(id)
  return new Date(today > now.getTime() ? today : today + DAY_MS)
}

/** By the end of the id, which is random; its beginning is a time (RFC 9562, section 5.7). */
function timeOfDayMs(id: string): number {
  const share = Number.parseInt(id.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS
  return Number.isNaN(share) ? 0 : Math.floor(share * DAY_MS)
}

const RANDOM_DIGITS = 8
