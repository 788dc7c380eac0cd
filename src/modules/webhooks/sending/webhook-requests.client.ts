// Sends what happened to the endpoint of a webhook. Whatever the endpoint does is a value, within bounds of time and bytes.
import { type Dispatcher, errors, Pool } from 'undici'
import packageJson from '../../../../package.json' with { type: 'json' }
import { createGuardedConnector, type OutboundGuardOptions, OutboundRefusal } from '../../../io/outbound-guard.ts'
import { storableText } from '../../../lib/text.ts'

/** Why a request got no answer, or no whole one, in a sentence for the owner of the endpoint. */
export function requestProblem(
  error: unknown,
  { isTimeout, seconds, hasAnswered }: { isTimeout: boolean; seconds: number; hasAnswered: boolean },
): string {
  if (isTimeout) return `The endpoint did not ${hasAnswered ? 'finish its answer' : 'answer'} within ${seconds} seconds.`
  if (error instanceof OutboundRefusal) return 'The endpoint is not at an address on the public internet.'
  if (error instanceof errors.HTTPParserError) return NOT_HTTP
  const code = errorCode(error)
  if (code === null) return 'The request failed.'
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'No TLS connection could be made to the endpoint.'
  if (code.startsWith('ERR_HTTP2')) return 'The endpoint ended the request before it answered.'
  return SENTENCES[code] ?? `The request failed (${code}).`
}

const NOT_HTTP = 'The endpoint did not answer with HTTP.'
const NOT_TRUSTED = 'The certificate of the endpoint is not signed by a trusted authority.'
const CLOSED = 'The endpoint closed the connection before its answer was complete.'
const UNREACHABLE = 'The endpoint cannot be reached.'

const SENTENCES: Record<string, string> = {
  // undici throws this about a status that no answer can have.
  ERR_ASSERTION: NOT_HTTP,
  ECONNREFUSED: 'The endpoint refused the connection.',
  ENOTFOUND: 'The host name of the endpoint does not exist.',
  EAI_AGAIN: 'The host name of the endpoint could not be looked up.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_CONNECT_TIMEOUT: UNREACHABLE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  CERT_HAS_EXPIRED: 'The certificate of the endpoint has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the endpoint is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the endpoint is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
}

/** The greatest depth of causes that is read. */
const CAUSES_MAX = 4

/** The innermost that says something: undici wraps what the socket said. */
function errorCode(error: unknown): string | null {
  let found: string | null = null
  let at = error
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth++) {
    if ('code' in at && typeof at.code === 'string') found = at.code
    at = at.cause ?? ('errors' in at && Array.isArray(at.errors) ? at.errors[0] : undefined)
  }
  return found
}

export type WebhookRequest = {
  /** Requests of one webhook share connections with no other's. */
  webhookId: string
  endpoint: string
  headers: Record<string, string>
  body: string
  /** Ends it early. */
  signal?: AbortSignal
}

export type WebhookAnswer =
  /** `error`: why a status that says success is none: the answer did not end, perhaps not in time. */
  | { kind: 'answered'; status: number; text: string; retryAfterMs: number | null; error: string | null; isTimeout: boolean }
  | { kind: 'unanswered'; error: string; isTimeout: boolean }
  /** The signal stopped it. The endpoint may have the message. */
  | { kind: 'stopped' }

export type WebhookRequests = {
  send(request: WebhookRequest): Promise<WebhookAnswer>
  close(): Promise<void>
}

export type WebhookRequestOptions = OutboundGuardOptions & {
  /** How many times as long as usual an endpoint may take: 1, except in tests, because many share a machine. */
  patience?: number
  timeoutMs?: number
  connectionsMax?: number
  ca?: string
  now?: () => Date
}

/** For the whole: the name, the connection, the request and the answer. */
const TIMEOUT_MS = 15_000
/** What is read of an answer. The connection is closed after that. */
const ANSWER_BYTES_MAX = 64 * 1024
const HEADER_BYTES_MAX = 16 * 1024
/** Answers of the kind "wait" (1xx) before the real one. */
const INFORMATIONAL_MAX = 10
/** How many characters of the answer are kept with the attempt. */
export const ANSWER_LENGTH_KEPT = 1_000
/** The limit for all webhooks together. Above it, connections that are not in use are closed. */
const CONNECTIONS_MAX = 1_000
/** The limit for one endpoint. No webhook has more requests at once. */
const CONNECTIONS_PER_WEBHOOK_MAX = 50
const KEPT_ALIVE_MS = 10_000
const USER_AGENT = `Posthaste/${packageJson.version}`

export function createWebhookRequests({
  patience = 1,
  timeoutMs = TIMEOUT_MS * patience,
  connectionsMax = CONNECTIONS_MAX,
  ca,
  now = () => new Date(),
  ...guard
}: WebhookRequestOptions): WebhookRequests {
  const pools = createPools({ guard, timeoutMs, connectionsMax, ca })

  async function send({ webhookId, endpoint, headers, body, signal }: WebhookRequest): Promise<WebhookAnswer> {
    const url = URL.parse(endpoint)
    if (url === null || (url.protocol !== 'https:' && !(guard.allowPrivateNetworks && url.protocol === 'http:')))
      return { kind: 'unanswered', error: 'The endpoint must be an `https` URL.', isTimeout: false }
    const ending = new AbortController()
    const end = () => ending.abort()
    const timer = setTimeout(end, timeoutMs)
    signal?.addEventListener('abort', end, { once: true })
    const place = pools.take(webhookId, url.origin)
    let informational = 0
    let answer: { status: number; retryAfterMs: number | null } | null = null
    try {
      const response = await place.pool.request({
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT, 'accept-encoding': 'identity' },
        body,
        signal: ending.signal,
        onInfo: () => {
          informational += 1
          if (informational > INFORMATIONAL_MAX) end()
        },
      })
      answer = { status: response.statusCode, retryAfterMs: parseRetryAfter(response, now()) }
      return { kind: 'answered', ...answer, text: await readBeginning(response.body), error: null, isTimeout: false }
    } catch (error) {
      if (signal?.aborted) return { kind: 'stopped' }
      const isFlood = informational > INFORMATIONAL_MAX
      const isTimeout = ending.signal.aborted && !isFlood
      const problem = isFlood
        ? 'The endpoint kept sending interim (1xx) responses.'
        : requestProblem(error, { isTimeout, seconds: timeoutMs / 1_000, hasAnswered: answer !== null })
      return answer === null
        ? { kind: 'unanswered', error: problem, isTimeout }
        : { kind: 'answered', ...answer, text: '', error: problem, isTimeout }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      pools.giveBack(webhookId, place)
    }
  }

  return { send, close: pools.close }
}

/** The first characters of an answer, as they can be stored. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes >= ANSWER_BYTES_MAX) break
  }
  return storableText(new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX)), ANSWER_LENGTH_KEPT)
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function parseRetryAfter({ headers }: Dispatcher.ResponseData, now: Date): number | null {
  const header = headers['retry-after']
  if (typeof header !== 'string') return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime()
  return Number.isFinite(ms) && ms > 0 ? ms : null
}

type OriginPool = { pool: Pool; origin: string; running: number; forgetting?: NodeJS.Timeout }

function createPools({
  guard,
  timeoutMs,
  connectionsMax,
  ca,
}: {
  guard: OutboundGuardOptions
  timeoutMs: number
  connectionsMax: number
  ca: string | undefined
}) {
  /** In order of use: the last used one is last. */
  const kept = new Map<string, OriginPool>()
  const closing = new Set<Promise<unknown>>()
  let open = 0
  const connect = createGuardedConnector({ ...guard, connectTimeoutMs: timeoutMs, allowH2: true, ...(ca !== undefined && { ca }) })

  const createPool = (origin: string): Pool =>
    new Pool(origin, {
      connections: CONNECTIONS_PER_WEBHOOK_MAX,
      allowH2: true,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: timeoutMs * 2,
      bodyTimeout: timeoutMs * 2,
      keepAliveTimeout: KEPT_ALIVE_MS,
      keepAliveMaxTimeout: KEPT_ALIVE_MS,
      connect: (target, callback) =>
        connect(target, (...result) => {
          const [, socket] = result
          if (socket) {
            open += 1
            socket.once('close', () => {
              open -= 1
            })
          }
          callback(...result)
        }),
    })

  function close(pool: Pool): void {
    const ending = pool.destroy().catch(() => {})
    closing.add(ending)
    void ending.finally(() => closing.delete(ending))
  }

  function forget(webhookId: string, place: OriginPool): void {
    if (place.running > 0) return
    if (kept.get(webhookId) === place) kept.delete(webhookId)
    close(place.pool)
  }

  function closeUnused(): void {
    for (const [webhookId, { pool, running }] of kept) {
      if (open <= connectionsMax) return
      if (running > 0) continue
      kept.delete(webhookId)
      close(pool)
    }
  }

  return {
    take(webhookId: string, origin: string): OriginPool {
      const known = kept.get(webhookId)
      kept.delete(webhookId)
      // Its endpoint was changed. What runs there ends with its own time.
      if (known && known.origin !== origin && known.running === 0) close(known.pool)
      const next = known && known.origin === origin ? known : { pool: createPool(origin), origin, running: 0 }
      clearTimeout(next.forgetting)
      next.running += 1
      kept.set(webhookId, next)
      return next
    },
    giveBack(webhookId: string, place: OriginPool): void {
      place.running -= 1
      if (open > connectionsMax) closeUnused()
      // Its webhook may be deleted, and then it is never used again.
      if (place.running === 0) place.forgetting = setTimeout(() => forget(webhookId, place), KEPT_ALIVE_MS).unref()
    },
    async close(): Promise<void> {
      for (const { pool } of kept.values()) close(pool)
      kept.clear()
      await Promise.all(closing)
    },
  }
}
