// Metadata documents of clients whose `client_id` is their URL. They are checked by the rules of a registration before the library reads them.
import type { ClientDocuments } from '../gateways/web/client-documents.ts'
import { isProblem, readClientMetadata } from '../lib/oauth/client-metadata.ts'
import { SCOPE_NAMES } from '../schemas/oauth-scopes.ts'

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
