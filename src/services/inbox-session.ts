// Who looks at the inbox: a signed token in a cookie, good for as long as the API key that it was made with exists.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'

export type InboxSession = { teamId: string; apiKeyId: string }

type Needs = Pick<Context, 'links' | 'clock' | 'publicUrl' | 'repositories'>

const SESSION_MS = 12 * 60 * 60 * 1_000

/** The session of a request, by its Cookie header; null: nobody is signed in. */
export async function openSession(context: Needs, cookieHeader: string | undefined): Promise<InboxSession | null> {
  const token = cookieValue(cookieHeader ?? '', cookieOf(context).name)
  const session = token === null ? null : verified(context, token)
  // Asked every time: the deletion of a key ends its sessions at once.
  return session && (await context.repositories.apiKeys.isActive(session.teamId, session.apiKeyId)) ? session : null
}

/** The Set-Cookie header that begins a session. */
export function cookieOfSession(context: Needs, { teamId, apiKeyId }: InboxSession): string {
  const { name, attributes } = cookieOf(context)
  const expiresAt = new Date(context.clock.now().getTime() + SESSION_MS)
  return `${name}=${context.links.sign('session', { teamId, apiKeyId }, expiresAt)}; Max-Age=${SESSION_MS / 1_000}; ${attributes}`
}

/** The Set-Cookie header that ends it. */
export function cookieOfNobody(context: Needs): string {
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

function verified({ links }: Needs, token: string): InboxSession | null {
  try {
    const { teamId, apiKeyId } = links.open('session', token)
    return { teamId: String(teamId), apiKeyId: String(apiKeyId) }
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function cookieValue(header: string, name: string): string | null {
  const pair = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${name}=`))
  return pair?.slice(name.length + 1) ?? null
}
