// Encrypts a secret with a key of 256 bits (AES-256-GCM, NIST SP 800-38D), bound to what it is.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { keyObjectOf } from './key-objects.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `context` is authenticated too, so that the sealed secret cannot be used as another. */
export function seal(key: Buffer, secret: Buffer, context: string): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

/** Null if another key or context sealed it. */
export function unseal(key: Buffer, sealed: Uint8Array, context: string): Buffer | null {
  const bytes = Buffer.from(sealed)
  // A part of a tag would be accepted as a shorter tag.
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}
