// The only table from kinds of failure to statuses and wire names, and the only shape of an error.
import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDiskFull, isUnavailable } from '../db/database-errors.ts'
import { wantsPage } from '../http/headers.ts'
import type { PlatformContext } from '../http/platform.context.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure, type FailureKind, UNEXPECTED_SENTENCE } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'

type Context = PlatformContext

export const ERRORS: Record<FailureKind | 'unexpected', { status: number; name: string }> = {
  validation: { status: 422, name: 'validation_error' },
  malformedRequest: { status: 400, name: 'validation_error' },
  invalidIdempotencyKey: { status: 400, name: 'invalid_idempotency_key' },
  missingApiKey: { status: 401, name: 'missing_api_key' },
  restrictedApiKey: { status: 401, name: 'restricted_api_key' },
  invalidAccessToken: { status: 401, name: 'invalid_access_token' },
  invalidApiKey: { status: 403, name: 'invalid_api_key' },
  invalidPermission: { status: 403, name: 'invalid_permission' },
  confirmationRequired: { status: 403, name: 'confirmation_required' },
  invalidAccess: { status: 403, name: 'invalid_access' },
  forbidden: { status: 403, name: 'validation_error' },
  storageFull: { status: 403, name: 'validation_error' },
  invalidLink: { status: 403, name: 'invalid_link' },
  notFound: { status: 404, name: 'not_found' },
  gone: { status: 410, name: 'gone' },
  methodNotAllowed: { status: 405, name: 'method_not_allowed' },
  requestTimeout: { status: 408, name: 'validation_error' },
  idempotencyConflict: { status: 409, name: 'invalid_idempotent_request' },
  inUse: { status: 409, name: 'validation_error' },
  changedMeanwhile: { status: 409, name: 'validation_error' },
  bodyTooLarge: { status: 413, name: 'validation_error' },
  unsupportedMediaType: { status: 415, name: 'validation_error' },
  rateLimited: { status: 429, name: 'rate_limit_exceeded' },
  dailyQuotaExceeded: { status: 429, name: 'daily_quota_exceeded' },
  monthlyQuotaExceeded: { status: 429, name: 'monthly_quota_exceeded' },
  unavailable: { status: 503, name: 'service_unavailable' },
  unexpected: { status: 500, name: 'application_error' },
}

export const UNAVAILABLE_SENTENCE = 'The service cannot reach its database at the moment. Please try again in a few seconds.'
const NO_ROOM_SENTENCE = 'The service cannot store anything at the moment, because its database has no room. Please try again later.'
const RETRY_AFTER_SECONDS = 5
/** An operator has to make room. */
const NO_ROOM_RETRY_AFTER_SECONDS = 60

/** Codes of Fastify that mean a fault of the request. */
const FRAMEWORK_FAILURES = new Map<string, () => Failure>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', () => new Failure('bodyTooLarge', 'The request body is too large.')],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    () => new Failure('unsupportedMediaType', 'The request body must be sent with `Content-Type: application/json`.'),
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    () => new Failure('malformedRequest', 'The request body does not have the length that `Content-Length` states.'),
  ],
  ['FST_ERR_CTP_INVALID_JSON_BODY', () => new Failure('malformedRequest', 'The request body is not valid JSON.')],
  ['FST_ERR_BAD_URL', () => new Failure('validation', 'The path of the request is not a valid URL path.')],
  ['FST_ERR_ROUTE_MISSING_CONTENT_TYPE', () => new Failure('methodNotAllowed', 'No endpoint supports the method QUERY.')],
  ['FST_ERR_MAX_PARAM_LENGTH', () => new Failure('notFound', 'No record has an id of this length.')],
])

const OUTDATED_SENTENCE = 'This process of the service runs an earlier version and is stopping. Please try again in a few seconds.'

export function errors(app: FastifyInstance, { clock, newerTables }: Pick<Context, 'clock' | 'newerTables'>): void {
  const logRefusal = refusalLog(clock)
  app.addHook('onRequest', async ({ url }) => {
    if (newerTables.areThere() && !url.startsWith('/health/')) throw new Failure('unavailable', OUTDATED_SENTENCE)
  })
  app.setErrorHandler<FastifyError>(async (error, request, reply) => {
    let failure = isClientGone(error, request) ? CLIENT_GONE : toFailure(error)
    // A statement fails on tables that it does not know, before the next look at them.
    if (failure === null && (await newerTables.look().catch(() => false)))
      failure = new Failure('unavailable', OUTDATED_SENTENCE, { cause: error })
    if (failure === CLIENT_GONE) request.log.debug({ reason: error.message }, 'client gone before its request was complete')
    else if (failure === null) request.log.error({ err: error }, 'request failed')
    else if (failure.kind === 'unavailable') logRefusal(failure, error, request)
    return sendFailure(failure, reply)
  })
  const noEndpoint = (request: FastifyRequest): Failure => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const allowed = app.supportedMethods.filter((method) => app.findRoute({ method, url: path }))
    // A route for any path, such as one for files, may have looked and found nothing.
    return allowed.length === 0 || allowed.includes(request.method) ? noSuchEndpoint() : new MethodNotAllowed(request.method, allowed)
  }
  // Anyone may request what does not exist, so it is refused before a body could take memory or a place in the body gate.
  app.addHook('preParsing', async (request) => {
    if (request.is404) throw noEndpoint(request)
  })
  app.setNotFoundHandler(async (request) => {
    throw noEndpoint(request)
  })
}

export const noSuchEndpoint = (): Failure => new Failure('notFound', 'The requested endpoint does not exist.')

class MethodNotAllowed extends Failure {
  readonly allowed: string[]
  constructor(method: string, allowed: string[]) {
    super('methodNotAllowed', `This endpoint does not support ${method}. Use ${allowed.join(', ')}.`)
    this.allowed = allowed
  }
}

/** Recorded in the metrics and the request log. No one reads the answer. */
const CLIENT_GONE = new Failure('malformedRequest', 'The connection ended before the whole request had arrived.')

/** Node ends the stream of a body with exactly this error if its connection breaks. An error of the database has the same code. */
const isClientGone = (error: unknown, { raw }: FastifyRequest): boolean => raw.errored !== null && raw.errored === error

/** How often one sentence is logged. While the database is away, every request ends in the same one. */
const REFUSAL_LOG_INTERVAL_MS = 1_000

/**
 * Logs what is not possible at the moment. This is expected and no bug, so it has no stack, and is logged now and then with the number of omitted
 * ones.
 */
function refusalLog(clock: Clock): (failure: Failure, error: Error, request: FastifyRequest) => void {
  // There are only a few such sentences.
  const logged = new Map<string, { atMs: number; leftOut: number }>()
  return ({ message }, error, request) => {
    const nowMs = clock.monotonicMs()
    const last = logged.get(message)
    if (last && nowMs - last.atMs < REFUSAL_LOG_INTERVAL_MS) {
      last.leftOut += 1
      return
    }
    const cause = error instanceof Failure && error.cause instanceof Error ? { cause: lastLine(error.cause.message) } : {}
    request.log.warn({ reason: lastLine(error.message), ...cause, leftOut: last?.leftOut ?? 0 }, 'request refused for the moment')
    logged.set(message, { atMs: nowMs, leftOut: 0 })
  }
}

/** Prisma puts an excerpt of our source before its message. */
const lastLine = (message: string): string => message.trim().split('\n').at(-1) ?? ''

/** @returns null for unexpected errors. */
export function toFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error
  if (isDiskFull(error))
    return new Failure('unavailable', NO_ROOM_SENTENCE, { retryAfterSeconds: NO_ROOM_RETRY_AFTER_SECONDS, cause: error })
  if (isUnavailable(error)) return new Failure('unavailable', UNAVAILABLE_SENTENCE, { cause: error })
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return FRAMEWORK_FAILURES.get(code)?.() ?? null
}

function sendFailure(failure: Failure | null, reply: FastifyReply): FastifyReply {
  const { status } = ERRORS[failure?.kind ?? 'unexpected']
  if (failure instanceof MethodNotAllowed) reply.header('allow', failure.allowed.join(', '))
  const retryAfter = failure?.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  // The rest of a body that was not read would be taken for the next request.
  if (status === 408 || status === 413) reply.header('connection', 'close')
  return reply.code(status).type('application/json; charset=utf-8').send(errorBody(failure))
}

export function errorBody(failure: Failure | null): { statusCode: number; name: string; message: string } {
  const { status, name } = ERRORS[failure?.kind ?? 'unexpected']
  return { statusCode: status, name, message: failure?.message ?? UNEXPECTED_SENTENCE }
}

/** For failures before there is a request: broken HTTP on the socket. */
export function brokenRequestReply(code: string | undefined): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = JSON.stringify({
    statusCode: status,
    name: 'validation_error',
    message: BROKEN.get(status) ?? 'This is not a valid HTTP request.',
  })
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${createId()}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
}

const BROKEN = new Map([
  [408, 'The request took too long to arrive.'],
  [431, 'The request headers are too large.'],
])

// A wrong address in a browser gets a page with a link home. Programs still get JSON.

/** Where a browser is sent whose address cannot even be routed. */
export const UNROUTABLE_ADDRESS = '/-'

export type NotFoundPages = {
  headers: Record<string, string>
  /** Null if an answer of this status is not about the address, but for example about an invalid key. */
  pageOf: (status: number) => string | null
}

export function notFoundPages(app: FastifyInstance, { headers, pageOf }: NotFoundPages): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.is404 || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const page = pageOf(reply.statusCode)
    if (page === null) return payload
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' })
    if (!wantsPage(request)) return payload
    reply.headers({ ...headers, 'content-length': Buffer.byteLength(page) })
    return page
  })
}
