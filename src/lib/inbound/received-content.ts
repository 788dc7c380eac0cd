/** A file of a message. */
export type ReceivedFile = {
  blobKey: string
  size: number
  filename: string | null
  contentType: string
  contentDisposition: 'inline' | 'attachment' | null
  contentId: string | null
}

/** What a received message says. */
export type ReceivedContent = {
  /** The address alone; empty if there is none. */
  from: string
  /** The display name of the sender; null if there is none. */
  fromName: string | null
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  /** The addresses in the `for` clauses of Received headers. */
  receivedFor: string[]
  subject: string | null
  messageId: string | null
  /** Message-IDs that it answers, the nearest first. */
  answers: string[]
  headers: Record<string, string>
  html: string | null
  text: string | null
  isAutoReply: boolean
  files: ReceivedFile[]
  /** What could not be read, in sentences; null if all was. */
  problem: string | null
}

/** Its texts in UTF-8, which is written where it is read: to write 15 MB takes a processor 70 ms. */
export type EncodedContent = Omit<ReceivedContent, 'html' | 'text'> & { html: Uint8Array | null; text: Uint8Array | null }

/** As people read it, `Ada Lovelace <ada@example.org>`, with quotes around a name that needs them; null if the email names no sender. */
export function senderText({ from, fromName }: Pick<ReceivedContent, 'from' | 'fromName'>): string | null {
  if (from === '') return null
  if (fromName === null) return from
  return `${NEEDS_QUOTES.test(fromName) ? `"${fromName.replace(/["\\]/g, '\\$&')}"` : fromName} <${from}>`
}

/** RFC 5322, section 3.2.3, but for the dot, which all programs read (section 4.1). */
const NEEDS_QUOTES = /[()<>[\]:;@\\,"]/
