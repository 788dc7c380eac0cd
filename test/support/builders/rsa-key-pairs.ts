// RSA key pairs for the domains of tests. Making one takes a tenth of a second of work, so all services of a test worker take the same few in turn.
import { createRsaKeyPair, type KeyPair } from '../../../src/lib/signing/key-pairs.ts'

/** More than any domain has at once. */
const PAIRS = 8

const pairs: Promise<KeyPair>[] = []
let taken = 0

export function takeRsaKeyPair(): Promise<KeyPair> {
  const index = taken++ % PAIRS
  pairs[index] ??= createRsaKeyPair()
  return pairs[index]
}
