import type { Context } from '../context.ts'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'

/** Long enough to return to the terminal the next morning. */
const A_DAY_MS = 24 * 60 * 60 * 1_000

type Needs = Pick<Context, 'repositories' | 'clock' | 'publicUrl'>

/** A link that signs in to the console once, as the holder of this key. Anyone who has the link can use it, so it is a secret until then. */
export async function createSignInLink(
  { repositories, clock, publicUrl }: Needs,
  { teamId, apiKeyId, person = null, forMs = A_DAY_MS }: { teamId: string; apiKeyId: string; person?: string | null; forMs?: number },
): Promise<string> {
  const token = createSignInSecret()
  const now = clock.now()
  await repositories.signInLinks.add({ digest: digestOf(token), teamId, apiKeyId, person, expiresAt: new Date(now.getTime() + forMs) }, now)
  return `${publicUrl}/console/sign-in/${token}`
}

/** Creates a link for an operator of the installation. */
export async function createOperatorLink(
  { repositories, clock, publicUrl }: Needs,
  { person = null, forMs }: { person?: string | null; forMs: number },
): Promise<string> {
  const token = createSignInSecret()
  const now = clock.now()
  await repositories.operatorSignIns.addLink({ digest: digestOf(token), person, expiresAt: new Date(now.getTime() + forMs) }, now)
  return `${publicUrl}/console/sign-in/${token}`
}
