// Private keys as they are stored: sealed with a data key, each bound to its id.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { KeyVersions } from './data-keys.ts'
import { seal, unseal } from './sealing.ts'

export type SealedPrivateKey = {
  sealed: Uint8Array<ArrayBuffer>
  /** The version of the data key. */
  keyVersion: number
}

export function sealPrivateKey({ signing, keys }: KeyVersions, keyId: string, privateKey: KeyObject): SealedPrivateKey {
  const dataKey = signing === null ? undefined : keys.get(signing)
  if (signing === null || !dataKey) throw new Error('There is no data key for private keys')
  return { sealed: seal(dataKey, privateKey.export({ type: 'pkcs8', format: 'der' }), contextOf(keyId)), keyVersion: signing }
}

/** Null if the data key is not known, if the key was changed or belongs to another id, or if what was sealed is no key. */
export function openPrivateKey({ keys }: KeyVersions, keyId: string, { sealed, keyVersion }: SealedPrivateKey): KeyObject | null {
  const dataKey = keys.get(keyVersion)
  const opened = dataKey && unseal(dataKey, sealed, contextOf(keyId))
  return opened ? keyOf(opened) : null
}

function keyOf(der: Buffer): KeyObject | null {
  try {
    return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' })
  } catch {
    return null
  }
}

const contextOf = (keyId: string): string => `private key ${keyId.toLowerCase()}`
