// Who is signed in: a row in the database, and a signed token that names it. A session ends with the row, the person or its time.

import type { Caller, SignedIn } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId, createSignInSecret, digestToken } from '../../../lib/ids.ts'
import type { MemberRole } from '../../../lib/member-roles.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { SCOPES_OF_ROLES } from '../people/roles.ts'
import type { FoundSession, SignIn } from './sessions.repository.ts'

type Context = PlatformContext & SecretsContext & AccountsContext

type SignInLinkNeeds = Pick<AccountsContext, 'repositories'> & Pick<Context, 'clock' | 'publicUrl'>

/** How long a link in a mail works. */
export const SIGN_IN_LINK_MS = 15 * MINUTE_MS

/** `personId`: null for the first owner of the team, who says who they are. `browserSecret`: known to the browser that asked. `isOperator`: by their groups. */
type LinkFor = {
  personId: string | null
  teamId?: string | null
  browserSecret?: string | null
  identity?: { issuer: string; subject: string } | null
  next?: string | null
  isOperator?: boolean
  forMs?: number
}

/** A link that signs in once. Anyone who has it can use it, so it is a secret until then. */
export async function createSignInLink(context: SignInLinkNeeds, made: LinkFor): Promise<string> {
  const { link, begin } = newSignInLink(context, made)
  await begin()
  return link
}

/** As createSignInLink; it opens nothing until it is begun. */
export function newSignInLink(
  { repositories, clock, publicUrl }: SignInLinkNeeds,
  { personId, teamId = null, browserSecret = null, identity = null, next = null, isOperator = false, forMs = SIGN_IN_LINK_MS }: LinkFor,
): { link: string; expiresAt: Date; begin: () => Promise<void> } {
  const token = createSignInSecret()
  const expiresAt = new Date(clock.now().getTime() + forMs)
  const begin = () =>
    repositories.signInLinks.addAcrossTeams({
      ...{ digest: digestToken(token), personId, teamId, next, isOperator, expiresAt },
      browserDigest: browserSecret && digestToken(browserSecret),
      ...{ issuer: identity?.issuer ?? null, subject: identity?.subject ?? null },
    })
  return { link: `${publicUrl}/console/sign-in/${token}`, expiresAt, begin }
}

/** Someone who is signed in, whatever team they look at. */
export type PersonSession = FoundSession
/** Someone who is signed in and looks at a team. */
export type Session = Omit<FoundSession, 'team'> & { teamId: string; teamName: string; role: MemberRole; scopes: readonly string[] }

type Needs = Pick<Context, 'links' | 'clock' | 'repositories' | 'config'>

/** The last use of a session is written no more often. */
const USE_WRITTEN_EVERY_MS = MINUTE_MS
/** The whole life of a session of a person. */
export const sessionMs = ({ config }: Pick<Context, 'config'>): number => config.sessions.days * DAY_MS

/** When a session ends that is used now. */
function endOf({ config }: Pick<Context, 'config'>, createdAt: Date, now: Date): Date {
  return new Date(Math.min(now.getTime() + config.sessions.idleHours * HOUR_MS, createdAt.getTime() + config.sessions.days * DAY_MS))
}

/** How long the groups of the identity provider make someone an operator who signed in by it: groups that they leave are heard of no sooner. */
export const OPERATOR_BY_GROUP_MS = 12 * HOUR_MS

/**
 * Starts a session, and returns the token that names it. Null if there is no such person.
 * @param isOperator whether their groups at the identity provider say so now
 */
export async function beginSession(
  context: Needs,
  { personId, teamId = null, isOperator = false }: { personId: string; teamId?: string | null; isOperator?: boolean },
  signIn: SignIn,
): Promise<string | null> {
  const { repositories, links, clock } = context
  const createdAt = clock.now()
  const secret = createSignInSecret()
  const isBegun = await repositories.sessions.add({
    ...{ id: createId(clock), ...signIn, digest: digestToken(secret), personId, teamId, createdAt },
    expiresAt: endOf(context, createdAt, createdAt),
    // A passkey is two steps: the device, and what unlocks it.
    confirmedAt: signIn.method === 'passkey' ? createdAt : null,
    operatorUntil: isOperator ? new Date(createdAt.getTime() + OPERATOR_BY_GROUP_MS) : null,
  })
  return isBegun ? links.sign('session', { secret }, new Date(createdAt.getTime() + sessionMs(context))) : null
}

/**
 * The session that a token names; null if no one is signed in.
 * @param teamId the team that is asked for; null: the one that the session looks at.
 * @param isUse false for what a page does by itself, which keeps no session from ending.
 */
export async function openPersonSession(
  context: Needs,
  token: string | null,
  teamId: string | null = null,
  { isUse = true }: { isUse?: boolean } = {},
): Promise<PersonSession | null> {
  const digest = sessionNamed(context, token)
  return digest === null ? null : findSession(context, digest, { teamId, isUse })
}

/** Null also if the person does not belong to the team. */
export async function openSession(context: Needs, token: string | null, teamId: string | null = null): Promise<Session | null> {
  const found = await openPersonSession(context, token, teamId)
  return found && ofTeam(found)
}

async function findSession(
  context: Needs,
  digest: string,
  { teamId, isUse }: { teamId: string | null; isUse: boolean },
): Promise<PersonSession | null> {
  const { repositories, clock } = context
  const now = clock.now()
  const found = await repositories.sessions.findAcrossTeams(digest, teamId, now)
  if (found && isUse && isToBeWritten(found.usedAt, clock))
    await repositories.sessions.usedAcrossTeams(found.id, now, endOf(context, found.createdAt, now))
  return found
}

export function ofTeam({ team, ...session }: PersonSession): Session | null {
  return team && { ...session, teamId: team.id, teamName: team.name, role: team.role, scopes: SCOPES_OF_ROLES[team.role] }
}

/** What a person may do at this moment in the team that their session looks at. */
export function callerOf({ id, personId, teamId, email, name, role, scopes, confirmedAt }: Session): Caller {
  const person = { id: personId, email, name, role, sessionId: id, confirmedAt }
  return { teamId, apiKeyId: personId, permission: 'full_access', domainId: null, scopes, person }
}

export const signedInBy = ({ id, personId, email, name, createdAt, confirmedAt, isOperatorByGroup, team }: PersonSession): SignedIn => ({
  ...{ id: personId, email, name, isOperatorByGroup },
  ...{ sessionId: id, signedInAt: createdAt, confirmedAt, team },
})

/** Ends the session that a token names, if there is one. */
export async function endSession(context: Needs, token: string | null): Promise<void> {
  const digest = sessionNamed(context, token)
  if (digest !== null) await context.repositories.sessions.removeAcrossTeams(digest)
}

/** The lifetime of a token that the API's documentation page sends in place of a key. */
export const DOCUMENTATION_TOKEN_MS = 10 * 60 * 1_000
/** The prefix tells such a token from API keys and access tokens. */
const DOCUMENTATION_PREFIX = 'session_'

/** A token for the session that a cookie names, and the team that it looks at; null if no one is signed in. */
export async function createDocumentationToken(context: Needs, cookie: string | null): Promise<{ team: string; token: string } | null> {
  const session = await openSession(context, cookie)
  const digest = session && sessionNamed(context, cookie)
  if (!digest) return null
  const expiresAt = new Date(context.clock.now().getTime() + DOCUMENTATION_TOKEN_MS)
  const documentation = { digest, teamId: session.teamId }
  return { team: session.teamName, token: DOCUMENTATION_PREFIX + context.links.sign('session', { documentation }, expiresAt) }
}

/** A token of the same kind for a request that the service makes at once for a person; null if their session has ended. */
export async function createTokenOfSession(
  { repositories, links, clock }: Needs,
  { sessionId, teamId }: { sessionId: string; teamId: string },
): Promise<string | null> {
  const now = clock.now()
  const digest = await repositories.sessions.digestAcrossTeams(sessionId, now)
  if (digest === null) return null
  const expiresAt = new Date(now.getTime() + OWN_TOKEN_MS)
  return DOCUMENTATION_PREFIX + links.sign('session', { documentation: { digest, teamId } }, expiresAt)
}

const OWN_TOKEN_MS = 60_000

export const isDocumentationToken = (token: string): boolean => token.startsWith(DOCUMENTATION_PREFIX)

/** Null if the token or the session has ended. The session's own token is not accepted here. */
export async function sessionOfDocumentationToken(context: Needs, token: string): Promise<PersonSession | null> {
  const { documentation } = openLink(context, token.slice(DOCUMENTATION_PREFIX.length))
  const named = documentation as { teamId: string; digest: string } | undefined
  return named ? findSession(context, named.digest, { teamId: named.teamId, isUse: true }) : null
}

const isToBeWritten = (usedAt: Date, clock: Needs['clock']): boolean => clock.now().getTime() - usedAt.getTime() >= USE_WRITTEN_EVERY_MS

/** The digest of the session that a token names. */
function sessionNamed(context: Needs, token: string | null): string | null {
  const { operator, secret } = openLink(context, token)
  // A session of an operator alone was made by a version before 0.2.
  return operator === undefined && typeof secret === 'string' ? digestToken(secret) : null
}

/** Nothing unless we signed it. The signature is checked first, so that made-up tokens cause no query. */
function openLink({ links }: Needs, token: string | null): Record<string, unknown> {
  if (token === null) return {}
  try {
    return links.open('session', token)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
