// Times on the clocks of a place, such as nine in New York for someone in Berlin.

/** Browsers name some zones by what their cities were called before. */
const NAMES_OF_TODAY: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
}
const nameOfToday = (zone: string): string => NAMES_OF_TODAY[zone] ?? zone

/** The zone of the reader's own clock. */
export const MY_ZONE = nameOfToday(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** Names such as `America/New_York`. */
export const ZONES: readonly string[] = [...new Set([MY_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone').map(nameOfToday)])]

/** "New York" */
export const placeOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')

/** What the clocks of a place show: `2026-11-30 09:00:00`. */
export type WallTime = string

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** A time that the clocks leave out in spring is moved by what they leave out. One that they show twice in autumn is two moments, the earlier one first. */
export type Moments = { kind: 'one' | 'skipped'; at: Date } | { kind: 'twice'; at: Date; again: Date }

/** Null for what is no time. */
export function momentsOf(wall: WallTime, zone: string): Moments | null {
  const asUtc = Date.parse(`${wall.replace(' ', 'T')}Z`)
  if (Number.isNaN(asUtc)) return null
  // Clocks change once within two days at most, so one of these offsets holds.
  const before = offsetMs(zone, asUtc - DAY_MS)
  const after = offsetMs(zone, asUtc + DAY_MS)
  const [first, second] = [...new Set([before, after])]
    .filter((offset) => offsetMs(zone, asUtc - offset) === offset)
    .map((offset) => new Date(asUtc - offset))
    .sort((one, other) => one.getTime() - other.getTime())
  if (first && second) return { kind: 'twice', at: first, again: second }
  return first ? { kind: 'one', at: first } : { kind: 'skipped', at: new Date(asUtc - before) }
}

/** The offset at midnight in UTC may be another one, where the clocks change in between. A day whose midnight they leave out begins after it. */
export const beginningOfDay = (day: string, zone: string): Date => momentsOf(`${day} 00:00:00`, zone)?.at ?? new Date(day)

/** What the clocks of the zone show at a moment. */
export function wallTimeAt(moment: Date, zone: string): WallTime {
  return new Date(moment.getTime() + offsetMs(zone, moment.getTime()))
    .toISOString()
    .slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
    .replace('T', ' ')
}

/** How far the clocks of the zone are ahead of UTC, in whole seconds. */
function offsetMs(zone: string, atMs: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(atMs / 1_000) * 1_000
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const digits = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...digits })
  formats.set(zone, format)
  return format
}

/** A browser may be older than a zone. */
export function isZone(name: string): boolean {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** "Mon 30 Nov, 09:00" */
export const shortText = (moment: Date, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...{ weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  }).format(moment)

/** "Monday, 30 November 2026 at 09:00 GMT-5" */
export const momentText = (moment: Date, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  }).format(moment)
