// Signed links: who has one may open what it names, until it expires.
import type { Clock } from './clock.ts'
import { Failure } from './failure.ts'
import { signToken, verifyToken } from './signatures.ts'

export type Links<Purpose extends string> = {
  /** @param expiresAt null: never. */
  sign(purpose: Purpose, payload: object, expiresAt: Date | null): string
  /** @throws Failure `invalidLink` when the token was changed or has expired. */
  open(purpose: Purpose, token: string): Record<string, unknown>
}

export function createLinks<Purpose extends string>(keys: Record<Purpose, Map<number, Buffer>>, clock: Clock): Links<Purpose> {
  return {
    sign(purpose, payload, expiresAt) {
      const version = Math.max(...keys[purpose].keys())
      const key = keys[purpose].get(version)
      if (!key) throw new Error(`There is no data key for ${purpose} links`)
      return signToken({ key, version, purpose, payload, expiresAt })
    },
    open(purpose, token) {
      const payload = verifyToken({ keys: keys[purpose], purpose, token, now: clock.now() })
      if (!payload) throw new Failure('invalidLink', 'This link has expired or is not complete. Ask for a new one.')
      return payload
    },
  }
}
