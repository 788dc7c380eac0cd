import { randomFillSync } from 'node:crypto'

/** What an id or a token of 128 bits is made of. */
const RANDOM_BYTES = 16

/** Asked of the system for many at once: a call for each costs several times as much as what is made of it. */
const FETCHED = 256 * RANDOM_BYTES

const fetched = Buffer.alloc(FETCHED)
let used = FETCHED

/** 16 bytes of the system's random source that nobody else gets. To be read at once: the memory is filled anew for later ones. */
export function nextRandomBytes(): Buffer {
  if (used === FETCHED) {
    randomFillSync(fetched)
    used = 0
  }
  used += RANDOM_BYTES
  return fetched.subarray(used - RANDOM_BYTES, used)
}
