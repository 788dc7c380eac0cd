// Who is signed in to the console: a row in the database, and a signed token that names it. A session ends with the row, the API key or its time.
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import { createSignInSecret, digestOf } from '../lib/tokens.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import type { OperatorMethod } from '../repositories/team/operator-sign-ins.ts'
import type { SessionHolder, SignIn } from '../repositories/team/sessions.ts'

export type Session = SessionHolder & { id: string }
export type OperatorSession = { id: string }

type Needs = Pick<Context, 'links' | 'clock' | 'repositories'>

export const SESSION_MS = 12 * 60 * 60 * 1_000
/** The last use of a session is written no more often. */
const USE_WRITTEN_EVERY_MS = 60_000

/** Starts a session, and returns the token that names it. Null if the key cannot have one. */
export async function beginSession(
  { repositories, links, clock }: Needs,
  { teamId, apiKeyId }: SessionHolder,
  signIn: SignIn,
): Promise<string | null> {
  const { secret, ...times } = newSession(clock)
  const { expiresAt } = times
  const isBegun = await repositories.sessions.add({ ...times, ...signIn, digest: digestOf(secret), teamId, apiKeyId })
  return isBegun ? links.sign('session', { teamId, secret }, expiresAt) : null
}

/** The session that a token names; null if no one is signed in. */
export async function openSession(context: Needs, token: string | null): Promise<Session | null> {
  const { repositories, clock } = context
  const named = sessionNamed(context, token)
  const found = named && (await repositories.sessions.find(named.teamId, named.digest, clock.now()))
  if (!found) return null
  const { usedAt, ...session } = found
  if (isToBeWritten(usedAt, clock)) await repositories.sessions.used(session.teamId, session.id, clock.now())
  return session
}

/** Ends the session that a token names, if there is one. */
export async function endSession(context: Needs, token: string | null): Promise<void> {
  const named = sessionNamed(context, token)
  if (named) await context.repositories.sessions.remove(named.teamId, named.digest)
}

/** Starts the session of an operator, and returns the token that names it. */
export async function beginOperatorSession({ repositories, links, clock }: Needs, signIn: SignIn<OperatorMethod>): Promise<string> {
  const { secret, ...times } = newSession(clock)
  await repositories.operatorSignIns.add({ ...times, ...signIn, digest: digestOf(secret) })
  return links.sign('session', { operator: true, secret }, times.expiresAt)
}

/** The session of an operator that a token names; null if no one is signed in. */
export async function openOperatorSession(context: Needs, token: string | null): Promise<OperatorSession | null> {
  const { repositories, clock } = context
  const digest = operatorNamed(context, token)
  const found = digest && (await repositories.operatorSignIns.find(digest, clock.now()))
  if (!found) return null
  if (isToBeWritten(found.usedAt, clock)) await repositories.operatorSignIns.used(found.id, clock.now())
  return { id: found.id }
}

/** Ends the session of an operator that a token names, if there is one. */
export async function endOperatorSession(context: Needs, token: string | null): Promise<void> {
  const digest = operatorNamed(context, token)
  if (digest !== null) await context.repositories.operatorSignIns.remove(digest)
}

/** The lifetime of a token that the API's documentation page sends in place of a key. */
export const DOCUMENTATION_TOKEN_MS = 10 * 60 * 1_000
/** The prefix tells such a token from API keys and access tokens. */
const DOCUMENTATION_PREFIX = 'session_'

/** A token for the session that a cookie names; null if no one is signed in. */
export async function createDocumentationToken(context: Needs, cookie: string | null): Promise<{ teamId: string; token: string } | null> {
  const session = await openSession(context, cookie)
  const named = session && sessionNamed(context, cookie)
  if (!named) return null
  const expiresAt = new Date(context.clock.now().getTime() + DOCUMENTATION_TOKEN_MS)
  return { teamId: session.teamId, token: DOCUMENTATION_PREFIX + context.links.sign('session', { documentation: named }, expiresAt) }
}

export const isDocumentationToken = (token: string): boolean => token.startsWith(DOCUMENTATION_PREFIX)

/** The holder of the key with which the session began. Null if the token or the session has ended. The session's own token is not accepted here. */
export async function holderOfDocumentationToken(context: Needs, token: string): Promise<KeyHolder | null> {
  const { documentation } = contentOf(context, token.slice(DOCUMENTATION_PREFIX.length))
  const named = documentation as { teamId: string; digest: string } | undefined
  const session = named ? await context.repositories.sessions.find(named.teamId, named.digest, context.clock.now()) : null
  return session && { teamId: session.teamId, apiKeyId: session.apiKeyId, permission: 'full_access', domainId: null }
}

function newSession(clock: Needs['clock']) {
  const createdAt = clock.now()
  return { id: createId(clock), secret: createSignInSecret(), createdAt, expiresAt: new Date(createdAt.getTime() + SESSION_MS) }
}

const isToBeWritten = (usedAt: Date, clock: Needs['clock']): boolean => clock.now().getTime() - usedAt.getTime() >= USE_WRITTEN_EVERY_MS

/** What a token names. */
function sessionNamed(context: Needs, token: string | null): { teamId: string; digest: string } | null {
  const { teamId, secret } = contentOf(context, token)
  return typeof teamId === 'string' && typeof secret === 'string' ? { teamId, digest: digestOf(secret) } : null
}

function operatorNamed(context: Needs, token: string | null): string | null {
  const { operator, secret } = contentOf(context, token)
  return operator === true && typeof secret === 'string' ? digestOf(secret) : null
}

/** Nothing unless we signed it. The signature is checked first, so that made-up tokens cause no query. */
function contentOf({ links }: Needs, token: string | null): Record<string, unknown> {
  if (token === null) return {}
  try {
    return links.open('session', token)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
