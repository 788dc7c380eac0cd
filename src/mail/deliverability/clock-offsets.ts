import { about, type Finding } from '../../lib/deliverability/findings.ts'

/** How far ahead this machine's clock is of another; null if the other did not tell. */
export type ClockOffset = { source: string; offsetMs: number | null }

/** Signatures with a time, and mail with a date, are judged by receivers whose clocks are right. */
const OFF_MS_MAX = 60_000
const FAR_OFF_MS = 5 * 60_000

/** Judges by the clock that differs most. */
export function judgeClock(offsets: readonly ClockOffset[]): Finding {
  const { ok, warning, problem, unknown } = about('clock', 'this machine')
  const known = offsets.flatMap(({ source, offsetMs }) => (offsetMs === null ? [] : [{ source, offsetMs }]))
  const [furthest] = known.toSorted((one, other) => Math.abs(other.offsetMs) - Math.abs(one.offsetMs))
  if (furthest === undefined)
    return unknown('There was no other clock to compare with.', 'See by hand that the clock is synchronized (`timedatectl`).')
  const seconds = Math.round(Math.abs(furthest.offsetMs) / 1_000)
  if (seconds * 1_000 <= OFF_MS_MAX)
    return ok(`It agrees with ${known.map(({ source }) => source).join(' and ')} to within ${seconds + 1} s.`)
  const found = `It is ${seconds.toLocaleString('en')} s ${furthest.offsetMs > 0 ? 'ahead of' : 'behind'} ${furthest.source}.`
  const advice = 'Synchronize the clock by NTP, for example with `timedatectl set-ntp true`.'
  return seconds * 1_000 > FAR_OFF_MS ? problem(found, advice) : warning(found, advice)
}
