// Wraps random keys with one secret, so that the secret can change while their signatures stay valid.
import { hkdfSync, randomBytes } from 'node:crypto'
import { seal, unseal } from './sealing.ts'

const KEY_BYTES = 32

export const newDataKey = (): Buffer => randomBytes(KEY_BYTES)

/** `context` (purpose and version) is authenticated too, so that a wrapped key cannot be used as another. */
export const wrapKey = (secret: string, key: Buffer, context: string): Buffer<ArrayBuffer> => seal(wrappingKey(secret), key, context)

/** Null if another secret wrapped it. */
export const unwrapKey = (secret: string, wrapped: Uint8Array, context: string): Buffer | null =>
  unseal(wrappingKey(secret), wrapped, context)

const wrappingKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'posthaste data keys', KEY_BYTES))
