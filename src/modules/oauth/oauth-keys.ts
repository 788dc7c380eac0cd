// The keys that sign access tokens (ES256), each made of a data key, so that they rotate and overlap as all data keys do.
import { createECDH, hash, hkdfSync } from 'node:crypto'
import type { KeyVersions } from '../secrets/data-keys.ts'

export type SigningJwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string; alg: 'ES256'; use: 'sig'; kid: string }

/** The order of the group of P-256 (FIPS 186-5; SP 800-186, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** 64 bits more than a private key has, so that the remainder prefers none (FIPS 186-5, A.2.1). */
const SEED_BYTES = 40
const COORDINATE_BYTES = 32

/** The key that signs comes first; null if there is none. All others still verify. */
export function signingKeys({ signing, keys }: KeyVersions): SigningJwk[] {
  const versions = [...keys].toSorted(([one], [other]) => Number(other === signing) - Number(one === signing) || other - one)
  return versions.map(([, dataKey]) => deriveSigningKey(dataKey))
}

/** Keys for cookies of the authorization server. The current version signs; older ones still open cookies. */
export const cookieKeys = ({ signing, keys }: KeyVersions): string[] =>
  [...keys]
    .toSorted(([one], [other]) => Number(other === signing) - Number(one === signing) || other - one)
    .map(([, dataKey]) => derived(dataKey, 'posthaste oauth cookies', COORDINATE_BYTES).toString('base64url'))

function deriveSigningKey(dataKey: Buffer): SigningJwk {
  const seed = derived(dataKey, 'posthaste oauth es256', SEED_BYTES)
  const scalar = (BigInt(`0x${seed.toString('hex')}`) % (ORDER - 1n)) + 1n
  const privateKey = Buffer.from(scalar.toString(16).padStart(2 * COORDINATE_BYTES, '0'), 'hex')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  // Uncompressed: 4, x, y (SEC 1, section 2.3.3).
  const point = ecdh.getPublicKey()
  const x = point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url')
  const y = point.subarray(1 + COORDINATE_BYTES).toString('base64url')
  // RFC 7638: the members in this order, without spaces.
  const kid = hash('sha256', JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }), 'base64url')
  return { kty: 'EC', crv: 'P-256', x, y, d: privateKey.toString('base64url'), alg: 'ES256', use: 'sig', kid }
}

const derived = (dataKey: Buffer, purpose: string, bytes: number): Buffer => Buffer.from(hkdfSync('sha256', dataKey, '', purpose, bytes))
