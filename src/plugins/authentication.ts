// Decides who calls, and whether they may, before a byte of the body is read.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Caller, isForPeople, type SignedIn } from '../http/operation.ts'
import type { PlatformContext } from '../http/platform.context.ts'
import { Failure, type FailureKind } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import type { AccountsContext } from '../modules/accounts/accounts.context.ts'
import { isOperator } from '../modules/accounts/people/operators.ts'
import { includesScope, lackingRole, lackingScope, READ_NUMBERS, requiredScopes } from '../modules/accounts/scopes.ts'
import { requireConfirmation, requireConfirmed } from '../modules/accounts/sessions/confirmation.ts'
import { createOwnPages } from '../modules/accounts/sessions/own-pages.ts'
import { sessionCookieName } from '../modules/accounts/sessions/sessions.pages.ts'
import {
  callerOf,
  isDocumentationToken,
  ofTeam,
  openPersonSession,
  type PersonSession,
  sessionOfDocumentationToken,
  signedInBy,
} from '../modules/accounts/sessions/sessions.service.ts'
import { refusalByState } from '../modules/accounts/teams/team-states.ts'
import type { OauthContext } from '../modules/oauth/oauth.context.ts'
import type { SecretsContext } from '../modules/secrets/secrets.context.ts'
import { noSuchEndpoint } from './errors.ts'

type Context = PlatformContext & SecretsContext & AccountsContext & OauthContext

export function authentication(app: FastifyInstance, context: Context): void {
  const { repositories, authorizationServer, operatorKeys, publicUrl, config } = context
  const cookieName = sessionCookieName(publicUrl)
  const ownPages = createOwnPages(publicUrl)
  app.decorateRequest('holder', null)
  app.decorateRequest('signedIn', null)

  app.addHook('onRequest', async (request, reply) => {
    const { access, operation } = request.routeOptions.config
    if (access === 'public') return
    // What a session is answered is its person's, and so are refusals.
    if (cookieOf(request) !== null) reply.headers(KEPT_NOWHERE)
    const isOperators = access === 'operator'
    const presented = await (isOperators ? recognizeForOperator : isForPeople(access) ? recognizePerson : recognize)(request)
    if (presented === 'operator') return
    if (isOperators && !(presented instanceof Failure) && isSignedIn(presented)) return letOperatorPass(presented, request, reply)
    // To a team, the operations of the operator are an unknown path.
    const isUnknown = request.is404 || isOperators
    if (presented instanceof Failure) {
      // RFC 9728, section 5.1: a program that has no token learns here where to ask for one.
      if (TELLS_WHERE.has(presented.kind) && !isUnknown && !isForPeople(access))
        reply.header('www-authenticate', authenticateChallenge(presented, publicUrl))
      if (presented.kind === 'rateLimited') throw presented
      // An unknown path is a 404 for everyone; with a valid key it is logged for its team. It cannot be used to try keys faster than elsewhere.
      if (isUnknown && presented.kind === 'missingApiKey') return leaveUnknown(request)
      const refusal = await app.countFailedCredential(request, reply)
      if (isUnknown && !refusal) return leaveUnknown(request)
      throw refusal ?? presented
    }
    if (isSignedIn(presented) || presented.person) reply.headers(KEPT_NOWHERE)
    if (isSignedIn(presented)) {
      request.signedIn = presented
      const refusal = await app.countTeamRequest(request, reply)
      if (refusal) throw refusal
      if (operation?.confirms === true) requireConfirmed(presented, context)
      return
    }
    request.holder = presented
    used(presented, request)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
    if (isUnknown) return leaveUnknown(request)
    const stopped = refusalByState(await repositories.teams.stateOf(presented.teamId), { writes: !READING_METHODS.has(request.method) })
    if (stopped) throw stopped
    if (access === 'person' || (access === 'member' && !presented.person)) throw new Failure('invalidPermission', BY_PERSON)
    if (operation?.byPeople && !presented.person && !presented.grant?.personId) throw new Failure('invalidPermission', BY_PEOPLE)
    requireScopes(presented, request, reply)
    if (operation?.confirms === true) requireConfirmation(presented, context)
  })

  async function letOperatorPass(person: SignedIn, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.signedIn = person
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
  }

  function requireScopes(presented: Caller, { routeOptions }: FastifyRequest, reply: FastifyReply): void {
    const { access, operation } = routeOptions.config
    const { scopes } = presented
    // What members may do has a scope only if it says so.
    if (access === 'member' && operation?.scope === undefined) return
    if (scopes) {
      // Closed by default: what is no operation has no scope that someone could have allowed.
      if (!operation) throw new Failure('invalidPermission', 'Access tokens do not work here. Use an API key with full access.')
      if (operation.isCount && includesScope(scopes, READ_NUMBERS)) return
      const needed = requiredScopes(operation)
      const missing = needed.find((scope) => !includesScope(scopes, scope))
      if (missing !== undefined) throw lacking(missing, needed, { caller: presented, reply, publicUrl })
      return
    }
    // Keys with sending access reach only the operations that send.
    if (access === 'full' && presented.permission === 'sending_access') {
      throw new Failure('restrictedApiKey', 'This API key may only send emails. Use a key with full access.')
    }
  }

  // Closed by default: a route that does not say who may call it stops the start.
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(({ config }) => config?.access === undefined).map(({ method, url }) => `${method} ${url}`)
    if (undeclared.length > 0) throw new Error(`These routes do not declare their access: ${undeclared.join(', ')}`)
  })

  /** @throws Failure for what is neither the operator's key nor a credential of a team */
  async function recognizeForOperator(request: FastifyRequest): Promise<'operator' | SignedIn | Caller> {
    if (cookieOf(request) !== null) return operatorIn(request)
    const token = tokenIn(request.headers.authorization ?? '')
    if (token instanceof Failure) throw new Failure('missingApiKey', MISSING_OPERATOR_KEY)
    const verdict = operatorKeys.verify(request.ip, token)
    if (verdict instanceof Failure) throw verdict
    if (verdict) return 'operator'
    const presented = await recognize(request)
    if (!(presented instanceof Failure)) return presented
    if (presented.kind === 'rateLimited') throw presented
    operatorKeys.countFailure(request.ip)
    throw new Failure('invalidApiKey', WRONG_OPERATOR_KEY)
  }

  /** @throws Failure that of an unknown path, unless an operator calls */
  async function operatorIn(request: FastifyRequest): Promise<SignedIn> {
    const session = await sessionOf(request)
    if (session === null || session instanceof Failure || !isOperator(config, session)) throw noSuchEndpoint()
    return signedInBy(session)
  }

  async function recognize(request: FastifyRequest): Promise<Caller | Failure> {
    const { authorization } = request.headers
    if (authorization === undefined) {
      const session = await sessionOf(request)
      if (session instanceof Failure) return session
      if (session) return memberOf(session)
    }
    const token = tokenIn(authorization ?? '')
    if (token instanceof Failure) return token
    if (isAccessToken(token)) return (await authorizationServer.recognize(token)) ?? new Failure('invalidAccessToken', TOKEN_NOT_VALID)
    if (isDocumentationToken(token)) return callerIn(await sessionOfDocumentationToken(context, token), 'invalidApiKey', SESSION_ENDED)
    return app.recognizeKey(request, token)
  }

  /** Returns the caller for a credential that is no person's. */
  async function recognizePerson(request: FastifyRequest): Promise<SignedIn | Caller | Failure> {
    const { authorization } = request.headers
    const asAsked = request.routeOptions.config.access === 'member' ? memberOf : signedInBy
    if (authorization === undefined) {
      const session = await sessionOf(request)
      if (session instanceof Failure) return session
      return session ? asAsked(session) : new Failure('missingApiKey', NOT_SIGNED_IN)
    }
    const token = tokenIn(authorization)
    if (token instanceof Failure || !isDocumentationToken(token)) return recognize(request)
    const session = await sessionOfDocumentationToken(context, token)
    return session ? asAsked(session) : new Failure('invalidApiKey', SESSION_ENDED)
  }

  /** The cookie of a session, which counts only where there is no other credential. */
  const cookieOf = ({ headers }: FastifyRequest): string | null =>
    headers.authorization === undefined ? cookieIn(headers.cookie, cookieName) : null

  /**
   * The session whose cookie a browser sends; null if none does.
   * @throws Failure `forbidden` unless a page of ours has sent the request.
   */
  async function sessionOf(request: FastifyRequest): Promise<PersonSession | Failure | null> {
    const { headers, query, routeOptions, is404 } = request
    const cookie = cookieOf(request)
    const isStream = routeOptions.config.operation?.isStream === true
    const refusal = cookie === null ? null : ownPages.refusal(request, { isStream })
    // Nor does it tell of what there is only for operators.
    if (refusal && !is404 && routeOptions.config.access !== 'operator') throw refusal
    if (cookie === null || refusal) return null
    const inQuery = isStream ? (query as { team_id?: string }).team_id : undefined
    const teamId = headers[TEAM_HEADER] ?? (isId(String(inQuery)) ? inQuery : null) ?? null
    if (teamId !== null && (typeof teamId !== 'string' || !isId(teamId))) return new Failure('validation', NOT_A_TEAM)
    return openPersonSession(context, cookie, teamId?.toLowerCase() ?? null, { isUse: !isStream })
  }

  function used({ teamId, apiKeyId, grant, person }: Caller, { log }: FastifyRequest): void {
    if (person) return
    if (!grant) repositories.apiKeys.used(apiKeyId)
    else repositories.oauthGrants.recordUse(teamId, grant.id).catch((error) => log.warn({ err: error }, 'use of a grant not recorded'))
  }
}

/** The person as a member of the team that their session looks at. */
function callerIn(session: PersonSession | null, kind: FailureKind, sentence: string): Caller | Failure {
  const inTeam = session && ofTeam(session)
  return inTeam ? callerOf(inTeam) : new Failure(kind, sentence)
}

const memberOf = (session: PersonSession): Caller | Failure => callerIn(session, 'forbidden', NOT_A_MEMBER)

const isSignedIn = (presented: SignedIn | Caller): presented is SignedIn => 'sessionId' in presented

/** What is unknown is refused further on. An operation that is to seem so is refused here, with the same words. */
function leaveUnknown({ is404 }: FastifyRequest): void {
  if (!is404) throw noSuchEndpoint()
}

export const MISSING_OPERATOR_KEY = 'Missing operator key. Send it as `Authorization: Bearer ...`.'
export const NOT_SIGNED_IN = 'No one is signed in. Only people who are signed in call this: sign in at `/console/sign-in` first.'
export const WRONG_OPERATOR_KEY = 'This operator key is not valid.'

/** No browser, proxy or network in between keeps an answer. */
const KEPT_NOWHERE = { 'cache-control': 'private, no-store' }

const READING_METHODS = new Set(['GET', 'HEAD'])

/** A JSON Web Token, as no API key looks. */
const isAccessToken = (token: string): boolean => token.startsWith('eyJ') && token.includes('.')

const TOKEN_NOT_VALID = 'This access token is not valid, or has expired. Get a new one with the refresh token, or ask for access again.'
/** Ours has no character that would be quoted. */
function cookieIn(header: string | undefined, name: string): string | null {
  const pair = header?.split(';').find((each) => each.trimStart().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1) ?? null
}

const BY_PEOPLE = 'People who are signed in do this, or programs that one of them allowed. An API key cannot.'
const BY_PERSON = 'Only people who are signed in do this, for themselves. An API key cannot, and no program.'
const TEAM_HEADER = 'posthaste-team'
const NOT_A_TEAM = 'The header `Posthaste-Team` is not the id of a team.'
const NOT_A_MEMBER = 'You are not a member of this team. Ask one of its owners for an invitation.'
const SESSION_ENDED = 'You are no longer signed in. Sign in again, or send an API key.'
const TELLS_WHERE = new Set<FailureKind>(['missingApiKey', 'invalidAccessToken'])

function authenticateChallenge({ kind }: Failure, publicUrl: string): string {
  const error = kind === 'invalidAccessToken' ? 'error="invalid_token", ' : ''
  return `Bearer ${error}resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
}

/** The header names all that are needed (RFC 6750, section 3), so that a program asks for them at once. */
function lacking(
  scope: string,
  needed: string[],
  { caller, reply, publicUrl }: { caller: Caller; reply: FastifyReply; publicUrl: string },
): Failure {
  if (caller.person) return lackingRole(caller.person)
  const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
  reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${needed.join(' ')}", ${metadata}`)
  return lackingScope(scope)
}

/** The API key of a request, or what is wrong with its `Authorization` header. */
export function tokenIn(header: string): string | Failure {
  if (header === '') return new Failure('missingApiKey', `Missing API key. ${HOW_TO_SEND}`)
  const [scheme = '', ...tokens] = header.split(' ').filter(Boolean)
  if (scheme.toLowerCase() !== 'bearer')
    return new Failure('missingApiKey', `The \`Authorization\` header does not begin with \`Bearer\`. ${HOW_TO_SEND}`)
  const [token, ...others] = tokens
  if (token === undefined) return new Failure('missingApiKey', `Missing API key after \`Bearer\`. ${HOW_TO_SEND}`)
  if (others.length > 0)
    return new Failure('missingApiKey', `The \`Authorization\` header has more than one word after \`Bearer\`. ${HOW_TO_SEND}`)
  return token
}

const HOW_TO_SEND = 'Send the API key as `Authorization: Bearer re_...`.'

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns a Failure of the kind `invalidApiKey` for an unknown key, which the caller counts, or `rateLimited`. */
    recognizeKey: (request: FastifyRequest, token: string) => Promise<Caller | Failure>
  }
}

export function keyRecognition(app: FastifyInstance, { keyRecognition: { recognize } }: Context): void {
  app.decorate('recognizeKey', (request, token) => recognize(request.ip, token))
}
