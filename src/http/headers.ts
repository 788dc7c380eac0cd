import { createHash, type Hash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** The available language that a reader prefers (RFC 9110, section 12.5.4); the first one if they prefer none of them. Regions do not count. */
export function preferredLanguage<Language extends string>(
  header: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const [preferred] = new Negotiator({ headers: { 'accept-language': header ?? '' } }).languages([...languages])
  return languages.find((language) => language === preferred) ?? languages[0]
}

/** What is hashed together. A longer string is hashed in pieces, because a copy of a large body is what memory lacks. */
const PIECE_LENGTH = 64 * 1024

/** Equal for bodies that differ only in the order of their fields: SHA-256 of the body as JSON, the fields of each record sorted by name. In hexadecimal. */
export function bodyHash(body: unknown): string {
  const hash = createHash('sha256')
  hash.update(write(hash, '', body))
  return hash.digest('hex')
}

/** Adds the JSON of a value to the text. Once that is long, it is hashed and begins anew. */
function write(hash: Hash, before: string, value: unknown): string {
  if (typeof value === 'string') return value.length > PIECE_LENGTH ? writeInPieces(hash, before, value) : before + JSON.stringify(value)
  if (value === null || typeof value !== 'object') return `${before}${JSON.stringify(value) ?? 'null'}`
  if (Array.isArray(value)) {
    let text = `${before}[`
    for (const [index, item] of value.entries()) text = write(hash, index === 0 ? text : passOn(hash, `${text},`), item)
    return `${text}]`
  }
  let text = `${before}{`
  let isFirst = true
  for (const [name, field] of Object.entries(sorted(value))) {
    if (field === undefined) continue
    text = write(hash, `${passOn(hash, text)}${isFirst ? '' : ','}${JSON.stringify(name)}:`, field)
    isFirst = false
  }
  return `${text}}`
}

function passOn(hash: Hash, text: string): string {
  if (text.length < PIECE_LENGTH) return text
  hash.update(text)
  return ''
}

function writeInPieces(hash: Hash, before: string, value: string): string {
  hash.update(`${before}"`)
  for (let from = 0; from < value.length; ) {
    // A character that takes two code units stays whole: half of one would be written as an escape.
    const end = from + PIECE_LENGTH
    const isWithin = (value.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const piece = value.slice(from, isWithin ? end + 1 : end)
    hash.update(JSON.stringify(piece).slice(1, -1))
    from += piece.length
  }
  return '"'
}

const sorted = (record: object): Record<string, unknown> => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

// The Range header (RFC 9110, section 14), as far as players and download programs use it: one range.

export type Range = { start: number; end: number }

/** Null: send all of it. `unsatisfiable`: the range is beyond the end. */
export function readRange(header: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const [, first, last] = RANGE.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  // A range whose end is before its start is no range at all.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'unsatisfiable' : { start, end }
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

/** The header that makes a browser save a file: RFC 6266 with the ASCII fallback of its appendix D. */
export function asDownload(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** The limit for a key that a client gives. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 256

/** Far more than browsers send. Finding the best entry of a longer list is not worth its time. */
const ACCEPT_LENGTH_MAX = 1_000

/** Whether the client prefers HTML to JSON, as browsers say in `Accept` (RFC 9110, section 12.5.1). Programs that accept anything get JSON. */
export const wantsPage = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  (headers.accept ?? '').length <= ACCEPT_LENGTH_MAX &&
  new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html'

/** How often a request has the header. Node shows the first of several, or all as one. In `rawHeaders`, names and values take turns. */
export function countHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, wanted: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === wanted.length && name.toLowerCase() === wanted) count++
  }
  return count
}
