// Names of periods as people read them.
import type { Granularity } from '../../lib/times/calendar-periods.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const SHORT_MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** From the name that the API gives it, which begins with its day and, if it is an hour, ends with its offset. */
export function periodName(name: string, granularity: Granularity): { name: string; short: string } {
  const day = new Date(`${name.slice(0, 10)}T00:00:00Z`)
  switch (granularity) {
    case 'hourly': {
      const hour = name.slice(11, 16)
      return { name: `${SHORT_DAY.format(day)}, ${hour} (${name.slice(19) === 'Z' ? 'UTC' : `UTC${name.slice(19)}`})`, short: hour }
    }
    case 'daily':
      return { name: DAY.format(day), short: SHORT_DAY.format(day) }
    case 'weekly':
      return { name: DAY.format(day), short: SHORT_DAY.format(day) }
    case 'monthly':
      return { name: MONTH.format(day), short: SHORT_MONTH.format(day) }
  }
}
