// Where programs meet the authorization server. The library answers; sizes and rates are limited here.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../../http/platform.context.ts'
import { UNEXPECTED_SENTENCE } from '../../lib/failure.ts'
import { SCOPE_NAMES } from '../accounts/scopes.ts'
import { isProblem, readClientMetadata, statedClient } from './clients.ts'
import type { OauthContext } from './oauth.context.ts'

type Context = PlatformContext & OauthContext

/** Metadata with ten addresses of 2,048 characters. Requests for tokens are far smaller. */
const BODY_BYTES_MAX = 32 * 1024
const FULL_RETRY_SECONDS = 600
const isPublic = { config: { access: 'public' as const }, schema: { hide: true } }
const METADATA = '/.well-known/oauth-protected-resource'

export const oauthRoutes: FastifyPluginAsync<Context> = async (app, context) => {
  await app.register((scope) => oauthScope(scope, context))
}

async function oauthScope(app: FastifyInstance, { authorizationServer, publicUrl, repositories }: Context): Promise<void> {
  const { oauthClients, oauthRecords } = repositories
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => done(null, body))

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack()
    const { raw } = reply
    for (const [name, value] of Object.entries(HEADERS)) raw.setHeader(name, value)
    raw.setHeader('x-request-id', request.id)
    try {
      await authorizationServer.handle(request.raw, raw, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    } catch (error) {
      request.log.error({ err: error }, 'authorization request failed')
      endFailed(raw)
    }
  }

  const countToken = (request: FastifyRequest, reply: FastifyReply) =>
    app.countTokenRequest(request, reply, statedClient({ authorization: request.headers.authorization, body: String(request.body ?? '') }))

  app.get('/oauth/authorize', isPublic, async (request, reply) => {
    const refusal = await app.countAuthorization(request, reply, statedClient({ body: request.url.split('?').slice(1).join('?') }))
    if (refusal) return tooMany(reply, refusal)
    return (await oauthRecords.areTooManyAsked()) ? tooFull(reply, 'Too many requests for access are open.') : answer(request, reply)
  })
  app.post('/oauth/device', isPublic, async (request, reply) => {
    const client = statedClient({ authorization: request.headers.authorization, body: String(request.body ?? '') })
    const refusal = await app.countAuthorization(request, reply, client)
    return refusal ? tooMany(reply, refusal) : answer(request, reply)
  })
  app.get('/oauth/authorize/:uid', isPublic, answer)
  app.get('/oauth/jwks', isPublic, answer)
  app.get('/.well-known/oauth-authorization-server', isPublic, answer)
  app.post('/oauth/token', isPublic, async (request, reply) => {
    const refusal = await countToken(request, reply)
    return refusal ? tooMany(reply, refusal) : answer(request, reply)
  })
  app.post('/oauth/revoke', isPublic, async (request, reply) => {
    const refusal = await countToken(request, reply)
    if (refusal) return tooMany(reply, refusal)
    // RFC 7009, section 2.2.1: what cannot be revoked is an error of the request.
    if (/access_token/.test(hintIn(request.body))) {
      return reply.code(400).headers(HEADERS).send({
        error: 'invalid_request',
        error_description: 'access tokens expire by themselves: revoke the refresh token, which ends the whole grant',
      })
    }
    return answer(request, reply)
  })
  app.post('/oauth/register', isPublic, async (request, reply) => {
    const refusal = await app.countRegistration(request, reply)
    if (refusal) return tooMany(reply, refusal)
    const read = readClientMetadata(toJson(request.body), SCOPE_NAMES)
    if (isProblem(read)) return reply.code(400).headers(HEADERS).send(read)
    if (!(await oauthClients.makeRoom())) return tooFull(reply, 'Too many clients are registered that no one gave access to.')
    request.raw.headers['content-type'] = 'application/json'
    request.body = Buffer.from(JSON.stringify(read))
    return answer(request, reply)
  })

  /** RFC 9728: from the 401 of an operation to the server that gives tokens. */
  const described = {
    resource: publicUrl,
    authorization_servers: [publicUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPE_NAMES,
    resource_name: 'Posthaste',
    resource_documentation: `${publicUrl}/docs`,
  }
  app.get(METADATA, isPublic, async (_request, reply) => reply.headers({ ...HEADERS, 'access-control-allow-origin': '*' }).send(described))
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Nothing else ends the reply to a request that is hijacked. */
function endFailed(response: ServerResponse): void {
  if (response.writableEnded) return
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify({ error: 'server_error', error_description: UNEXPECTED_SENTENCE })
  response.writeHead(500, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const tooMany = (reply: FastifyReply, { message, retryAfterSeconds = 1 }: { message: string; retryAfterSeconds?: number | undefined }) =>
  reply
    .code(429)
    .headers({ ...HEADERS, 'retry-after': String(retryAfterSeconds) })
    .send({ error: 'too_many_requests', error_description: message })

const tooFull = (reply: FastifyReply, what: string) =>
  reply
    .code(503)
    .headers({ ...HEADERS, 'retry-after': String(FULL_RETRY_SECONDS) })
    .send({ error: 'temporarily_unavailable', error_description: `${what} Please try again later.` })

function toJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return null
  }
}

/** Reads a form or JSON. */
function hintIn(body: unknown): string {
  const json = toJson(body)
  if (typeof json === 'object' && json !== null) return String((json as Record<string, unknown>).token_type_hint)
  return new URLSearchParams(String(body ?? '')).get('token_type_hint') ?? ''
}
