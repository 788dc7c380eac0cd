// What a request was about, with its page.
import type { RecordOf } from '../api/queries'

type Log = RecordOf<'/logs/{log_id}'>
type Related = { to: string; name: string }

/** Keyed by the first parts of the path; a longer path comes before its beginning. */
const KINDS: readonly (readonly [path: string, name: string, section: string])[] = [
  ['emails/receiving', 'received email', 'received'],
  ['emails', 'email', 'emails'],
  ['broadcasts', 'broadcast', 'broadcasts'],
  ['automations', 'automation', 'automations'],
  ['templates', 'template', 'templates'],
  ['domains', 'domain', 'domains'],
  ['webhooks', 'webhook', 'webhooks'],
  ['events', 'event', 'events'],
  ['api-keys', 'API key', 'api-keys'],
  ['contacts', 'contact', 'contacts'],
  ['segments', 'segment', 'segments'],
  ['audiences', 'segment', 'segments'],
  ['topics', 'topic', 'topics'],
  ['contact-properties', 'property', 'properties'],
]
export const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const NOT_FOUND = 404
const REFUSED = 300
const RELATED_MAX = 100

/** The record that the path names, or those that the request made. None that is not there, or was deleted. */
export function relatedTo({ method, endpoint, response_status: status, response_body: body }: Log): Related[] {
  const path = endpoint.slice(1)
  const [beginning, name = '', section] = KINDS.find(([each]) => path === each || path.startsWith(`${each}/`)) ?? []
  if (beginning === undefined || status === NOT_FOUND) return []
  const [id = '', ...more] = path.slice(beginning.length + 1).split('/')
  if (method === 'DELETE' && status < REFUSED && more.length === 0) return []
  const ids = ID.test(id) ? [id] : status < REFUSED ? idsIn(body) : []
  return ids.slice(0, RELATED_MAX).map((each) => ({ to: `/${section}/${each}`, name: `${name} …${each.slice(-8)}` }))
}

function idsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  const { id, object, domain_id: domainId, data } = body as Readonly<Record<string, unknown>>
  // A claim has no page; the domain that gets the name does.
  if (object === 'domain_claim') return typeof domainId === 'string' ? [domainId] : []
  // The records of a list were read, not made.
  if (object !== 'list' && Array.isArray(data)) return data.flatMap(idsIn)
  return typeof id === 'string' && ID.test(id) ? [id] : []
}
