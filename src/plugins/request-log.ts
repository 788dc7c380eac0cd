// Hands every finished request of a team to the request log. It runs after the answer was sent, so it never fails or slows the request.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../http/platform.context.ts'
import { cutBody, loggedBody } from '../http/validation/logged-body.ts'
import { createId } from '../lib/ids.ts'
import { storable } from '../lib/text.ts'
import { type FieldTree, fieldTree } from '../lib/validation/field-tree.ts'
import type { LogsContext } from '../modules/logs/logs.context.ts'

type Context = PlatformContext & LogsContext

const ENDPOINT_LENGTH_MAX = 1_024
const USER_AGENT_LENGTH_MAX = 512
/** What an entry costs in addition to its bodies, roughly. */
const ENTRY_BYTES = 512

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

declare module 'fastify' {
  interface FastifyContextConfig {
    replyFields?: FieldTree
  }
  interface FastifyRequest {
    replyBody: unknown
  }
}

export function requestLog(app: FastifyInstance, { repositories, clock }: Context): void {
  app.decorateRequest('replyBody', null)
  app.addHook('onRoute', (route) => {
    const declared = route.config?.operation
    if (declared) route.config = { ...route.config, replyFields: fieldTree(declared.reply) }
  })
  app.addHook('preSerialization', async (request, _reply, payload) => {
    request.replyBody = payload
    return payload
  })
  app.addHook('onResponse', async (request, reply) => {
    const { holder } = request
    const { operation, fields, replyFields } = request.routeOptions.config
    // A page of the console reads all the time. What people read is of no use to those who look for the calls of their programs.
    if (holder?.person && READS.has(request.method)) return
    if (!holder || (operation && operation.isLogged === false) || request.routeOptions.config.access === 'public') return
    try {
      const isSuccess = reply.statusCode < 400
      const sent = request.is404 || !fields ? null : loggedBody(fields, request.body)
      const answered = request.is404
        ? null
        : isSuccess && replyFields
          ? loggedBody(replyFields, request.replyBody)
          : cutBody(request.replyBody)
      repositories.requestLogs.append(
        {
          id: createId(clock),
          teamId: holder.teamId,
          apiKeyId: holder.person ? null : holder.apiKeyId,
          personId: holder.person?.id ?? null,
          method: request.method,
          endpoint: pathOf(request),
          responseStatus: reply.statusCode,
          userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
          requestBody: sent?.json ?? null,
          responseBody: answered?.json ?? null,
          requestBodyTruncated: sent?.isCut ?? false,
          responseBodyTruncated: answered?.isCut ?? false,
          createdAt: clock.now(),
        },
        ENTRY_BYTES + (sent?.bytes ?? 0) + (answered?.bytes ?? 0),
      )
    } catch (error) {
      request.log.error({ err: error }, 'request not logged')
    }
  })
}

const pathOf = (request: FastifyRequest): string => storable(request.url.split('?', 1)[0] ?? '').slice(0, ENDPOINT_LENGTH_MAX)

/** Counts and times every answer, by operation. */
export function requestMetrics(app: FastifyInstance, { metrics }: Context): void {
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation?.id ?? (request.is404 ? 'unknown' : 'other')
    metrics.requests.inc({ operation, status: String(reply.statusCode) })
    metrics.requestSeconds.observe({ operation }, reply.elapsedTime / 1_000)
  })
}
