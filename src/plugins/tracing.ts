// A span for each request. It ends with the answer, or when the client has gone.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../http/platform.context.ts'
import type { OpenSpan, SpanEnd } from '../lib/tracing.ts'

type Context = PlatformContext

declare module 'fastify' {
  interface FastifyRequest {
    /** Null while no traces are exported. */
    span: OpenSpan | null
  }
}

/** Asked every few seconds by monitors. */
const PROBES = /^\/(health\/|metrics$)/

export function requestTraces(app: FastifyInstance, { tracing }: Context): void {
  app.decorateRequest('span', null)
  if (tracing === null) return
  app.addHook('onRequest', async (request, reply) => {
    const { url: route, config } = request.routeOptions
    if (route !== undefined && PROBES.test(route)) return
    const isOurs = route !== undefined && !request.is404
    const span = tracing.begin(isOurs ? `${request.method} ${route}` : request.method, {
      kind: 'server',
      // Programs of teams continue their traces. A browser or a reader of mail has none, and must not choose what is recorded.
      traceparent: config.operation ? traceparentHeader(request) : null,
      attributes: {
        'http.request.method': request.method,
        // The route and not the path, which may name a person or be a secret link.
        ...(isOurs && { 'http.route': route }),
        'posthaste.request.id': request.id,
        ...(config.operation && { 'posthaste.operation': config.operation.id }),
      },
    })
    request.span = span
    reply.raw.once('close', () => span.end(toSpanEnd(request, reply)))
  })
}

function traceparentHeader({ headers: { traceparent } }: FastifyRequest): string | null {
  return typeof traceparent === 'string' ? traceparent : null
}

function toSpanEnd({ holder }: FastifyRequest, { raw }: FastifyReply): SpanEnd {
  const isAnswered = raw.writableFinished
  return {
    isError: !isAnswered || raw.statusCode >= 500,
    attributes: {
      ...(raw.headersSent && { 'http.response.status_code': raw.statusCode }),
      ...(!isAnswered && { 'error.type': 'client_gone' }),
      ...(holder && { 'posthaste.team.id': holder.teamId }),
    },
  }
}
