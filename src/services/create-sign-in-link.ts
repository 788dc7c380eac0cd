import type { Context } from '../context.ts'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'

/** Long enough to return to the terminal the next morning. */
const A_DAY_MS = 24 * 60 * 60 * 1_000

/** A link that signs in to the console once, as the holder of this key. Anyone who has the link can use it, so it is a secret until then. */
export async function createSignInLink(
  { repositories, clock, publicUrl }: Pick<Context, 'repositories' | 'clock' | 'publicUrl'>,
  { teamId, apiKeyId, forMs = A_DAY_MS }: { teamId: string; apiKeyId: string; forMs?: number },
): Promise<string> {
  const token = createSignInSecret()
  const now = clock.now()
  await repositories.signInLinks.add({ digest: digestOf(token), teamId, apiKeyId, expiresAt: new Date(now.getTime() + forMs) }, now)
  return `${publicUrl}/console/sign-in/${token}`
}
