import { createSecretKey, type KeyObject } from 'node:crypto'

const made = new WeakMap<Uint8Array, KeyObject>()

/** A secret key as `crypto` holds it, made once for each: making it takes five times as long as the signature of a short text. */
export function keyObjectOf(key: Uint8Array): KeyObject {
  const known = made.get(key)
  if (known) return known
  const object = createSecretKey(key)
  made.set(key, object)
  return object
}
