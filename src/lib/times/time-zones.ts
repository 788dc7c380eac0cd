// Names of time zones as people write them after a time, and the instants that a local time can mean.
import { DAY_MS, MINUTE_MS } from '../clock.ts'

/** `daylight` is set for names that say it (EDT, EST). It matters only in the hour that exists twice. */
export type TimeZone = { names: readonly string[]; daylight: boolean | null } | { offsetMs: number }

export const UTC: TimeZone = { offsetMs: 0 }

/** The zone of a word such as `ET`, `PST`, `cest`, `UTC+2`, `+05:30` or `Europe/Berlin`; null for any other word. */
export function timeZoneNamed(word: string): TimeZone | null {
  // Two lower-case letters are more often a word ("at 3 pt" is not worth the risk of reading "et" in a sentence).
  const known = word.length > 2 || word === word.toUpperCase() ? NAMED_ZONES.get(word.toUpperCase()) : undefined
  return known ?? offsetZone(word) ?? placeZone(word)
}

/**
 * The instants at which the clocks of a zone show a local time, in order: none in the hour that a change to daylight saving time skips; two in the
 * hour that exists twice, or if a name stands for several zones that disagree.
 */
export function instantsAt(wallClockMs: WallClockMs, zone: TimeZone): number[] {
  if ('offsetMs' in zone) return [wallClockMs - zone.offsetMs]
  const instants = new Set(zone.names.flatMap((name) => pickDaylight(instantsIn(wallClockMs, name), zone.daylight)))
  return [...instants].sort((a, b) => a - b)
}

/** What the clocks of a zone show at an instant; the first of several zones. */
export const wallClockAt = (instantMs: number, zone: TimeZone): WallClockMs =>
  instantMs + ('offsetMs' in zone ? zone.offsetMs : offsetAt(instantMs, zone.names[0] ?? 'UTC'))

/** The greatest offset from UTC. */
const OFFSET_MAX_MINUTES = 14 * 60

function instantsIn(wallClockMs: WallClockMs, name: string): number[] {
  // Zones change at most once within two days, so only the offsets around the time can apply.
  const offsets = new Set([offsetAt(wallClockMs - DAY_MS, name), offsetAt(wallClockMs + DAY_MS, name)])
  const instants = [...offsets].map((offset) => wallClockMs - offset).filter((instant) => instant + offsetAt(instant, name) === wallClockMs)
  return instants.sort((a, b) => a - b)
}

/** If an hour exists twice, the first is still daylight saving time. */
const pickDaylight = (instants: number[], daylight: boolean | null): number[] =>
  instants.length < 2 || daylight === null ? instants : daylight ? instants.slice(0, 1) : instants.slice(1)

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetAt(instantMs: number, name: string): number {
  const format = formats.get(name) ?? new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  formats.set(name, format)
  const label = format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(label) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS
}

function offsetZone(word: string): TimeZone | null {
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(word) ?? []
  const offsetMinutes = Number(hours) * 60 + Number(minutes)
  const isOffset = Number(minutes) < 60 && offsetMinutes <= OFFSET_MAX_MINUTES
  return isOffset ? { offsetMs: (sign === '-' ? -1 : 1) * offsetMinutes * MINUTE_MS } : null
}

/** A name of the IANA database that this Node.js knows; only names with a slash, which no other word has. */
function placeZone(word: string): TimeZone | null {
  if (!/^[a-z]+\/[a-z_]+(?:[/-][a-z_]+)*$/i.test(word)) return null
  try {
    return { names: [new Intl.DateTimeFormat('en-US', { timeZone: word }).resolvedOptions().timeZone], daylight: null }
  } catch {
    return null
  }
}

/** General name, standard and daylight name, zone. People write EST all year round and mean the time in New York. */
const SEASONAL = [
  ['ET', 'EST', 'EDT', 'America/New_York'],
  ['CT', 'CST', 'CDT', 'America/Chicago'],
  ['MT', null, 'MDT', 'America/Denver'],
  ['PT', 'PST', 'PDT', 'America/Los_Angeles'],
  ['AKT', 'AKST', 'AKDT', 'America/Anchorage'],
  [null, 'CET', 'CEST', 'Europe/Paris'],
  [null, 'WET', 'WEST', 'Europe/Lisbon'],
  [null, 'EET', 'EEST', 'Europe/Athens'],
  [null, null, 'BST', 'Europe/London'],
  ['AET', null, 'AEDT', 'Australia/Sydney'],
  [null, null, 'ACDT', 'Australia/Adelaide'],
  ['NZT', 'NZST', 'NZDT', 'Pacific/Auckland'],
] as const

/** Names without daylight saving time, and names of several zones: if those disagree, the time is ambiguous. */
const OTHERS: readonly (readonly [string, ...string[]])[] = [
  ['MST', 'America/Denver', 'America/Phoenix'],
  ['HST', 'Pacific/Honolulu'],
  ['IST', 'Asia/Kolkata', 'Asia/Jerusalem', 'Europe/Dublin'],
  ['MSK', 'Europe/Moscow'],
  ['SAST', 'Africa/Johannesburg'],
  ['GST', 'Asia/Dubai'],
  ['SGT', 'Asia/Singapore'],
  ['HKT', 'Asia/Hong_Kong'],
  ['JST', 'Asia/Tokyo'],
  ['KST', 'Asia/Seoul'],
  ['AWST', 'Australia/Perth'],
  ['ACST', 'Australia/Adelaide', 'Australia/Darwin'],
  ['AEST', 'Australia/Sydney', 'Australia/Brisbane'],
]

const NAMED_ZONES = new Map<string | null, TimeZone>([
  ['UTC', UTC],
  ['GMT', UTC],
  ['Z', UTC],
  ...SEASONAL.flatMap(([general, standard, daylight, name]): [string | null, TimeZone][] => [
    [general, { names: [name], daylight: null }],
    [standard, { names: [name], daylight: false }],
    [daylight, { names: [name], daylight: true }],
  ]),
  ...OTHERS.map(([word, ...names]): [string, TimeZone] => [word, { names, daylight: null }]),
])

/** A local time, as the milliseconds since 1970 that it would be in UTC. */
export type WallClockMs = number
