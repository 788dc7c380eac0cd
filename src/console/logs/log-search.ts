// What a person looks for among the logged requests, as the address of the page says it.
import { type Static, Type } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import type { LogSearch } from '../../modules/logs/logs.repository.ts'
import { placeFields } from '../shell/pager.ts'
import { ADDRESS } from './log-words.ts'

/** Without NUL, which no text in the database has. The longest path that is kept. */
const PATH_LENGTH_MAX = 1_024
const text = Type.Optional(Type.String({ maxLength: PATH_LENGTH_MAX, pattern: '^[^\\u0000]*$' }))

/** An empty field matches anything, as a form sends it. */
export const LogQuery = Type.Object({
  path: text,
  method: text,
  status: text,
  key: text,
  from: text,
  until: text,
  ...placeFields,
})

export const SOUGHT_FIELDS = ['path', 'method', 'status', 'key', 'from', 'until'] as const
export type SoughtLogs = Record<(typeof SOUGHT_FIELDS)[number], string>

/** The last is that of mail that was submitted. */
export const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'SMTP']

export const soughtIn = (query: Static<typeof LogQuery>): SoughtLogs => ({
  path: (query.path ?? '').trim(),
  method: METHODS.find((method) => method === query.method) ?? '',
  status: (query.status ?? '').trim().toLowerCase(),
  key: (query.key ?? '').trim().toLowerCase(),
  from: (query.from ?? '').trim(),
  until: (query.until ?? '').trim(),
})

export const isAnything = (sought: SoughtLogs): boolean => SOUGHT_FIELDS.every((field) => sought[field] === '')

/** The fields that are filled, for an address. */
export const filledFields = (sought: SoughtLogs): Record<string, string> =>
  Object.fromEntries(SOUGHT_FIELDS.filter((field) => sought[field] !== '').map((field) => [field, sought[field]]))

export const searchPath = (sought: SoughtLogs, position: { after?: string } = {}): string => {
  const query = new URLSearchParams({ ...filledFields(sought), ...position }).toString()
  return query === '' ? ADDRESS : `${ADDRESS}?${query}`
}

/** @throws Failure that names the field. */
export function searchOf(sought: SoughtLogs): Omit<LogSearch, 'after' | 'limit'> {
  const { path, method, key, status, from, until } = sought
  if (key !== '' && !UUID.test(key)) throw invalid('The `key` field must be the id of a key.')
  return {
    path: path || null,
    method: method || null,
    apiKeyId: key || null,
    status: statusOf(status),
    from: timeOf('from', from),
    until: timeOf('until', until),
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** `404`, or `4xx` for all of them. */
function statusOf(typed: string): LogSearch['status'] {
  if (typed === '') return null
  if (/^[1-5]xx$/.test(typed)) return { from: Number(typed[0]) * 100, to: Number(typed[0]) * 100 + 99 }
  if (!/^[1-5]\d\d$/.test(typed)) throw invalid('The `status` field must be a status, such as 404, or 4xx for all that begin with 4.')
  return { from: Number(typed), to: Number(typed) }
}

/** As a browser writes a date and a time, in UTC. */
function timeOf(field: string, typed: string): Date | null {
  if (typed === '') return null
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(typed)
  const time = new Date(isTime ? `${typed}Z` : Number.NaN)
  if (Number.isNaN(time.getTime()) || time.getTime() < 0)
    throw invalid(`The \`${field}\` field must be a date and a time, such as 2001-05-01T14:30.`)
  return time
}
