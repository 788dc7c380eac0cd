// Decides who calls, and whether they may, before a byte of the body is read.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import type { KeyHolder } from '../repositories/team/api-keys.ts'

export function authentication(app: FastifyInstance, { repositories }: Context): void {
  app.decorateRequest('holder', null)

  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === 'public') return
    const presented = await recognise(request)
    if (presented instanceof Failure) {
      if (presented.kind === 'rateLimited') throw presented
      // An unknown path is a 404 for everyone; with a valid key it is logged for its team. It cannot be used to try keys faster than elsewhere.
      if (request.is404 && presented.kind === 'missingApiKey') return
      const refusal = await app.countFailedCredential(request, reply)
      if (request.is404 && !refusal) return
      throw refusal ?? presented
    }
    request.holder = presented
    repositories.apiKeys.used(presented.apiKeyId)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
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

  async function recognise(request: FastifyRequest): Promise<KeyHolder | Failure> {
    const token = tokenIn(request.headers.authorization ?? '')
    return token instanceof Failure ? token : app.recogniseKey(request, token)
  }
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
