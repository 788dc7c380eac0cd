// What a person would read of a report, and where the message that it returns begins.
import { textFromHtml } from '../html/text-from-html.ts'
import { type Fields, readFields } from './fields.ts'
import type { Part } from './message-parts.ts'

export type Notice = {
  text: string
  /** The head of the message that is returned inside of the text, as older servers do. */
  returned: Fields
}

export function noticeOf(parts: readonly Part[]): Notice {
  const texts = parts.filter(({ contentType, isAttachment, text }) => contentType === 'text/plain' && !isAttachment && text.trim() !== '')
  const html = parts.find(({ contentType, isAttachment }) => contentType === 'text/html' && !isAttachment)
  const whole = texts.length > 0 ? texts.map(({ text }) => text.slice(0, TEXT_LENGTH_MAX)).join('\n') : textOf(html)
  return split(whole.slice(0, TEXT_LENGTH_MAX))
}

const textOf = (html: Part | undefined): string => (html === undefined ? '' : textFromHtml(html.text.slice(0, HTML_LENGTH_MAX)))

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
  return ANNOUNCEMENTS.some((announcement) => words.includes(announcement))
}

const ANNOUNCEMENT_LENGTH_MAX = 120

const ANNOUNCEMENTS = [
  'below this line is a copy of the message',
  'this is a copy of the message, including',
  'this is a copy of your message, including',
  'this is a copy of the headers',
  'copy of the original message',
  'a copy of the message follows',
  'message header follows',
  'message headers follow',
  'message follows ---',
  'message text follows',
  'unsent message follows',
  'unsent message below',
  'returned message follows',
  'returned mail follows',
  'original message follows',
  'original message headers',
  'original message header',
  'original headers:',
  '----- original message',
  '-----original message',
  '---- original message',
  '--- original message',
  'begin original message',
  'start of returned message',
  'start of message',
  '---- returned message',
  '--- returned message',
  'undelivered message follows',
  'headers of the original message',
  'header of the original message',
  'header of original message',
  'the header follows',
  'text of your message follows',
  'your message follows',
  'your original message',
  'first 200 lines of',
  'kopfzeilen der nachricht',
  'ursprungliche nachricht',
  'ursprüngliche nachricht',
  'en-tête du message',
  'entetes du message',
  "en-têtes d'origine",
  'encabezados del mensaje',
  'cabeçalhos da mensagem',
  'intestazioni messaggio',
  '元のメッセージ',
  'オリジナルメッセージ',
  '原始邮件',
  '原始郵件',
]

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
