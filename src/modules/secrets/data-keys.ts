// Data keys are random, one for each purpose and version. The age of a version decides whether it signs, so that every process knows a version
// before one signs with it.

import { createPrivateKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from '../../lib/crypto/sealing.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'

const LINK_PURPOSES = ['download', 'share', 'session', 'inline-image', 'unsubscribe'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

/**
 * `dkim` seals the private keys that sign mail, `webhook` the secrets of webhooks, and `installation-mail` links and codes that wait to be mailed. `return-path` signs the addresses to which bounces return,
 * `tracking` the links of mail, `oauth` access tokens, `audit` the audit log.
 */
export const KEY_PURPOSES = [
  ...LINK_PURPOSES,
  'opt-out',
  'dkim',
  'return-path',
  'tracking',
  'webhook',
  'oauth',
  'installation-mail',
  'audit',
] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** A new key for opt-outs would not recognize the addresses that have opted out. */
export const isReplaceable = (purpose: KeyPurpose): boolean => purpose !== 'opt-out'

/**
 * Why the versions of a purpose are never retired; null if they can be. Unsubscribe links and tracked links are in mail that is read years after it
 * was delivered. What is sealed stays sealed with the version that it was sealed with.
 */
export function whyNeverRetired(purpose: KeyPurpose): string | null {
  if (purpose === 'dkim') return 'the private keys that sign mail are sealed with them.'
  if (purpose === 'webhook') return 'the secrets of webhooks are sealed with them.'
  if (purpose === 'audit') return 'the audit log is checked with them.'
  if (purpose === 'tracking') return 'links in mail delivered long ago depend on them.'
  if (purpose === 'unsubscribe' || purpose === 'opt-out')
    return 'what people decided, and links in mail delivered long ago, depend on them.'
  return null
}

/** Every process reads the keys again after this time. By then it accepts links of a new version, and no longer those of a retired one. */
export const KEYS_READ_EVERY_MS = 10_000
/** A version signs from this age on. Every process has read it several times by then. */
export const SIGNS_FROM_AGE_MS = 60_000
/** When a newer version has this age, no process signs with an older one: each has read the keys since the newer one began to sign. */
export const SIGNS_ALONE_FROM_AGE_MS = SIGNS_FROM_AGE_MS + 2 * KEYS_READ_EVERY_MS
/** The limit for each purpose. Every process keeps all versions in memory. */
export const KEY_VERSIONS_MAX = 1_000

/** The keys of one purpose by version, and the version that signs; null if there is none. */
export type KeyVersions = { signing: number | null; keys: ReadonlyMap<number, Buffer> }

export type DataKeys = {
  of(purpose: KeyPurpose): KeyVersions
  /** Reads versions that were made or retired meanwhile. Returns those that this process cannot open, such as `share 2`. */
  readAgain(): Promise<string[]>
}

/** The newest version that is old enough; the oldest if none is, as in a new installation. */
export function signingVersion(versions: readonly { version: number; ageMs: number }[]): number | null {
  const oldEnough = versions.filter(({ ageMs }) => ageMs >= SIGNS_FROM_AGE_MS).map(({ version }) => version)
  if (oldEnough.length > 0) return Math.max(...oldEnough)
  return versions.length === 0 ? null : Math.min(...versions.map(({ version }) => version))
}

/** What a wrapped key is bound to, so that it cannot be used as another. */
export const contextOf = ({ purpose, version }: { purpose: string; version: number }): string => `${purpose} ${version}`

export const wrongSecretKey = (): StartupProblem =>
  new StartupProblem(
    'SECRET_KEY does not open the keys in the database: set the SECRET_KEY they were made with, or that one as SECRET_KEY_PREVIOUS.',
  )

// Wraps random keys with one secret, so that the secret can change while their signatures stay valid.

const KEY_BYTES = 32

export const newDataKey = (): Buffer => randomBytes(KEY_BYTES)

/** `context` (purpose and version) is authenticated too, so that a wrapped key cannot be used as another. */
export const wrapKey = (secret: string, key: Buffer, context: string): Buffer<ArrayBuffer> => seal(wrappingKey(secret), key, context)

/** Null if another secret wrapped it. */
export const unwrapKey = (secret: string, wrapped: Uint8Array, context: string): Buffer | null =>
  unseal(wrappingKey(secret), wrapped, context)

const wrappingKey = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', 'posthaste data keys', KEY_BYTES))

// Private keys as they are stored: sealed with a data key, each bound to its id.

export type SealedPrivateKey = {
  sealed: Uint8Array<ArrayBuffer>
  /** The version of the data key. */
  keyVersion: number
}

export function sealPrivateKey({ signing, keys }: KeyVersions, keyId: string, privateKey: KeyObject): SealedPrivateKey {
  const dataKey = signing === null ? undefined : keys.get(signing)
  if (signing === null || !dataKey) throw new Error('There is no data key for private keys')
  return { sealed: seal(dataKey, privateKey.export({ type: 'pkcs8', format: 'der' }), privateKeyContext(keyId)), keyVersion: signing }
}

/** Null if the data key is not known, if the key was changed or belongs to another id, or if what was sealed is no key. */
export function openPrivateKey({ keys }: KeyVersions, keyId: string, { sealed, keyVersion }: SealedPrivateKey): KeyObject | null {
  const dataKey = keys.get(keyVersion)
  const opened = dataKey && unseal(dataKey, sealed, privateKeyContext(keyId))
  return opened ? parseKey(opened) : null
}

function parseKey(der: Buffer): KeyObject | null {
  try {
    return createPrivateKey({ key: der, type: 'pkcs8', format: 'der' })
  } catch {
    return null
  }
}

const privateKeyContext = (keyId: string): string => `private key ${keyId.toLowerCase()}`
