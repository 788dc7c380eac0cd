import { createHash, type Hash } from 'node:crypto'

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
