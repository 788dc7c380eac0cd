// Signed links: anyone who has one may open what it names, until it expires.
import type { Clock } from '../../lib/clock.ts'
import { signToken, type VerifiedToken, verifyToken } from '../../lib/crypto/sealing.ts'
import { Failure } from '../../lib/failure.ts'
import type { KeyVersions } from './data-keys.ts'

export type Links<Purpose extends string> = {
  /** @param expiresAt null if it never expires. */
  sign(purpose: Purpose, payload: object, expiresAt: Date | null): string
  /** @throws Failure `invalidLink` if the token was changed or has expired. */
  open(purpose: Purpose, token: string): Record<string, unknown>
  /** Opens the token and tells until when the link works. */
  openWithExpiry(purpose: Purpose, token: string): VerifiedToken
}

/** `versionsOf` is called each time, because versions come and go while the process runs. */
export function createLinks<Purpose extends string>(versionsOf: (purpose: Purpose) => KeyVersions, clock: Clock): Links<Purpose> {
  const openWithExpiry = (purpose: Purpose, token: string): VerifiedToken => {
    const verified = verifyToken({ keys: versionsOf(purpose).keys, purpose, token, now: clock.now() })
    if (!verified) throw new Failure('invalidLink', reasonOf(purpose, token))
    return verified
  }
  /** A link that was once whole is told apart from one that never was. */
  const reasonOf = (purpose: Purpose, token: string): string =>
    verifyToken({ keys: versionsOf(purpose).keys, purpose, token, now: new Date(0) }) ? EXPIRED_LINK : CHANGED_LINK

  return {
    sign(purpose, payload, expiresAt) {
      const { signing, keys } = versionsOf(purpose)
      const key = signing === null ? undefined : keys.get(signing)
      if (signing === null || !key) throw new Error(`There is no data key for ${purpose} links`)
      return signToken({ key, version: signing, purpose, payload, expiresAt })
    },
    open: (purpose, token) => openWithExpiry(purpose, token).payload,
    openWithExpiry,
  }
}

export const EXPIRED_LINK = 'This link has expired. Ask for a new one.'
export const CHANGED_LINK = 'This link is not complete, or was changed. Ask for a new one.'
