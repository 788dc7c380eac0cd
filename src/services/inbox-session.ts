// Who looks at the inbox: a row that the database knows, and a signed token in a cookie that names it. It ends with the row, the API key or its time.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'

export type InboxSession = { teamId: string; apiKeyId: string }

type Needs = Pick<Context, 'links' | 'clock' | 'publicUrl' | 'repositories'>

const SESSION_MS = 12 * 60 * 60 * 1_000

/** Begins a session, and returns the Set-Cookie header for it. Null: the key cannot have one (any more). */
export async function beginSession(context: Needs, { teamId, apiKeyId }: InboxSession): Promise<string | null> {
  const { name, attributes } = cookieOf(context)
  const expiresAt = new Date(context.clock.now().getTime() + SESSION_MS)
  const secret = createSignInSecret()
  if (!(await context.repositories.sessions.add({ digest: digestOf(secret), teamId, apiKeyId, expiresAt }))) return null
  return `${name}=${context.links.sign('session', { teamId, secret }, expiresAt)}; Max-Age=${SESSION_MS / 1_000}; ${attributes}`
}

/** The session of a request, by its Cookie header; null: no one is signed in. */
export async function openSession(context: Needs, cookieHeader: string | undefined): Promise<InboxSession | null> {
  const named = sessionNamed(context, cookieHeader)
  return named && context.repositories.sessions.find(named.teamId, named.digest, context.clock.now())
}

/** Ends the session of a request, if it has one. */
export async function endSession(context: Needs, cookieHeader: string | undefined): Promise<void> {
  const named = sessionNamed(context, cookieHeader)
  if (named) await context.repositories.sessions.remove(named.teamId, named.digest)
}

/** The Set-Cookie header that makes the browser forget its session. */
export function endedCookie(context: Pick<Context, 'publicUrl'>): string {
  const { name, attributes } = cookieOf(context)
  return `${name}=; Max-Age=0; ${attributes}`
}

/**
 * With TLS the prefix __Host- (RFC 6265bis, section 4.1.3), which demands Path=/: it keeps other names under our domain from planting a session,
 * while a path keeps nothing of the same origin out. Without TLS there is no such prefix, and the path is bound.
 */
function cookieOf({ publicUrl }: Pick<Context, 'publicUrl'>): { name: string; attributes: string } {
  return publicUrl.startsWith('https:')
    ? { name: '__Host-posthaste-inbox', attributes: 'Path=/; Secure; HttpOnly; SameSite=Strict' }
    : { name: 'posthaste-inbox', attributes: 'Path=/inbox; HttpOnly; SameSite=Strict' }
}

/** What the cookie names. Its signature is checked first: the database is never asked about cookies that someone made up. */
function sessionNamed(context: Needs, cookieHeader: string | undefined): { teamId: string; digest: string } | null {
  const token = cookieValue(cookieHeader ?? '', cookieOf(context).name)
  if (token === null) return null
  try {
    const { teamId, secret } = context.links.open('session', token)
    return typeof teamId === 'string' && typeof secret === 'string' ? { teamId, digest: digestOf(secret) } : null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Of a `Cookie` header, the value of the first cookie with this name. */
export function cookieValue(header: string, name: string): string | null {
  const pair = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? null
}
