// The outcome of an SMTP transaction, as a value: a bounce is no exception.
import type { SMTPError } from 'nodemailer/lib/smtp-connection'

export type SmtpStage = 'connect' | 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

export type SmtpOutcome = {
  /**
   * delivered: the server accepted it. delayed: retry later. bounced: it would be refused again. abandoned: stopped by `mayContinue` or `close`,
   * before the server got the final dot.
   */
  kind: 'delivered' | 'delayed' | 'bounced' | 'abandoned'
  /** The server's reply code; null if there was no reply. */
  code: number | null
  /** For example 5.1.1 (RFC 3463). */
  enhancedCode: string | null
  /** The reply without its codes, lines joined by a space, or what went wrong. */
  text: string
  host: string
  /** The TLS version of the connection; null without TLS or without a connection. */
  tls: string | null
  stage: SmtpStage
  /** From the call of `send` to the outcome, including the wait for a connection. */
  durationMs: number
  /** True if the final dot was sent but never answered, so the server may have accepted the message. */
  unknown: boolean
}

/** The result of a transaction, before host, TLS and duration are added. */
export type SmtpResult = Pick<SmtpOutcome, 'kind' | 'code' | 'enhancedCode' | 'text' | 'stage' | 'unknown'>

/** Every attempt stores its text. Longer ones are cut. */
const TEXT_LENGTH_MAX = 2_000

/** Replies about the session or our account, not about the message (RFC 5321, RFC 4954): 421, 503, 530, 534, 535, 538. */
const SESSION_CODES = [421, 503, 530, 534, 535, 538]

/**
 * Only a permanent refusal of sender, recipient or message is final. An earlier one means that our path to the server is wrong, not the recipient.
 */
export function kindOfRefusal(code: number | null, stage: SmtpStage): 'delayed' | 'bounced' {
  const concernsMessage = stage === 'mail' || stage === 'rcpt' || stage === 'data' || stage === 'end'
  return concernsMessage && code !== null && code >= 500 && !SESSION_CODES.includes(code) ? 'bounced' : 'delayed'
}

export function resultOfReply(reply: string, stage: SmtpStage): SmtpResult {
  const parsed = parseSmtpReply(reply)
  if (parsed === null)
    return resultWithoutReply('delayed', stage, `The answer of the server is not an SMTP reply: ${reply}`, { unknown: stage === 'end' })
  const { code, enhancedCode, text } = parsed
  const kind = stage === 'end' && code >= 200 && code < 300 ? 'delivered' : kindOfRefusal(code, stage)
  return { kind, code, enhancedCode, text, stage, unknown: false }
}

/** The result of an error from nodemailer: a refusal with the server's reply, or a connection that failed without one. */
export function resultOfError(error: SMTPError, stage: SmtpStage): SmtpResult {
  if (typeof error.response === 'string' && error.response !== '') return resultOfReply(error.response, stage)
  return resultWithoutReply('delayed', stage, error.message, { unknown: stage === 'end' })
}

export function resultWithoutReply(kind: SmtpOutcome['kind'], stage: SmtpStage, text: string, { unknown = false } = {}): SmtpResult {
  return { kind, code: null, enhancedCode: null, text: oneLine(text), stage, unknown }
}

/** The text is stored in the database, which refuses NUL. */
const oneLine = (text: string): string => withoutControls(text).slice(0, TEXT_LENGTH_MAX).toWellFormed()

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
  return { code, enhancedCode, text: text.slice(0, REPLY_LENGTH_MAX).toWellFormed() }
}

/** Nothing that ends a line, moves a cursor, or shows the text around it in another order. */
export const withoutControls = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')

/** Servers send a few lines. A longer reply is not worth the memory. */
const RAW_LENGTH_MAX = 8192

const REPLY_LENGTH_MAX = 1024

const ENHANCED_CODE = /^([245]\.\d{1,3}\.\d{1,3})(?![.\d])/
