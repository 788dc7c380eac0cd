// What a passkey signs: a token that we have signed, so that nothing is stored until it is answered. It opens nothing. It names its purpose and who may
// answer it, and expires after five minutes. It is answered once.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { MINUTE_MS } from '../../../lib/clock.ts'
import { Failure, invalid } from '../../../lib/failure.ts'
import { createSignInSecret, digestToken } from '../../../lib/ids.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'

/** `by`: the id of the session that asks or, for a sign-in, the digest of a secret of the browser. */
export type Purpose = { what: 'add' | 'confirm' | 'sign-in'; by: string }

export const CHALLENGE_MS = 5 * MINUTE_MS
export const CHALLENGE_OVER =
  'This took longer than five minutes, was sent before, or began in another browser. Try again with the passkey.'

type Needs = Pick<PlatformContext & SecretsContext, 'links' | 'clock'>

export function createChallenge({ links, clock }: Needs, { what, by }: Purpose): { challenge: string; expiresAt: Date } {
  const expiresAt = new Date(clock.now().getTime() + CHALLENGE_MS)
  return { challenge: links.sign('session', { passkey: { what, by, random: createSignInSecret() } }, expiresAt), expiresAt }
}

/**
 * The challenge that the browser says was answered, in base64url as it stands there.
 * @throws Failure `validation` if it is not ours, or is not for this
 */
export function openChallenge({ links }: Needs, { what, by }: Purpose, stated: string): { digest: string; expiresAt: Date } {
  const token = Buffer.from(stated, 'base64url').toString()
  const { payload, expiresAt } = openToken(links, token)
  const made = payload.passkey as Partial<Purpose> | undefined
  if (made?.what !== what || made.by !== by || expiresAt === null) throw invalid(CHALLENGE_OVER)
  return { digest: digestToken(token), expiresAt }
}

function openToken(links: Needs['links'], token: string) {
  try {
    return links.openWithExpiry('session', token)
  } catch (error) {
    if (error instanceof Failure) throw invalid(CHALLENGE_OVER)
    throw error
  }
}
