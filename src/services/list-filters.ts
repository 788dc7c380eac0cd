// What a client looks for in a list, read from the query parameters of the operation. Null if it gave no filter: then the list is not searched.
import type { Static } from '@sinclair/typebox'
import { invalid } from '../lib/failure.ts'
import type { PageRequest } from '../lib/page-request.ts'
import { quotedValue } from '../lib/quotation.ts'
import { canonicalDomain } from '../mail/addresses.ts'
import { contactAddress, partOfContactAddress } from '../mail/audience/contact-addresses.ts'
import { timeOfParameter } from '../mail/times/query-times.ts'
import type { BroadcastSearch } from '../repositories/broadcasts/broadcast-searches.ts'
import type { ContactSearch } from '../repositories/contacts/contact-searches.ts'
import type { EmailSearch } from '../repositories/emails/email-lines.ts'
import type { LogSearch } from '../repositories/team/log-searches.ts'
import type { BroadcastListQuery } from '../schemas/broadcasts.ts'
import type { ListQuery } from '../schemas/common.ts'
import type { ContactListQuery } from '../schemas/contacts.ts'
import type { EmailListQuery } from '../schemas/emails.ts'
import type { LogListQuery } from '../schemas/logs.ts'

/** @throws Failure `validation` about the first parameter that is wrong; so do the others. */
export function emailSearch(query: Static<typeof EmailListQuery>, request: PageRequest): EmailSearch | null {
  if (!hasFilter(query)) return null
  return {
    ...request,
    words: null,
    subject: query.subject ?? null,
    state: query.status ?? null,
    to: query.to === undefined ? null : recipientOf(query.to),
    ...senderOf(query.from),
    broadcast: query.broadcast_id?.toLowerCase() ?? null,
    tag: query.tag === undefined ? null : tagOf(query.tag),
    ...rangeOf(query),
  }
}

export const contactSearch = ({ search }: Static<typeof ContactListQuery>, request: PageRequest): ContactSearch | null =>
  search === undefined ? null : { ...request, words: search, part: partOfContactAddress(search) }

export function broadcastSearch(query: Static<typeof BroadcastListQuery>, request: PageRequest): BroadcastSearch | null {
  if (!hasFilter(query)) return null
  return { ...request, status: query.status ?? null, segmentId: query.segment_id?.toLowerCase() ?? null, ...rangeOf(query) }
}

export function logSearch(query: Static<typeof LogListQuery>, request: PageRequest): LogSearch | null {
  if (!hasFilter(query)) return null
  const { since, until } = rangeOf(query)
  return {
    ...request,
    path: query.path ?? null,
    method: query.method ?? null,
    status: query.status === undefined ? null : statusesOf(query.status),
    apiKeyId: query.api_key_id?.toLowerCase() ?? null,
    from: since,
    until,
  }
}

/** More than what every list has. */
function hasFilter(query: Static<typeof ListQuery>): boolean {
  const { limit: _limit, after: _after, before: _before, ...filters } = query
  return Object.values(filters).some((value) => value !== undefined)
}

function rangeOf({ start_date: start, end_date: end }: { start_date?: string; end_date?: string }): {
  since: Date | null
  until: Date | null
} {
  const since = start === undefined ? null : timeOfParameter('start_date', start, 'UTC')
  const until = end === undefined ? null : timeOfParameter('end_date', end, 'UTC')
  if (since !== null && until !== null && since > until) throw invalid('The `start_date` parameter must be on or before `end_date`.')
  return { since, until }
}

function recipientOf(text: string): string {
  const address = contactAddress(text)
  if (typeof address !== 'string')
    throw invalid(`The \`to\` parameter must be an email address, such as ada@example.com.${quotedValue(text)}`)
  return address
}

/** An address, or a domain with all of its addresses. */
function senderOf(text: string | undefined): { from: string | null; domain: string | null } {
  if (text === undefined) return { from: null, domain: null }
  const address = contactAddress(text)
  if (typeof address === 'string') return { from: address, domain: null }
  const domain = canonicalDomain(text)
  if (typeof domain === 'string') return { from: null, domain }
  throw invalid(`The \`from\` parameter must be an email address or a domain, such as ada@example.com or example.com.${quotedValue(text)}`)
}

/** No tag has an empty name or value: a search for one is a mistake, and not a list without emails. */
function tagOf(tag: string): { name: string; value: string | null } {
  const [name = '', ...rest] = tag.split(':')
  const value = rest.length === 0 ? null : rest.join(':')
  if (name === '' || value === '')
    throw invalid(`The \`tag\` parameter must be the name of a tag, or \`name:value\`, such as category:receipt.${quotedValue(tag)}`)
  return { name, value }
}

/** `404`, or `4xx` for all of them. */
function statusesOf(status: string): { from: number; to: number } {
  if (status.endsWith('xx')) return { from: Number(status[0]) * 100, to: Number(status[0]) * 100 + 99 }
  return { from: Number(status), to: Number(status) }
}
