// Tells whether a message that is handed in again says the same, to everyone who reads it.
import { createHash, type Hash } from 'node:crypto'
import type { MimeNode, SplitterChunk } from '@zone-eu/mailsplit'

export type Fingerprint = { add(chunk: SplitterChunk): void; digest(): string }

/** What a program, or a server that passes the message on, writes anew each time that it sends it. */
const MAY_DIFFER = new Set([
  ...['date', 'message-id', 'received', 'dkim-signature', 'idempotency-key', 'resend-idempotency-key'],
  ...['return-path', 'authentication-results', 'arc-seal', 'arc-message-signature', 'arc-authentication-results'],
])

/** All parts with their headers and their place, but for the boundaries between them. */
export function createFingerprint(): Fingerprint {
  const whole = createHash('sha256')
  let body: Hash | null = null
  /** Hashes a part that says that it has parts: if it has none, this is its text. */
  let outside: Hash | null = null
  let last: MimeNode | null = null

  function endPart(): void {
    if (body !== null) whole.update(body.digest())
    if (outside !== null) whole.update(outside.digest())
  }

  return {
    add(chunk) {
      if (chunk.type !== 'node') {
        if (chunk.type === 'body') body?.update(chunk.value)
        else outside?.update(chunk.value)
        return
      }
      // Around parts there is only what no one reads.
      if (chunk.parentNode === last) outside = null
      endPart()
      whole.update(JSON.stringify([levelOf(chunk), fieldsOf(chunk)]))
      body = createHash('sha256')
      outside = chunk.multipart ? createHash('sha256') : null
      last = chunk
    },
    digest() {
      endPart()
      return whole.digest('base64')
    },
  }
}

function levelOf(node: MimeNode): number {
  let level = 0
  for (let parent: MimeNode | false | null | undefined = node.parentNode; parent; parent = parent.parentNode) level += 1
  return level
}

function fieldsOf(node: MimeNode): string[] {
  return node
    .getHeaders()
    .toString('latin1')
    .split(/\r\n(?![\t ])/)
    .filter((field, index) => !(index === 0 && MAILBOX_LINE.test(field)) && !MAY_DIFFER.has(nameOf(field)))
    .map((field) => (nameOf(field) === 'content-type' ? field.replace(/\s+/g, ' ').replace(BOUNDARY, '') : field))
}

const nameOf = (field: string): string =>
  field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trimEnd()
    .toLowerCase()

/** The first line of a message in a mailbox file. `From : ` begins a field. */
const MAILBOX_LINE = /^From (?![\t ]*:)/

/** RFC 2046, section 5.1.1 allows 70 characters. */
const BOUNDARY = /; ?boundary ?= ?(?:"[^"]{0,200}"|[^; "]{0,200})/i
