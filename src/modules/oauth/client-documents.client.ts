// Fetches the metadata document of a client, which anyone can name: through the guard, once, small and soon.
import { request } from 'undici'
import { createGuardedAgent, type OutboundGuardOptions } from '../../io/outbound-guard.ts'
import { SCOPE_NAMES } from '../accounts/scopes.ts'
import { isProblem, readClientMetadata } from './clients.ts'

export type FetchedDocument = { ok: true; document: Record<string, unknown>; cacheControl: string | null } | { ok: false }
export type ClientDocuments = {
  /** Whatever is wrong with the document or its server is `ok: false`. */
  fetchDocument(url: string): Promise<FetchedDocument>
  close(): Promise<void>
}

/** For the whole: the name, the connection, the last byte. */
const TIMEOUT_MS = 5_000
const BYTES_MAX = 5 * 1024
/** Documents that are fetched at once. Beyond it, a request for access is refused. */
const AT_ONCE_MAX = 20
/** Limits the fetches from one host, so that one slow server does not take all places. */
const AT_ONCE_FROM_HOST_MAX = 4

/** `patience`: how many times as long as usual a document may take: 1, except in tests, because many share a machine. */
type ClientDocumentOptions = { patience?: number; timeoutMs?: number }

export function createClientDocuments(
  guard: OutboundGuardOptions,
  { patience = 1, timeoutMs = TIMEOUT_MS * patience }: ClientDocumentOptions = {},
): ClientDocuments {
  const agent = createGuardedAgent({ ...guard, connectTimeoutMs: timeoutMs })
  const running: string[] = []

  async function receive(url: string): Promise<FetchedDocument> {
    const signal = AbortSignal.timeout(timeoutMs)
    // Redirects are not followed: the document is at the address that names the client, or nowhere.
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      signal,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Posthaste' },
    })
    const text = statusCode === 200 ? await readDocument(body) : null
    body.on('error', () => {})
    body.destroy()
    const document: unknown = text === null ? null : JSON.parse(text)
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return { ok: false }
    const cacheControl = headers['cache-control']
    return { ok: true, document: document as Record<string, unknown>, cacheControl: typeof cacheControl === 'string' ? cacheControl : null }
  }

  return {
    async fetchDocument(url) {
      const { host } = new URL(url)
      if (running.length >= AT_ONCE_MAX || running.filter((other) => other === host).length >= AT_ONCE_FROM_HOST_MAX) return { ok: false }
      running.push(host)
      try {
        return await receive(url)
      } catch {
        return { ok: false }
      } finally {
        running.splice(running.indexOf(host), 1)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Null if it is longer than it may be. */
async function readDocument(body: AsyncIterable<Buffer>): Promise<string | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > BYTES_MAX) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

// Metadata documents of clients whose `client_id` is their URL. They are checked by the rules of a registration before the library reads them.

/** What the library takes for the answer of the client's server. A refusal is an answer that it refuses. */
export const createDocumentFetch =
  (documents: ClientDocuments) =>
  async (url: string): Promise<Response> => {
    const fetched = await documents.fetchDocument(url)
    if (!fetched.ok) return refusal()
    const given = fetched.document
    const host = new URL(url).host
    const read = readClientMetadata({ client_name: host, ...given, token_endpoint_auth_method: 'none' }, SCOPE_NAMES)
    if (isProblem(read) || SHARED_SECRETS.some((name) => name in given) || isSecretMethod(given.token_endpoint_auth_method))
      return refusal()
    // Otherwise a host could speak for another one.
    if (read.redirect_uris.some((uri) => uri.startsWith('https:') && new URL(uri).host !== host)) return refusal()
    return new Response(JSON.stringify({ ...read, client_id: given.client_id }), {
      headers: { 'content-type': 'application/json', 'cache-control': fetched.cacheControl ?? '' },
    })
  }

const SHARED_SECRETS = ['client_secret', 'client_secret_expires_at']
const isSecretMethod = (method: unknown): boolean => method !== undefined && method !== 'none'
const refusal = (): Response => new Response('{}', { status: 422 })
