// Hands every finished request of a team to the request log. It runs after the answer was sent, so it never fails or slows the request.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { createId } from '../lib/ids.ts'
import { storable } from '../lib/storable-text.ts'
import { type FieldTree, fieldTree } from '../schemas/bodies/field-tree.ts'
import { redact } from '../schemas/bodies/redaction.ts'

export const LOGGED_BODY_BYTES_MAX = 64 * 1024
const ENDPOINT_LENGTH_MAX = 1_024
const USER_AGENT_LENGTH_MAX = 512
/** What an entry costs in addition to its bodies, roughly. */
const ENTRY_BYTES = 512

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
    if (!holder || (operation && operation.isLogged === false) || request.routeOptions.config.access === 'public') return
    try {
      const isSuccess = reply.statusCode < 400
      const sent = request.is404 || !fields ? null : body(fields, request.body)
      const answered = request.is404 ? null : isSuccess && replyFields ? body(replyFields, request.replyBody) : cut(request.replyBody)
      repositories.requestLogs.append(
        {
          id: createId(clock),
          teamId: holder.teamId,
          apiKeyId: holder.apiKeyId,
          method: request.method,
          endpoint: pathOf(request),
          responseStatus: reply.statusCode,
          userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
          requestBody: sent?.value ?? null,
          responseBody: answered?.value ?? null,
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

type LoggedBody = { value: unknown; isCut: boolean; bytes: number }

/** Redacted only as far as it is kept: redacting a body of 30 MB would block every other request. */
const body = (fields: FieldTree, value: unknown): LoggedBody =>
  cut(value === undefined ? null : redact(fields, value, LOGGED_BODY_BYTES_MAX))

/** A body that is too long becomes a string: the beginning of its JSON. */
function cut(value: unknown): LoggedBody {
  if (value === null || value === undefined) return { value: null, isCut: false, bytes: 0 }
  const text = JSON.stringify(value)
  if (text.length <= LOGGED_BODY_BYTES_MAX && Buffer.byteLength(text) <= LOGGED_BODY_BYTES_MAX)
    return { value, isCut: false, bytes: text.length }
  const kept = Buffer.from(text.slice(0, LOGGED_BODY_BYTES_MAX))
    .subarray(0, LOGGED_BODY_BYTES_MAX)
    .toString('utf8')
    .replace(/\uFFFD{1,3}$/, '')
    .toWellFormed()
  return { value: kept, isCut: true, bytes: kept.length }
}
