// Wraps random keys with one secret (AES-256-GCM, NIST SP 800-38D), so that the secret can change while their signatures stay valid.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

export const newDataKey = (): Buffer => randomBytes(KEY_BYTES)

/** `context` (purpose and version) is authenticated too, so that a wrapped key cannot be used as another. */
export function wrapKey(secret: string, key: Buffer, context: string): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(secret), nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
}

/** Null if another secret wrapped it. */
export function unwrapKey(secret: string, wrapped: Uint8Array, context: string): Buffer | null {
  const bytes = Buffer.from(wrapped)
  // A part of a tag would be accepted as a shorter tag.
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', wrappingKey(secret), bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

const wrappingKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'posthaste data keys', KEY_BYTES))
