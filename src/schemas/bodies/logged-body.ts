// A body as the request log keeps it.
import type { FieldTree } from './field-tree.ts'
import { isKeptWhole, redact } from './redaction.ts'

export const LOGGED_BODY_BYTES_MAX = 64 * 1024

/** `json`: null if there is none. */
export type LoggedBody = { json: string | null; isCut: boolean; bytes: number }

/** Redacted only as far as it is kept: redacting a body of 30 MB would block every other request. */
export function loggedBody(fields: FieldTree, value: unknown): LoggedBody {
  if (value === undefined || isKeptWhole(fields, value, LOGGED_BODY_BYTES_MAX)) return cutBody(value)
  return cutBody(redact(fields, value, LOGGED_BODY_BYTES_MAX))
}

/** A body that is too long becomes a string: the beginning of its JSON. */
export function cutBody(value: unknown): LoggedBody {
  if (value === null || value === undefined) return { json: null, isCut: false, bytes: 0 }
  const json = JSON.stringify(value)
  if (json.length <= LOGGED_BODY_BYTES_MAX && Buffer.byteLength(json) <= LOGGED_BODY_BYTES_MAX)
    return { json, isCut: false, bytes: json.length }
  const kept = Buffer.from(json.slice(0, LOGGED_BODY_BYTES_MAX))
    .subarray(0, LOGGED_BODY_BYTES_MAX)
    .toString('utf8')
    .replace(/\uFFFD{1,3}$/, '')
    .toWellFormed()
  return { json: JSON.stringify(kept), isCut: true, bytes: kept.length }
}
