// Which header fields a signature covers (RFC 6376, sections 5.4.1 and 5.4.2), and their relaxed form (section 3.4.2).

/**
 * Signed one time more than they occur (RFC 6376, section 8.15), so that none can be added or put before another: they name the sender, the
 * recipients and the subject, decide how the body is read, and tell a reader where to unsubscribe.
 */
const OVERSIGNED = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Reply-To',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
]

/** Signed as often as they occur. A mailing list or another server on the way may add one. */
const SIGNED = [
  'Content-Transfer-Encoding',
  'Content-Disposition',
  'Content-ID',
  'In-Reply-To',
  'References',
  'Auto-Submitted',
  'Feedback-ID',
  'List-Id',
  'List-Help',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
]

export type SignedHeaders = {
  /** The names for `h=`. */
  names: string[]
  /** The fields in the same order, in relaxed form. What does not exist is nothing. */
  fields: string[]
}

/** @param head the header fields of a message, each character a byte */
export function signedHeaders(head: string): SignedHeaders {
  const byName = Map.groupBy(head.split(/\r\n(?![\t ])/), nameOf)
  // Several fields of a name are signed from the last one up.
  const fieldsOf = (name: string) => (byName.get(name.toLowerCase()) ?? []).toReversed()
  const names = [
    ...OVERSIGNED.flatMap((name) => [...fieldsOf(name).map(() => name), name]),
    ...SIGNED.flatMap((name) => fieldsOf(name).map(() => name)),
  ]
  return { names, fields: [...OVERSIGNED, ...SIGNED].flatMap(fieldsOf).map(relaxedField) }
}

/** On one line, its name in lower case, each run of spaces and tabs as one space, none of them around the colon or at the end. */
export function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(':') + 1).replaceAll('\r\n', '')
  return `${nameOf(field)}:${trimmed(value.replace(/[\t ]+/g, ' '))}`
}

const nameOf = (field: string): string => trimmed(field.slice(0, Math.max(0, field.indexOf(':'))).toLowerCase())

/** Removes single spaces only: other white space may be a byte of a letter. */
function trimmed(text: string): string {
  return text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith(' ') ? -1 : undefined)
}
