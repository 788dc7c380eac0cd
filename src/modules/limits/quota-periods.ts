// Days and months of UTC, in which a team may send so much.
import { DAY_MS } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { simulatedOutcome } from '../../mail/simulator.ts'
import type { QuotaPeriod } from './limits.schema.ts'

/** The date in UTC, such as `2026-11-20`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The date on which the period began that has this day. */
export const periodStart = (period: QuotaPeriod, day: string): string => (period === 'day' ? day : `${day.slice(0, 7)}-01`)

/** When the next period begins. */
export function periodEnd(period: QuotaPeriod, day: string): Date {
  const start = new Date(`${day}T00:00:00.000Z`)
  return period === 'day' ? new Date(start.getTime() + DAY_MS) : new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
}

/** No client needs to wait longer before it asks again. */
export const RETRY_AFTER_SECONDS_MAX = 86_400

/** `left`: how many addresses could still be accepted. */
export type Exceeded = { period: QuotaPeriod; limit: number; left: number }

/** What a client reads whose email would exceed a limit. */
export function quotaFailure({ period, limit, left }: Exceeded, { count, at }: { count: number; at: Date }): Failure {
  const end = periodEnd(period, dayOf(at))
  const of = period === 'day' ? 'a day' : 'a month'
  const rest =
    left === 0
      ? 'None are left'
      : `${left === 1 ? 'One of them is' : `${left.toLocaleString('en')} of them are`} left, and this request has ${count.toLocaleString('en')}`
  return new Failure(
    period === 'day' ? 'dailyQuotaExceeded' : 'monthlyQuotaExceeded',
    `Your team may send to ${limit.toLocaleString('en')} addresses ${of}. ${rest}. The next ${period} begins at ${end.toISOString()}. Your operator can allow more.`,
    { retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil((end.getTime() - at.getTime()) / 1_000))) },
  )
}

/** How many of these addresses count: those of the simulator do not. */
export const countedAddresses = (addresses: readonly string[], simulatorDomains: readonly string[]): number =>
  addresses.filter((address) => simulatedOutcome(address, simulatorDomains) === null).length

/** The most that a process reserves at once. */
const BLOCK_MAX = 1_000
/** One in so many of what is left. */
const BLOCK_PART = 100

/** How many addresses a process reserves that needs `count` of what is `left`: the less is left, the less it can keep from others. */
export const blockSize = (left: number, count: number): number =>
  Math.min(left, Math.max(count, Math.min(BLOCK_MAX, Math.max(1, Math.floor(left / BLOCK_PART)))))
