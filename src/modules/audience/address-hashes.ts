// Remembers addresses that opted out without storing them.
import { createHmac } from 'node:crypto'
import { toKeyObject } from '../../lib/crypto/keys.ts'

export type AddressHash = (teamId: string, email: string) => string

/** 128 bits are enough to distinguish all addresses (RFC 2104, section 5). */
const HASH_BYTES = 16

/**
 * HMAC-SHA256 of an address, different for each team: without the key no one can tell whether an address is in the table. It always uses the first
 * key, because a later one would not recognize earlier opt-outs.
 */
export function createAddressHash(keys: ReadonlyMap<number, Buffer>): AddressHash {
  const key = keys.get(Math.min(...keys.keys()))
  if (!key) throw new Error('There is no data key for opted-out addresses')
  return (teamId, email) =>
    createHmac('sha256', toKeyObject(key)).update(`${teamId}\n${email}`).digest().toString('base64url', 0, HASH_BYTES)
}
