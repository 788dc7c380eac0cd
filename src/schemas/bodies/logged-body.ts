// A body as the request log keeps it.
import type { FieldTree } from './field-tree.ts'
import { redact } from './redaction.ts'

export const LOGGED_BODY_BYTES_MAX = 64 * 1024

export type LoggedBody = { value: unknown; isCut: boolean; bytes: number }

/** Redacted only as far as it is kept: redacting a body of 30 MB would block every other request. */
export const loggedBody = (fields: FieldTree, value: unknown): LoggedBody =>
  cutBody(value === undefined ? null : redact(fields, value, LOGGED_BODY_BYTES_MAX))

/** A body that is too long becomes a string: the beginning of its JSON. */
export function cutBody(value: unknown): LoggedBody {
  if (value === null || value === undefined) return { value: null, isCut: false, bytes: 0 }
  const text = JSON.stringify(value)
  if (text.length <= LOGGED_BODY_BYTES_MAX && Buffer.byteLength(text) <= LOGGED_BODY_BYTES_MAX)
    return { value, isCut: false, bytes: text.length }
  const kept = Buffer.from(text.slice(0, LOGGED_BODY_BYTES_MAX))
    .subarray(0, LOGGED_BODY_BYTES_MAX)
    .toString('utf8')
    .replace(/\uFFFD{1,3}$/, '')
    .toWellFormed()
  return { value: kept, isCut: true, bytes: kept.length }
}
