// Signed links: who has one may open what it names, until it expires.
import type { Clock } from './clock.ts'
import { Failure } from './failure.ts'
import { signToken, type VerifiedToken, verifyToken } from './signatures.ts'

export type Links<Purpose extends string> = {
  /** @param expiresAt null: never. */
  sign(purpose: Purpose, payload: object, expiresAt: Date | null): string
  /** @throws Failure `invalidLink` when the token was changed or has expired. */
  open(purpose: Purpose, token: string): Record<string, unknown>
  /** The same, and until when the link works. */
  openWithExpiry(purpose: Purpose, token: string): VerifiedToken
}

export function createLinks<Purpose extends string>(keys: Record<Purpose, Map<number, Buffer>>, clock: Clock): Links<Purpose> {
  const openWithExpiry = (purpose: Purpose, token: string): VerifiedToken => {
    const verified = verifyToken({ keys: keys[purpose], purpose, token, now: clock.now() })
    if (!verified) throw new Failure('invalidLink', 'This link has expired or is not complete. Ask for a new one.')
    return verified
  }
  return {
    sign(purpose, payload, expiresAt) {
      const version = Math.max(...keys[purpose].keys())
      const key = keys[purpose].get(version)
      if (!key) throw new Error(`There is no data key for ${purpose} links`)
      return signToken({ key, version, purpose, payload, expiresAt })
    },
    open: (purpose, token) => openWithExpiry(purpose, token).payload,
    openWithExpiry,
  }
}
