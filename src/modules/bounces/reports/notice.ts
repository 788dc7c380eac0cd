// What a person would read of a report, and where the message that it returns begins.
import { noticePhrases } from '../../../mail/bounces/phrase-files.ts'
import { textFromHtml } from '../../../mail/html/text-from-html.ts'
import { type Fields, readFields } from '../../../mail/mime-fields.ts'
import type { Part } from './message-parts.ts'

export type Notice = {
  text: string
  /** The head of the message that is returned inside of the text, as older servers do. */
  returned: Fields
}

export function readNotice(parts: readonly Part[]): Notice {
  const texts = parts.filter(({ contentType, isAttachment, text }) => contentType === 'text/plain' && !isAttachment && text.trim() !== '')
  const html = parts.find(({ contentType, isAttachment }) => contentType === 'text/html' && !isAttachment)
  const whole = texts.length > 0 ? texts.map(({ text }) => text.slice(0, TEXT_LENGTH_MAX)).join('\n') : htmlAsText(html)
  return split(whole.slice(0, TEXT_LENGTH_MAX))
}

const htmlAsText = (html: Part | undefined): string => (html === undefined ? '' : textFromHtml(html.text.slice(0, HTML_LENGTH_MAX)))

/** Room for two thousand recipients. */
const TEXT_LENGTH_MAX = 512 * 1024

const HTML_LENGTH_MAX = 64 * 1024

function split(text: string): Notice {
  const lines = text.split('\n')
  const place = lines.findIndex((line, at) => announcesReturned(line) || beginsHead(lines, at))
  if (place === -1) return { text, returned: summaryIn(lines) }
  const from = announcesReturned(lines[place] ?? '') ? place + 1 : place
  const returned = lines.slice(from, from + HEAD_LINES_MAX).map(withoutQuote)
  const start = returned.findIndex((line) => FIELD.test(line))
  const head = readFields(returned.slice(Math.max(start, 0)).join('\n'))
  // What follows an announcement that announced nothing is still the notice, unless it is mail.
  return { text: lines.slice(0, place).join('\n'), returned: head }
}

const HEAD_LINES_MAX = 500

/** Lines that stand before the returned message. Long ones are sentences. */
function announcesReturned(line: string): boolean {
  if (line.length > ANNOUNCEMENT_LENGTH_MAX || line.length < 8) return false
  const words = line.toLowerCase().trim()
  return noticePhrases('announcements').some((announcement) => words.includes(announcement))
}

const ANNOUNCEMENT_LENGTH_MAX = 120

/** Some notices name the message among their own words. */
const summaryIn = (lines: readonly string[]): Fields =>
  readFields(
    lines
      .map((line) => line.trim())
      .filter((line) => MESSAGE_ID_LINE.test(line))
      .join('\n'),
  )

const MESSAGE_ID_LINE = /^(?:original-)?message-id:/i

/** The head of a message that nothing announces. `Subject` and `To` alone would be a summary of it. */
function beginsHead(lines: readonly string[], place: number): boolean {
  if (!HEAD_FIELD.test(withoutQuote(lines[place] ?? ''))) return false
  const next = lines.slice(place, place + HEAD_LOOKED_AT).map(withoutQuote)
  return next.filter((line) => FIELD.test(line)).length >= 3
}

const HEAD_LOOKED_AT = 12

const HEAD_FIELD = /^(?:received|return-path|mime-version|dkim-signature|delivered-to|x-[a-z-]{1,40}):/i

const FIELD =
  /^(?:received|return-path|message-id|mime-version|dkim-signature|delivered-to|date|from|to|subject|reply-to|content-[a-z-]{1,40}|x-[a-z-]{1,40}):/i

const withoutQuote = (line: string): string => line.replace(/^(?:> ?|\| ?|\t| {1,8})/, '')

// Finds the SMTP reply that a report quotes, among words of any kind.

export type QuotedReply = { code: number | null; enhancedCode: string | null }

/** The first code, and the first enhanced code that says more than its class. */
export function replyIn(text: string): QuotedReply {
  const cut = text.slice(0, REPLY_TEXT_LENGTH_MAX)
  const codes = [...cut.matchAll(CODE)].map(([, code]) => Number(code))
  const enhancedCodes = [...cut.matchAll(ENHANCED_CODE)].map(([, code]) => code ?? '')
  return {
    code: codes.find((code) => CODES.has(code)) ?? null,
    enhancedCode: enhancedCodes.find((code) => !isGeneral(code)) ?? enhancedCodes[0] ?? null,
  }
}

/** Whether the code says only that there is an error, as `5.0.0` and `5.1.0` do. */
export const isGeneral = (enhancedCode: string): boolean => enhancedCode.endsWith('.0')

const REPLY_TEXT_LENGTH_MAX = 4096

const CODE = /(?<=^|[\s;:,("'#\]-])([45]\d\d)(?=[\s)"',;:.-]|$)/g

/** Not an IP address, nor a part of one. */
const ENHANCED_CODE = /(?<=^|[\s;:,("'#[-])([45]\.\d{1,3}\.\d{1,3})(?![.\d])/g

/** The codes of RFC 5321, of its extensions, and ones that servers made up. Other numbers of three digits are amounts and ports. */
const CODES = new Set([
  421, 431, 432, 441, 442, 446, 447, 449, 450, 451, 452, 453, 454, 455, 458, 459, 471, 500, 501, 502, 503, 504, 510, 511, 512, 513, 515,
  517, 521, 523, 530, 531, 533, 534, 535, 538, 540, 541, 542, 543, 544, 545, 550, 551, 552, 553, 554, 555, 556, 557, 558, 559, 570, 571,
  572, 573, 574, 577,
])
