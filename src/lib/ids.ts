import { hash, randomBytes, randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { type Clock, systemClock } from './clock.ts'

/** The length of an id or a token of 128 bits. */
const RANDOM_BYTES = 16

/** Fetched from the system for many at once, because a call for each costs several times as much as the rest of the work. */
const FETCHED = 256 * RANDOM_BYTES

const fetched = Buffer.alloc(FETCHED)
let used = FETCHED

/** 16 bytes of the system's random source, which no other caller gets. Read them at once: the memory is refilled for later calls. */
export function nextRandomBytes(): Buffer {
  if (used === FETCHED) {
    randomFillSync(fetched)
    used = 0
  }
  used += RANDOM_BYTES
  return fetched.subarray(used - RANDOM_BYTES, used)
}

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

// UUIDs in 22 characters instead of 36, for links and forms.

export const shortId = (id: string): string => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

/** The UUID of a short id, in lower case; null if the text is not one. */
export function idOfShort(text: string): string | null {
  const id = Buffer.from(text, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return isId(id) ? id : null
}

/** `re_`, 8 characters, `_`, 24 characters of base58: 187 random bits. The official command line requires `re_`. */
export const createApiToken = (): string => `re_${randomBase58(8)}_${randomBase58(24)}`

/** What is stored of a token: its SHA-256 in lower-case hex. It needs no salt and no stretching, because tokens cannot be guessed. */
export const digestToken = (token: string): string => hash('sha256', token)

/** Whether a text can be an API token, checked before anything is hashed or looked up. An operator's own first key is accepted too. */
export const isApiToken = (text: string): boolean => text.length <= API_TOKEN_LENGTH_MAX && API_TOKEN.test(text)

export const KEY_NOT_VALID = 'This API key is not valid. It may have been deleted.'

/** Far longer than any real token, so that a header of many kilobytes is never hashed. */
const API_TOKEN_LENGTH_MAX = 256

/** At least 24 visible ASCII characters, as the configuration requires of an operator's own key. */
const API_TOKEN = /^re_[\x21-\x7e]{21,}$/

/** Without 0, O, I and l, which look alike. */
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const randomBase58 = (length: number): string => Array.from({ length }, () => BASE58.charAt(randomInt(BASE58.length))).join('')

/** For a link that signs in once, and for a session: 256 random bits in characters that need no escaping in a URL or a cookie. */
export const createSignInSecret = (): string => randomBytes(32).toString('base64url')

/** What the DNS record of a claim holds: 128 random bits. */
export const createClaimToken = (): string => randomBytes(16).toString('hex')

/** What the address of an image ends in: 128 random bits, in 22 characters. */
export const createImageToken = (): string => randomBytes(16).toString('base64url')
