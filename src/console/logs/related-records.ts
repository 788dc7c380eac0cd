// What a request was about, with a page in the console.
import { isId } from '../../lib/ids.ts'
import { isRecord } from '../../lib/validation/field-tree.ts'
import type { RequestLogRow } from '../../modules/logs/logs.repository.ts'

export type RelatedRecord = { address: string; name: string }

/** `object`: what the API calls it. `section`: where its page is, if the path has another name. */
type Kind = { name: string; object: string; section?: string }

/** Keyed by the first parts of the path. A longer path comes before its beginning. */
const KINDS: [path: string, kind: Kind][] = [
  ['emails/receiving', { name: 'received email', object: 'email', section: 'received' }],
  ['contacts/imports', { name: 'import', object: 'contact_import', section: 'imports' }],
  ['emails', { name: 'email', object: 'email' }],
  ['broadcasts', { name: 'broadcast', object: 'broadcast' }],
  ['automations', { name: 'automation', object: 'automation' }],
  ['templates', { name: 'template', object: 'template' }],
  ['domains', { name: 'domain', object: 'domain' }],
  ['webhooks', { name: 'webhook', object: 'webhook' }],
  ['events', { name: 'event', object: 'event' }],
  ['api-keys', { name: 'API key', object: 'api_key' }],
  ['contacts', { name: 'contact', object: 'contact' }],
  ['segments', { name: 'segment', object: 'segment' }],
  ['audiences', { name: 'segment', object: 'audience', section: 'segments' }],
  ['topics', { name: 'topic', object: 'topic' }],
  ['contact-properties', { name: 'property', object: 'contact_property', section: 'properties' }],
]

/** A batch has up to so many emails; more are not linked. */
const RELATED_MAX = 100

/** The record that the path names, or those that the request made. None that the answer says is not there, or was deleted. */
export function relatedRecords(log: RequestLogRow): RelatedRecord[] {
  const { method, endpoint, responseStatus } = log
  if (responseStatus === 404) return []
  const path = endpoint.slice(1)
  if (path.startsWith('suppressions')) return suppressedAddress(log)
  const [section, kind] = KINDS.find(([beginning]) => path === beginning || path.startsWith(`${beginning}/`)) ?? []
  if (section === undefined || kind === undefined) return []
  const [id = '', ...more] = path.slice(section.length + 1).split('/')
  const isDeletion = method === 'DELETE' && responseStatus < 300 && more.length === 0
  if (isDeletion) return []
  const linked = (one: string): RelatedRecord => ({
    address: `/console/${kind.section ?? section}/${one.toLowerCase()}`,
    name: `${kind.name} …${one.slice(-8)}`,
  })
  return (isId(id) ? [id] : idsMade(log, { kind, place: id })).slice(0, RELATED_MAX).map(linked)
}

/** @param place what follows the section in the path */
function idsMade({ responseStatus, responseBody }: RequestLogRow, { kind, place }: { kind: Kind; place: string }): string[] {
  if (responseStatus >= 300 || !isRecord(responseBody)) return []
  // A claim is not a record with a page; the domain that gets the name is.
  if (responseBody.object === 'domain_claim') return idIn(responseBody.domain_id)
  if (place === 'batch' && Array.isArray(responseBody.data)) return responseBody.data.flatMap((one) => (isRecord(one) ? idIn(one.id) : []))
  const isOfKind = responseBody.object === undefined ? place === '' : responseBody.object === kind.object
  return isOfKind ? idIn(responseBody.id) : []
}

const idIn = (value: unknown): string[] => (typeof value === 'string' && isId(value) ? [value] : [])

/** A suppression has no page of its own: the list finds it by its address. */
function suppressedAddress({ method, requestBody, responseBody }: RequestLogRow): RelatedRecord[] {
  const body = method === 'POST' ? requestBody : responseBody
  const address = isRecord(body) ? body.email : undefined
  if (typeof address !== 'string') return []
  return [{ address: `/console/suppressions?${new URLSearchParams({ q: address })}`, name: 'suppression' }]
}
