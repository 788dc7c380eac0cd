import { Text } from '@mantine/core'
import { IN_ONE_LINE } from './one-line'

const AT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const TO_THE_SECOND = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const AT_IN_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const WHOLE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const MINUTE_MS = 60_000
const UNITS = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
] as const

/** The API writes times in two forms; both name their zone. `2026-11-20 09:30:00.123000+00` is the older. */
export const dateOf = (text: string): Date => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z'))

/** A time in the reader's own zone; all of it on hovering. */
export function Time({ at, form = 'at' }: { at: string | null | undefined; form?: keyof typeof FORMATS }) {
  if (!at) return <Text span>–</Text>
  const date = dateOf(at)
  const text = FORMATS[form](date)
  return (
    <time dateTime={date.toISOString()} title={WHOLE.format(date)} style={IN_ONE_LINE}>
      {text}
    </time>
  )
}

/** "20 Nov, 09:30", for where only a text fits. */
export const timeText = (at: string): string => minuteOf(dateOf(at))

const minuteOf = (date: Date): string => (date.getFullYear() === new Date().getFullYear() ? AT : AT_IN_YEAR).format(date)

function agoOf(date: Date): string {
  const ms = date.getTime() - Date.now()
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? (['minute', MINUTE_MS] as const)
  return RELATIVE.format(Math.trunc(ms / unitMs), unit)
}

const FORMATS = {
  at: minuteOf,
  second: (date: Date) => TO_THE_SECOND.format(date),
  day: (date: Date) => DAY.format(date),
  ago: agoOf,
}
