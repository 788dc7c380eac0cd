// The outcome of an SMTP transaction, as a value: a bounce is no exception.
import type { SMTPError } from 'nodemailer/lib/smtp-connection'
import { parseSmtpReply, withoutControls } from '../../mail/smtp-replies.ts'

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
    return resultWithoutReply('delayed', stage, `The server answered what is no reply: ${reply}`, { unknown: stage === 'end' })
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
