import { randomFillSync } from 'node:crypto'

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
