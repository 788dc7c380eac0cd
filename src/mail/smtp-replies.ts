/** `enhancedCode` is that of RFC 3463, such as `5.1.1`. `text` is one line without codes and control characters. */
export type SmtpReply = { code: number; enhancedCode: string | null; text: string }

/** Reads a reply of one or several lines (RFC 5321, section 4.2.1) as the server sent it; null if it does not begin with a code. */
export function parseSmtpReply(raw: string): SmtpReply | null {
  const lines = raw.slice(0, RAW_LENGTH_MAX).split(/\r?\n/)
  const code = Number(/^([2-5]\d\d)(?=[ -]|$)/.exec(lines[0]?.trim() ?? '')?.[1])
  if (Number.isNaN(code)) return null
  const texts = lines.map((line) => withoutControls(line).replace(/^ *[2-5]\d\d(?:[ -]|$)/, ''))
  const enhancedCode = ENHANCED_CODE.exec(texts[0]?.trim() ?? '')?.[1] ?? null
  const words = texts.map((text) => text.trim().replace(ENHANCED_CODE, '').trim())
  const text = words.filter((line) => line !== '').join(' ')
  return { code, enhancedCode, text: text.slice(0, TEXT_LENGTH_MAX).toWellFormed() }
}

/** Nothing that ends a line, moves a cursor, or shows the text around it in another order. */
export const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')

/** Servers send a few lines. A longer reply is not worth the memory. */
const RAW_LENGTH_MAX = 8192

const TEXT_LENGTH_MAX = 1024

const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?![.\d])/
