// Who is signed in to the console: a row in the database, and a signed token that names it. A session ends with the row, the API key or its time.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'

export type Session = { teamId: string; apiKeyId: string }

type Needs = Pick<Context, 'links' | 'clock' | 'repositories'>

export const SESSION_MS = 12 * 60 * 60 * 1_000

/** Starts a session, and returns the token that names it. Null if the key cannot have one. */
export async function beginSession({ repositories, links, clock }: Needs, { teamId, apiKeyId }: Session): Promise<string | null> {
  const expiresAt = new Date(clock.now().getTime() + SESSION_MS)
  const secret = createSignInSecret()
  if (!(await repositories.sessions.add({ digest: digestOf(secret), teamId, apiKeyId, expiresAt }))) return null
  return links.sign('session', { teamId, secret }, expiresAt)
}

/** The session that a token names; null if no one is signed in. */
export async function openSession(context: Needs, token: string | null): Promise<Session | null> {
  const named = sessionNamed(context, token)
  return named && context.repositories.sessions.find(named.teamId, named.digest, context.clock.now())
}

/** Ends the session that a token names, if there is one. */
export async function endSession(context: Needs, token: string | null): Promise<void> {
  const named = sessionNamed(context, token)
  if (named) await context.repositories.sessions.remove(named.teamId, named.digest)
}

/** What a token names. The signature is checked first, so that made-up tokens cause no query. */
function sessionNamed({ links }: Needs, token: string | null): { teamId: string; digest: string } | null {
  if (token === null) return null
  try {
    const { teamId, secret } = links.open('session', token)
    return typeof teamId === 'string' && typeof secret === 'string' ? { teamId, digest: digestOf(secret) } : null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
