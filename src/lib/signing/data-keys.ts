// Data keys: random, one per purpose and version. Which version signs is a matter of its age, so that every process knows a version before one signs with it.
import { StartupProblem } from '../startup-problem.ts'

const LINK_PURPOSES = ['download', 'share', 'session', 'inline-image', 'unsubscribe'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

export const KEY_PURPOSES = [...LINK_PURPOSES, 'opt-out'] as const
export type KeyPurpose = (typeof KEY_PURPOSES)[number]

/** Under another key, the addresses that have opted out would not be recognised. */
export const isReplaceable = (purpose: KeyPurpose): boolean => purpose !== 'opt-out'

/** Unsubscribe links stand in mail that is read years after it was delivered. */
export const isRetirable = (purpose: KeyPurpose): boolean => isReplaceable(purpose) && purpose !== 'unsubscribe'

/** Every process reads the keys again after this time: so soon it opens links of a new version, and none of a retired one any more. */
export const KEYS_READ_EVERY_MS = 10_000
/** From this age on a version signs: every process has read it several times by then. */
export const SIGNS_FROM_AGE_MS = 60_000
/** At this age of a newer version no process signs with an older one any more: each has read the keys since the newer one signs. */
export const SIGNS_ALONE_FROM_AGE_MS = SIGNS_FROM_AGE_MS + 2 * KEYS_READ_EVERY_MS
/** Of one purpose; each is kept in memory by every process. */
export const KEY_VERSIONS_MAX = 1_000

/** The keys of one purpose by version, and the version that signs; null when there is none. */
export type KeyVersions = { signing: number | null; keys: ReadonlyMap<number, Buffer> }

export type DataKeys = {
  of(purpose: KeyPurpose): KeyVersions
  /** Meets versions that were made or retired meanwhile. Answers those that this process cannot open, such as `share 2`. */
  readAgain(): Promise<string[]>
}

/** The newest version that is old enough; the oldest where none is, as in a new installation. */
export function signingVersion(versions: readonly { version: number; ageMs: number }[]): number | null {
  const oldEnough = versions.filter(({ ageMs }) => ageMs >= SIGNS_FROM_AGE_MS).map(({ version }) => version)
  if (oldEnough.length > 0) return Math.max(...oldEnough)
  return versions.length === 0 ? null : Math.min(...versions.map(({ version }) => version))
}

/** What a wrapped key is bound to, so that it cannot pass for another. */
export const contextOf = ({ purpose, version }: { purpose: string; version: number }): string => `${purpose} ${version}`

export const wrongSecretKey = (): StartupProblem =>
  new StartupProblem(
    'SECRET_KEY does not open the keys in the database: set the SECRET_KEY they were made with, or that one as SECRET_KEY_PREVIOUS.',
  )
