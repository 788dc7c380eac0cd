import { v7 } from 'uuid'
import { type Clock, systemClock } from './clock.ts'
import { nextRandomBytes } from './random-bytes.ts'

/**
 * A UUIDv7 (RFC 9562, section 5.7) in lower case. Ids of one clock sort in the order in which they were made, even within a millisecond and while
 * the clock stands still, because lists page by id.
 */
export function createId(clock: Clock = systemClock): string {
  const position = nextPosition(positions.get(clock), clock.now().getTime())
  positions.set(clock, position)
  return v7({ msecs: position.ms, seq: position.seq, random: nextRandomBytes() })
}

/** Any well-formed UUID of any version in any case, because a cursor need not be one of our ids. */
export const isId = (text: string): boolean => UUID.test(text)

/** Smaller than every id. A walk along ids begins here. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000'
/** Larger than every id. */
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The smallest that is larger. */
export function idAfter(id: string): string {
  if (id === HIGHEST_ID) return HIGHEST_ID
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The bound of an instant (milliseconds since 1970): every earlier UUIDv7 is smaller, every later one larger. For partitions and time ranges. */
export function idBound(ms: number): string {
  if (!Number.isInteger(ms) || ms < 0 || ms > UUID_MS_MAX) throw new RangeError(`No UUIDv7 has the time ${ms}`)
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The bound of an instant that may lie before or after the times of all ids. */
export function idBoundOfAny(ms: number): string {
  if (ms < 0) return LOWEST_ID
  return ms > UUID_MS_MAX ? HIGHEST_ID : idBound(ms)
}

/** The instant in a UUIDv7, to the millisecond. For a UUID of another version the result means nothing, but is a valid date. */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A UUIDv7 has 48 bits for its milliseconds. */
const UUID_MS_MAX = 2 ** 48 - 1

/** A clock that is set back by less than this keeps its ids in order. Beyond that, the ids follow the clock, so that they fit the partitions. */
const CLOCK_STEP_BACK_MAX_MS = 60_000

/** The sequence of a millisecond starts in the lower half of its 32 bits, which leaves the upper half for counting. */
const SEQUENCE_START_BELOW = 2 ** 31

type Position = { ms: number; seq: number }

const positions = new WeakMap<Clock, Position>()

function nextPosition(last: Position | undefined, nowMs: number): Position {
  const isNewMillisecond = last === undefined || nowMs > last.ms || last.ms - nowMs > CLOCK_STEP_BACK_MAX_MS
  // Not a secret: the sequence only orders. The other 42 bits of the id come from the system's random source.
  return isNewMillisecond ? { ms: nowMs, seq: Math.floor(Math.random() * SEQUENCE_START_BELOW) } : { ms: last.ms, seq: last.seq + 1 }
}
