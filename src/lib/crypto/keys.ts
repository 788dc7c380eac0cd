// Key pairs that sign mail, made outside of the main thread.
import { createSecretKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

const made = new WeakMap<Uint8Array, KeyObject>()

/** A secret key as `crypto` holds it, made once for each: making it takes five times as long as the signature of a short text. */
export function toKeyObject(key: Uint8Array): KeyObject {
  const known = made.get(key)
  if (known) return known
  const object = createSecretKey(key)
  made.set(key, object)
  return object
}

/** A domain has a key of each. RSA first, because every server knows it. */
export const DKIM_ALGORITHMS = ['rsa-sha256', 'ed25519-sha256'] as const
export type DkimAlgorithm = (typeof DKIM_ALGORITHMS)[number]

export type KeyPair = { publicKey: KeyObject; privateKey: KeyObject }

/** RFC 8301, section 3.2: at least 1,024 bits, better 2,048. Larger keys do not fit into one string of a DNS record. */
const RSA_BITS = 2_048

const generate = promisify(generateKeyPair)

export const createRsaKeyPair = (): Promise<KeyPair> => generate('rsa', { modulusLength: RSA_BITS })

export const createEd25519KeyPair = (): Promise<KeyPair> => generate('ed25519')

/** What a DKIM record has in `p=`: for RSA the key with its type (RFC 6376, section 3.6.1), for Ed25519 the bare 32 bytes (RFC 8463, section 4.2). */
export function publicKeyText(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return (publicKey.asymmetricKeyType === 'ed25519' ? der.subarray(-ED25519_BYTES) : der).toString('base64')
}

const ED25519_BYTES = 32
