// Decides who calls, and whether they may, before a byte of the body is read.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Context } from '../context.ts'
import { Failure, type FailureKind } from '../lib/failure.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'
import { includesScope, lackingScope, scopesOf } from '../schemas/oauth-scopes.ts'
import { holderOfDocumentationToken, isDocumentationToken } from '../services/sessions.ts'

export function authentication(app: FastifyInstance, context: Context): void {
  const { repositories, authorizationServer, publicUrl } = context
  app.decorateRequest('holder', null)

  app.addHook('onRequest', async (request, reply) => {
    const { access, operation } = request.routeOptions.config
    if (access === 'public') return
    const presented = await recognize(request)
    if (presented instanceof Failure) {
      // RFC 9728, section 5.1: a program that has no token learns here where to ask for one.
      if (TELLS_WHERE.has(presented.kind) && !request.is404) reply.header('www-authenticate', challengeOf(presented, publicUrl))
      if (presented.kind === 'rateLimited') throw presented
      // An unknown path is a 404 for everyone; with a valid key it is logged for its team. It cannot be used to try keys faster than elsewhere.
      if (request.is404 && presented.kind === 'missingApiKey') return
      const refusal = await app.countFailedCredential(request, reply)
      if (request.is404 && !refusal) return
      throw refusal ?? presented
    }
    request.holder = presented
    used(presented, request)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
    if (presented.grant) {
      if (request.is404) return
      // Closed by default: what is no operation has no scope that someone could have allowed.
      if (!operation) throw new Failure('invalidPermission', 'Access tokens do not work here. Use an API key with full access.')
      const { scopes } = presented.grant
      const needed = scopesOf(operation)
      const missing = needed.find((scope) => !includesScope(scopes, scope))
      if (missing !== undefined) throw lacking(missing, needed, reply, publicUrl)
      return
    }
    // Keys with sending access reach only the operations that send.
    if (access === 'full' && presented.permission === 'sending_access') {
      throw new Failure('restrictedApiKey', 'This API key may only send emails. Use a key with full access.')
    }
  })

  // Closed by default: a route that does not say who may call it stops the start.
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(({ config }) => config?.access === undefined).map(({ method, url }) => `${method} ${url}`)
    if (undeclared.length > 0) throw new Error(`These routes do not declare their access: ${undeclared.join(', ')}`)
  })

  async function recognize(request: FastifyRequest): Promise<KeyHolder | Failure> {
    const token = tokenIn(request.headers.authorization ?? '')
    if (token instanceof Failure) return token
    if (isAccessToken(token)) return (await authorizationServer.recognize(token)) ?? new Failure('invalidAccessToken', TOKEN_NOT_VALID)
    if (isDocumentationToken(token))
      return (await holderOfDocumentationToken(context, token)) ?? new Failure('invalidApiKey', SESSION_ENDED)
    return app.recognizeKey(request, token)
  }

  function used({ teamId, apiKeyId, grant }: KeyHolder, { log }: FastifyRequest): void {
    if (!grant) repositories.apiKeys.used(apiKeyId)
    else repositories.oauthGrants.recordUse(teamId, grant.id).catch((error) => log.warn({ err: error }, 'use of a grant not recorded'))
  }
}

/** A JSON Web Token, as no API key looks. */
const isAccessToken = (token: string): boolean => token.startsWith('eyJ') && token.includes('.')

const TOKEN_NOT_VALID = 'This access token is not valid, or no longer. Get a new one with the refresh token, or ask for access again.'
const SESSION_ENDED = 'You are no longer signed in to the console. Sign in again, or send an API key.'
const TELLS_WHERE = new Set<FailureKind>(['missingApiKey', 'invalidAccessToken'])

function challengeOf({ kind }: Failure, publicUrl: string): string {
  const error = kind === 'invalidAccessToken' ? 'error="invalid_token", ' : ''
  return `Bearer ${error}resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
}

/** The header names all that are needed (RFC 6750, section 3), so that a program asks for them at once. */
function lacking(scope: string, needed: string[], reply: FastifyReply, publicUrl: string): Failure {
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
