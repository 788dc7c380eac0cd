// What rspamd says of a message, asked by HTTP (https://docs.rspamd.com/developers/protocol).
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { AskFilter } from './filtered-message.ts'

/** An answer with hundreds of rules and their descriptions takes a tenth of this. */
const ANSWER_BYTES_MAX = 1024 * 1024
const PATH = '/checkv2'

const Answer = Type.Object({ action: Type.String(), score: Type.Number() })

export const askRspamd: AskFilter = async (url, { open, ...message }, signal) => {
  const target = url.pathname === '/' ? new URL(PATH, url) : url
  const content = await open()
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: headersOf(message),
      body: Readable.toWeb(content) as ReadableStream<Uint8Array>,
      duplex: 'half',
      redirect: 'error',
      signal,
    })
    if (!response.ok) throw new Error(`rspamd answered ${response.status}`)
    const { action, score } = Value.Decode(Answer, JSON.parse(await textOf(response)))
    return { ...(JUDGEMENTS.get(action) ?? CLEAN), score, detail: action }
  } finally {
    content.destroy()
  }
}

const CLEAN = { verdict: 'clean', refuses: 'not' } as const
const JUDGEMENTS: ReadonlyMap<string, { verdict: 'clean' | 'spam'; refuses: 'always' | 'now' | 'not' }> = new Map([
  ['reject', { verdict: 'spam', refuses: 'always' }],
  ['soft reject', { verdict: 'spam', refuses: 'now' }],
  ['add header', { verdict: 'spam', refuses: 'not' }],
  ['rewrite subject', { verdict: 'spam', refuses: 'not' }],
])

/** What a sender wrote is escaped: a header has no other characters. */
function headersOf({ mailFrom, recipients, peer, helo }: Omit<Parameters<AskFilter>[1], 'open'>): [string, string][] {
  const headers: [string, string][] = [
    ['IP', peer],
    ['Helo', helo],
    ['From', mailFrom],
    ...recipients.map((address): [string, string] => ['Rcpt', address]),
  ]
  return headers.map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, '?')])
}

async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > ANSWER_BYTES_MAX) throw new Error('rspamd answered too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
