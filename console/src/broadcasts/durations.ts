import { countOf } from '../parts/numbers'

// How long something takes, as people say it.

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
const UNITS = [
  ['day', DAY_S],
  ['hour', HOUR_S],
  ['minute', MINUTE_S],
] as const
/** From two of a unit on, it is said in that unit. */
const OF_UNIT_MIN = 2

/** "3 hours", "90 minutes", "less than a minute" */
export function durationOf(seconds: number): string {
  if (seconds < MINUTE_S) return 'less than a minute'
  const [unit, unitSeconds] = UNITS.find(([, each]) => seconds >= OF_UNIT_MIN * each) ?? (['minute', MINUTE_S] as const)
  const count = Math.round(seconds / unitSeconds)
  return `${countOf(count)} ${unit}${count === 1 ? '' : 's'}`
}

export const secondsAt = (count: number, perHour: number): number => (count / perHour) * HOUR_S
