import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { toKeyObject } from './keys.ts'

// Hides what a link says of the mail that has it: ids, addresses, targets. The signature over the plain bytes is the nonce (a synthetic IV, as in
// RFC 5297), so that the same link is written the same way each time, and hiding makes no link longer.

const KEY_BYTES = 32
const IV_BYTES = 16

/** Hides plain bytes, and shows them again (AES-256-CTR). What is shown is read only after its signature was compared. */
export function concealed(key: Buffer, signature: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ctr', toKeyObject(concealingKey(key)), signature.subarray(0, IV_BYTES))
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

const derived = new WeakMap<Buffer, Buffer>()

/** A key of its own, because the data key signs. */
function concealingKey(key: Buffer): Buffer {
  const known = derived.get(key)
  if (known) return known
  const made = Buffer.from(hkdfSync('sha256', key, '', 'posthaste concealed links', KEY_BYTES))
  derived.set(key, made)
  return made
}

// Encrypts a secret with a key of 256 bits (AES-256-GCM, NIST SP 800-38D), bound to what it is.

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `context` is authenticated too, so that the sealed secret cannot be used as another. */
export function seal(key: Buffer, secret: Buffer, context: string): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', toKeyObject(key), nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

/** Null if another key or context sealed it. */
export function unseal(key: Buffer, sealed: Uint8Array, context: string): Buffer | null {
  const bytes = Buffer.from(sealed)
  // A part of a tag would be accepted as a shorter tag.
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', toKeyObject(key), bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

/**
 * A token for a link that needs no credential: `version.body.mac` in base64url, HMAC-SHA256 (RFC 2104). The body is concealed, so that a link says
 * nothing of the mail that it is for. The purpose is part of what is signed, so that a token for one kind of link never opens another. With
 * `expiresAt` null it never expires.
 */
export function signToken({ key, version, purpose, payload, expiresAt }: TokenToSign): string {
  const plain = Buffer.from(JSON.stringify({ payload, expiresAtMs: expiresAt?.getTime() ?? null }))
  const mac = computeMac({ key, version, purpose, plain })
  const token = `${version}.${concealed(key, mac, plain).toString('base64url')}.${mac.toString('base64url')}`
  if (!TOKEN.test(token) || token.length > TOKEN_LENGTH_MAX) throw new RangeError('A signed token has a short payload and a version from 0')
  return token
}

/**
 * What a token from `signToken` holds; null if a single character was changed, if it has expired, or if it was made for another purpose or with an
 * unknown key. `keys` holds the keys by their version.
 */
export function verifyToken({ keys, purpose, token, now }: TokenToVerify): VerifiedToken | null {
  if (token.length > TOKEN_LENGTH_MAX) return null
  const [, versionText, body, mac] = TOKEN.exec(token) ?? []
  if (versionText === undefined || body === undefined || mac === undefined) return null
  const version = Number(versionText)
  const key = keys.get(version)
  if (key === undefined) return null
  const bytes = Buffer.from(body, 'base64url')
  // Base64url can write the same bytes in several ways. Only the form that was handed out counts.
  if (bytes.toString('base64url') !== body) return null
  const signed = signedBy({ key, version, purpose, body, bytes, mac })
  if (signed === null) return null
  // Only tokens that we signed get here.
  const { payload, expiresAtMs }: SignedBody = JSON.parse(signed.toString())
  if (expiresAtMs !== null && now.getTime() >= expiresAtMs) return null
  return { payload, expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs) }
}

/** `expiresAt` is null if it never expires. */
export type VerifiedToken = { payload: Record<string, unknown>; expiresAt: Date | null }

type TokenToSign = { key: Buffer; version: number; purpose: string; payload: object; expiresAt: Date | null }
type TokenToVerify = { keys: ReadonlyMap<number, Buffer>; purpose: string; token: string; now: Date }
type SignedBody = { payload: Record<string, unknown>; expiresAtMs: number | null }

/** Browsers and proxies accept URLs of 2,048 characters. The rest is for the address before the token. */
const TOKEN_LENGTH_MAX = 1800

/** The version has no leading zeros; 43 characters are 256 bits. */
const TOKEN = /^(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/

type BodyToVerify = { key: Buffer; version: number; purpose: string; body: string; bytes: Buffer; mac: string }

/** The plain body, of either form; null if the key did not sign it. */
function signedBy({ key, version, purpose, body, bytes, mac }: BodyToVerify): Buffer | null {
  const plain = concealed(key, Buffer.from(mac, 'base64url'), bytes)
  if (isSame(mac, computeMac({ key, version, purpose, plain }))) return plain
  return isSame(mac, computeEarlierMac({ key, version, purpose, body })) ? bytes : null
}

/** Compares the texts, because base64url can write the same bytes in several ways. */
const isSame = (mac: string, right: Buffer): boolean => timingSafeEqual(Buffer.from(mac), Buffer.from(right.toString('base64url')))

type Signed = { key: Buffer; version: number; purpose: string }

function computeMac({ key, version, purpose, plain }: Signed & { plain: Buffer }): Buffer {
  // As JSON, so that no two triples have the same text.
  return createHmac('sha256', toKeyObject(key))
    .update(JSON.stringify([purpose, version, 'concealed']))
    .update(plain)
    .digest()
}

/** The form before bodies were concealed: links in mail that was delivered then have it. It is read, and never written. */
function computeEarlierMac({ key, version, purpose, body }: Signed & { body: string }): Buffer {
  return createHmac('sha256', toKeyObject(key))
    .update(JSON.stringify([purpose, version, body]))
    .digest()
}
