// What messages as strangers send them are made of, and what is read of them.

/** What is read does not matter: that it is read does. Equal to anything. */
export const ANYTHING: never = { asymmetricMatch: () => true } as never

export type Expected = {
  from: string | null
  to: string[]
  subject: string | null
  text: string | null
  html: string | null
  /** Name, type, disposition, content id and size. */
  files: [string | null, string, 'inline' | 'attachment' | null, string | null, number][]
  /** The beginning of it. */
  problem: string | null
  isAutoReply: boolean
}

export type CorpusMessage = { name: string; content: string | Buffer; expected: Partial<Expected> }

export const HEAD = 'From: Ada <ada@example.org>\r\nTo: support@example.com\r\nSubject: Hi\r\n'

/** What the head says, and what most messages have none of. */
export const EXPECTED: Expected = {
  ...{ from: 'Ada <ada@example.org>', to: ['support@example.com'], subject: 'Hi', text: null, html: null },
  ...{ files: [], problem: null, isAutoReply: false },
}

/** A message with this head of its own, besides the usual one. */
export const body = (head: string, content: string): string => `${HEAD}${head}${head && '\r\n'}\r\n${content}`

export const part = (head: string, content: string): string => `--b\r\n${head}\r\n\r\n${content}\r\n`
export const mixed = (...parts: string[]): string =>
  body('MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b', `${parts.join('')}--b--\r\n`)

export const rest = (type: string): string => `Content-Type: ${type}`
export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const deep = (levels: number): string =>
  Array.from({ length: levels }, (_one, depth) => `Content-Type: multipart/mixed; boundary=d${depth}\r\n\r\n--d${depth}\r\n`).join('')
