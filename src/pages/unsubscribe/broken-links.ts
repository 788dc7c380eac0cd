// Links that were damaged on their way so badly that the router or the HTTP parser refuses them. Their readers get the page too.

import { createId } from '../../lib/ids.ts'
import { readingOf } from './texts/texts.ts'
import { noticePage } from './unsubscribe-page.ts'
import { pageHeaders } from './unsubscribe-shell.ts'

/** The route for a link that cannot be routed: its link does not work either. */
export const BROKEN_LINK = '/unsubscribe/-'

export const isUnsubscribeLink = (url: string): boolean => /^\/+unsubscribe(?:[/?]|$)/.test(url)

/**
 * The answer on the socket to a link longer than the 16 KB that all headers may have. There is no request, only the bytes that arrived last. Null
 * if it is about something else, or arrived in so many pieces that its beginning is lost.
 */
export function overlongLinkReply({ code, rawPacket }: { code?: string | undefined; rawPacket?: unknown }): string | null {
  if (code !== 'HPE_HEADER_OVERFLOW' || !Buffer.isBuffer(rawPacket)) return null
  const packet = rawPacket.toString('latin1')
  if (!isUnsubscribeLink(/^[A-Z]+ (\S*)/.exec(packet)?.[1] ?? '')) return null
  const reading = readingOf(/\r\naccept-language:([^\r]*)/i.exec(packet)?.[1])
  const text = noticePage(reading, { title: reading.texts.badLink, note: reading.texts.badLinkNote })
  const headers = { ...pageHeaders(reading), 'x-request-id': createId(), 'content-length': Buffer.byteLength(text), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 431 Request Header Fields Too Large\r\n${lines.join('')}\r\n${text}`
}
