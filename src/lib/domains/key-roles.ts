// What the keys of a domain are for. For each algorithm one signs; while keys are rotated, the next one waits for its record to be seen.
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../signing/key-pairs.ts'

/** `signing`: also the first key, which signs once its record is seen. `retired`: mail that it signed is still being verified. */
export type KeyRole = 'signing' | 'next' | 'retired'

export type KeyHistory = { algorithm: DkimAlgorithm; seenAt: Date | null; retiredAt: Date | null }

/** How long the record of a retired key is still needed. Mail waits in queues for some days, and is verified again when it is forwarded. */
export const RETIRED_KEY_DAYS = 7
const RETIRED_KEY_MS = RETIRED_KEY_DAYS * 24 * 60 * 60 * 1_000

/** When the record of a key that was retired at this time is no longer needed. */
export const neededUntil = (retiredAt: Date): Date => new Date(retiredAt.getTime() + RETIRED_KEY_MS)

/** The records of keys that were retired before this time are no longer needed. */
export const retiredBefore = (now: Date): Date => new Date(now.getTime() - RETIRED_KEY_MS)

/** The keys that sign, RSA first, then the next and then the retired ones. Takes them newest first. */
export function withRoles<Key extends KeyHistory>(keys: readonly Key[]): (Key & { role: KeyRole })[] {
  const ofAlgorithms = DKIM_ALGORITHMS.flatMap((algorithm) => rolesOf(keys.filter((key) => key.algorithm === algorithm)))
  return ROLES.flatMap((role) => ofAlgorithms.filter((key) => key.role === role))
}

function rolesOf<Key extends KeyHistory>(keys: Key[]): (Key & { role: KeyRole })[] {
  const current = keys.filter(({ retiredAt }) => retiredAt === null)
  const signing = current.find(({ seenAt }) => seenAt !== null) ?? current[0]
  const isNext = (key: Key) => key.retiredAt === null && key.seenAt === null
  return keys.map((key) => ({ ...key, role: key === signing ? 'signing' : isNext(key) ? 'next' : 'retired' }))
}

const ROLES: readonly KeyRole[] = ['signing', 'next', 'retired']
