// Names of periods as people read them.
export type Granularity = 'hourly' | 'daily' | 'weekly' | 'monthly'

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const SHORT_MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The API names a period by its day, followed by the hour if it is one. All are in the zone that was asked for. */
export function periodNames(name: string, granularity: Granularity): { at: string; whole: string } {
  const day = new Date(`${name.slice(0, DAY_LENGTH)}T00:00:00Z`)
  if (granularity === 'monthly') return { at: SHORT_MONTH.format(day), whole: MONTH.format(day) }
  if (granularity !== 'hourly') return { at: SHORT_DAY.format(day), whole: DAY.format(day) }
  const whole = `${SHORT_DAY.format(day)}, ${name.slice(HOUR_START, HOUR_END)}`
  return { at: whole, whole }
}
const DAY_LENGTH = 10
const HOUR_START = 11
const HOUR_END = 16
