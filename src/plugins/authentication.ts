// Who calls, and may they: decided before a byte of the body is read.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Context } from '../context.ts'
import { Failure } from '../lib/failure.ts'
import { digestOf, isApiToken } from '../lib/tokens.ts'
import type { KeyHolder } from '../repositories/api-keys.ts'

export function authentication(app: FastifyInstance, { repositories }: Context): void {
  app.decorateRequest('holder', null)

  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === 'public') return
    const presented = await recognise(request)
    if (presented instanceof Failure) {
      // An unknown path is a 404 for everybody; with a valid key it is logged for its team. Keys can be tried out there no oftener than elsewhere.
      if (request.is404 && presented.kind === 'missingApiKey') return
      const refusal = await app.countFailedCredential(request, reply)
      if (request.is404 && !refusal) return
      throw refusal ?? presented
    }
    request.holder = presented
    repositories.apiKeys.used(presented.apiKeyId)
    const refusal = await app.countTeamRequest(request, reply)
    if (refusal) throw refusal
    // Keys with sending access reach the operations that send, nothing else.
    if (access === 'full' && presented.permission === 'sending_access') {
      throw new Failure('restrictedApiKey', 'This API key may only send emails. Use a key with full access.')
    }
  })

  // Closed by default: a route that does not say who may call it ends the start.
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    routes.push(route)
  })
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(({ config }) => config?.access === undefined).map(({ method, url }) => `${method} ${url}`)
    if (undeclared.length > 0) throw new Error(`These routes do not declare their access: ${undeclared.join(', ')}`)
  })

  async function recognise(request: FastifyRequest): Promise<KeyHolder | Failure> {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (!token) return new Failure('missingApiKey', 'Missing API key. Send it in the header `Authorization: Bearer re_...`.')
    const holder = isApiToken(token) ? await repositories.apiKeys.recogniseAcrossTeams(digestOf(token)) : null
    return holder ?? new Failure('invalidApiKey', 'This API key is not valid. It may have been deleted.')
  }
}
