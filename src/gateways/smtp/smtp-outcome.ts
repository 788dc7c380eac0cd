// What an SMTP transaction came to, as a value: a bounce is no exception.
import type { SMTPError } from 'nodemailer/lib/smtp-connection'
import { parseSmtpReply } from '../../mail/smtp-replies.ts'

export type SmtpStage = 'connect' | 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

export type SmtpOutcome = {
  /** delivered: the server took it. delayed: try later. bounced: it would be refused again. abandoned: stopped by `mayContinue` or `close`; the server got no final dot. */
  kind: 'delivered' | 'delayed' | 'bounced' | 'abandoned'
  /** The server's reply code, null when there was no reply. */
  code: number | null
  /** For example 5.1.1 (RFC 3463). */
  enhancedCode: string | null
  /** The reply without its codes, lines joined by a space, or what went wrong. */
  text: string
  host: string
  /** The TLS version of the connection, null in the clear or without a connection. */
  tls: string | null
  stage: SmtpStage
  /** From the call of `send` to the outcome, waiting for a connection included. */
  durationMs: number
  /** True: the final dot was sent but never answered, so the server may have taken the message. */
  unknown: boolean
}

/** How a transaction went, before host, TLS and duration are added. */
export type SmtpResult = Pick<SmtpOutcome, 'kind' | 'code' | 'enhancedCode' | 'text' | 'stage' | 'unknown'>

/** Every attempt keeps its text; longer ones are cut. */
const TEXT_LENGTH_MAX = 2_000

/** Replies that speak of the session or of our account rather than of the message (RFC 5321, RFC 4954): 421, 503, 530, 534, 535, 538. */
const SESSION_CODES = [421, 503, 530, 534, 535, 538]

/** Only a permanent refusal of sender, recipient or message is final: before that it is our way to the server that is wrong, not the recipient. */
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

/** For what nodemailer reports: a refusal with the server's reply, or a connection that failed without one. */
export function resultOfError(error: SMTPError, stage: SmtpStage): SmtpResult {
  if (typeof error.response === 'string' && error.response !== '') return resultOfReply(error.response, stage)
  return resultWithoutReply('delayed', stage, error.message, { unknown: stage === 'end' })
}

export function resultWithoutReply(kind: SmtpOutcome['kind'], stage: SmtpStage, text: string, { unknown = false } = {}): SmtpResult {
  return { kind, code: null, enhancedCode: null, text: oneLine(text), stage, unknown }
}

/** Without control characters: the text goes into the database, and NUL does not. */
const oneLine = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, TEXT_LENGTH_MAX)
    .toWellFormed()
