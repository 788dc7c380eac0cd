// Links that were broken on their way so badly that the router or the parser of HTTP refuses them: their readers get the page as well.

import { readingOf } from './texts/texts.ts'
import { noticePage } from './unsubscribe-page.ts'
import { pageHeaders } from './unsubscribe-shell.ts'

/** What a link that cannot be routed is taken for: one that can, and does not work. */
export const BROKEN_LINK = '/unsubscribe/-'

export const isUnsubscribeLink = (url: string): boolean => /^\/+unsubscribe(?:[/?]|$)/.test(url)

/**
 * The answer on the socket to a link of more than the 16 KB that all headers may have. There is no request, but what arrived last of it.
 * Null: it is about something else, or came in so many pieces that its beginning is gone.
 */
export function overlongLinkReply({ code, rawPacket }: { code?: string | undefined; rawPacket?: unknown }): string | null {
  if (code !== 'HPE_HEADER_OVERFLOW' || !Buffer.isBuffer(rawPacket)) return null
  const packet = rawPacket.toString('latin1')
  if (!isUnsubscribeLink(/^[A-Z]+ (\S*)/.exec(packet)?.[1] ?? '')) return null
  const reading = readingOf(/\r\naccept-language:([^\r]*)/i.exec(packet)?.[1])
  const text = noticePage(reading, { title: reading.texts.badLink, note: reading.texts.badLinkNote })
  const headers = { ...pageHeaders(reading), 'content-length': Buffer.byteLength(text), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 431 Request Header Fields Too Large\r\n${lines.join('')}\r\n${text}`
}
