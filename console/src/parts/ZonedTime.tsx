import { ZONED_TIME_TEXTS as TEXTS } from '../texts/sending'
import { dateOf } from './Time'
import { isZone, MY_ZONE, momentText, placeOf, shortText, wallTimeAt } from './zones'

type ZonedTimeProps = { at: string; zone: string | null | undefined }

/** "Mon 30 Nov, 09:00 in New York (15:00 here)": a time as it was meant by who chose it, and what it is on one's own clock. */
export function ZonedTime({ at, zone: named }: ZonedTimeProps) {
  const date = dateOf(at)
  const zone = named && isZone(named) ? named : MY_ZONE
  const text = shortText(date, zone)
  const there = zone === 'UTC' ? TEXTS.utc(text) : TEXTS.there(text, placeOf(zone))
  return (
    <time dateTime={date.toISOString()} title={momentText(date, zone)}>
      {hasSameClock(date, zone) ? there : TEXTS.both(there, hereText(date, zone))}
    </time>
  )
}

const hasSameClock = (date: Date, zone: string): boolean => wallTimeAt(date, zone) === wallTimeAt(date, MY_ZONE)

const DAY_LENGTH = 'YYYY-MM-DD'.length

/** With the day, if it is another one here. */
function hereText(date: Date, zone: string): string {
  const here = wallTimeAt(date, MY_ZONE)
  const isSameDay = here.slice(0, DAY_LENGTH) === wallTimeAt(date, zone).slice(0, DAY_LENGTH)
  return isSameDay ? here.slice(DAY_LENGTH + 1, -':SS'.length) : shortText(date, MY_ZONE)
}
