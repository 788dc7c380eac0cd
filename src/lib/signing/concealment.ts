// Hides what a link says of the mail that has it: ids, addresses, targets. The signature over the plain bytes is the nonce (a synthetic IV, as in
// RFC 5297), so that the same link is written the same way each time, and hiding makes no link longer.
import { createCipheriv, hkdfSync } from 'node:crypto'
import { keyObjectOf } from './key-objects.ts'

const KEY_BYTES = 32
const IV_BYTES = 16

/** Hides plain bytes, and shows them again (AES-256-CTR). What is shown is read only after its signature was compared. */
export function concealed(key: Buffer, signature: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-ctr', keyObjectOf(concealingKey(key)), signature.subarray(0, IV_BYTES))
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
