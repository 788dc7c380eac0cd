// Addresses that opted out are remembered without being kept.
import { createHmac, createSecretKey } from 'node:crypto'

export type AddressHash = (teamId: string, email: string) => string

/** 128 bits tell every address that there is apart (RFC 2104, section 5). */
const HASH_BYTES = 16

/**
 * HMAC-SHA256 of an address, for each team another one: without the key nobody can tell whether an address is among them. Always with the first key:
 * a later one would not recognise those who opted out before.
 */
export function createAddressHash(keys: ReadonlyMap<number, Buffer>): AddressHash {
  const key = keys.get(Math.min(...keys.keys()))
  if (!key) throw new Error('There is no data key for opted-out addresses')
  // Made once: from bytes it would be made for each hash, which takes several times as long as the hash.
  const secret = createSecretKey(key)
  return (teamId, email) => createHmac('sha256', secret).update(`${teamId}\n${email}`).digest().toString('base64url', 0, HASH_BYTES)
}
