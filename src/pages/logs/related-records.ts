// What a request was about, with a page in the console.
import { isId } from '../../lib/ids.ts'
import type { RequestLogRow } from '../../repositories/team/request-logs.ts'
import { isRecord } from '../../schemas/bodies/field-tree.ts'

export type RelatedRecord = { address: string; name: string }

/** Keyed by the first part of the path. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['emails', 'email'],
  ['broadcasts', 'broadcast'],
  ['automations', 'automation'],
  ['templates', 'template'],
  ['domains', 'domain'],
  ['webhooks', 'webhook'],
  ['events', 'event'],
  ['api-keys', 'API key'],
  ['contacts', 'contact'],
  ['segments', 'segment'],
  ['topics', 'topic'],
  ['contact-properties', 'property'],
])

/** A batch has up to so many emails; more are not linked. */
const RELATED_MAX = 100

/** The record that the path names, or those that the request made. */
export function relatedRecords({ endpoint, responseStatus, responseBody }: RequestLogRow): RelatedRecord[] {
  const [, place = '', id = ''] = endpoint.split('/', 3)
  const kind = KINDS.get(place)
  if (kind === undefined) return []
  const section = place === 'contact-properties' ? 'properties' : place
  const linked = (one: string): RelatedRecord => ({
    address: `/console/${section}/${one.toLowerCase()}`,
    name: `${kind} …${one.slice(-8)}`,
  })
  if (isId(id)) return [linked(id)]
  if (responseStatus >= 300 || !isRecord(responseBody)) return []
  const made = [responseBody, ...(id === 'batch' && Array.isArray(responseBody.data) ? responseBody.data : [])]
  return made.flatMap((one) => (isRecord(one) && typeof one.id === 'string' && isId(one.id) ? [linked(one.id)] : [])).slice(0, RELATED_MAX)
}
