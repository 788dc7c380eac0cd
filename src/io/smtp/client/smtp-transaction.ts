import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPEnvelope, SMTPError } from 'nodemailer/lib/smtp-connection'
import { inPieces, PIECE_LENGTH } from '../../../lib/main-thread.ts'
import { resultOfError, resultOfReply, resultWithoutReply, type SmtpResult, type SmtpStage } from './smtp-outcome.ts'

export type BodyGates = {
  /** Called before the first byte and before the final dot. If it returns false, the stream ends with a BodyStopped error. */
  mayContinue: () => boolean
  /** The socket of the body. The final dot is requested only after everything before it has left the process. */
  socket: () => Socket | null
  onStart: () => void
  /** Called before the final dot is written. */
  onDot: () => void
}

/** The message may no longer be sent by this process. */
export class BodyStopped extends Error {
  constructor() {
    super('The message may no longer be sent by this process')
  }
}

/** How often a slow connection is checked for whether the body has left. */
const DRAIN_POLL_MS = 5

/**
 * The message as a stream with two gates. The server accepts a message only with its final dot, so a process that was stopped in the middle sends
 * nothing twice.
 */
export function guardBody(message: Buffer | Readable, gates: BodyGates): Readable {
  if (Buffer.isBuffer(message) && message.length <= PIECE_LENGTH) return guardBuffer(message, gates)
  return Readable.from(guardStream(Buffer.isBuffer(message) ? inPieces(message) : message, gates), { objectMode: false })
}

/** Without a generator, because nearly all messages use this path and promises would cost more than the rest of it. */
function guardBuffer(message: Buffer, gates: BodyGates): Readable {
  let isStarted = false
  return new Readable({
    read() {
      if (!isStarted) {
        isStarted = true
        if (!gates.mayContinue()) this.destroy(new BodyStopped())
        else {
          gates.onStart()
          this.push(message)
        }
        return
      }
      whenWritten(gates, () => {
        if (this.destroyed) return
        if (!gates.mayContinue()) this.destroy(new BodyStopped())
        else {
          gates.onDot()
          this.push(null)
        }
      })
    },
  })
}

async function* guardStream(message: AsyncIterable<Buffer>, gates: BodyGates): AsyncGenerator<Buffer> {
  if (!gates.mayContinue()) throw new BodyStopped()
  gates.onStart()
  yield* message
  await new Promise<void>((resolve) => whenWritten(gates, resolve))
  if (!gates.mayContinue()) throw new BodyStopped()
  gates.onDot()
}

/** The streams between here and the socket pass everything on within a turn of the event loop, unless the socket itself buffers bytes. */
function whenWritten(gates: BodyGates, proceed: () => void): void {
  const check = () => {
    const socket = gates.socket()
    if (socket !== null && !socket.destroyed && socket.writableLength > 0) setTimeout(check, DRAIN_POLL_MS)
    else proceed()
  }
  setImmediate(check)
}

export type SmtpTransaction = {
  /** `from` may be empty: the null sender of bounces and reports (RFC 5321, section 4.5.5). */
  envelope: { from: string; to: string }
  message: Readable | Buffer
  /** False if another process has taken over the message. Called before MAIL FROM, before the body and before the final dot. */
  mayContinue: () => boolean
  /** Only over TLS, whatever the certificate: otherwise not even its sender leaves the process. */
  requiresTls?: boolean
  /** The server is told so if it wants to know (RFC 6152). */
  isEightBit?: boolean
  /** The message for a server that does not take eight bits. It does nothing before it is read. */
  inSevenBits?: () => Readable
  /** How much longer it may take in all; as long as a transaction may if absent. */
  leftMs?: () => number
  /** People wait for it, so it comes before other messages when connections are scarce. */
  isUrgent?: boolean
}

/** What the connection can be used for afterwards: the next transaction, the next after RSET, or nothing. */
export type SessionCondition = 'clean' | 'dirty' | 'broken'

export type RunningTransaction = {
  ending: Promise<{ result: SmtpResult; condition: SessionCondition }>
  /** Ends it at once. The caller destroys the connection. */
  stop(): void
}

type Progress = { isBodyBegun: boolean; isDotSent: boolean }

/** From MAIL FROM to the reply to the final dot, for one recipient. */
export function beginTransaction(
  connection: SMTPConnection,
  { envelope, message: given, mayContinue, isEightBit = false, inSevenBits, leftMs }: SmtpTransaction,
  {
    supportsUtf8,
    takesEightBits,
    timeouts,
  }: { supportsUtf8: boolean; takesEightBits: boolean; timeouts: { replyMs: number; finalReplyMs: number; transactionMs: number } },
): RunningTransaction {
  if (!supportsUtf8 && !(IS_ASCII.test(envelope.from) && IS_ASCII.test(envelope.to))) return endedAtOnce(NEEDS_SMTPUTF8, 'clean')
  if (!mayContinue()) return endedAtOnce(resultOfStop({ isBodyBegun: false, isDotSent: false }), 'broken')

  const message = isEightBit && !takesEightBits && inSevenBits ? inSevenBits() : given
  const progress: Progress = { isBodyBegun: false, isDotSent: false }
  const socket = () => connection._socket || null
  const body = guardBody(message, {
    mayContinue,
    socket,
    onStart: () => {
      progress.isBodyBegun = true
    },
    onDot: () => {
      progress.isDotSent = true
      socket()?.setTimeout(timeouts.finalReplyMs)
    },
  })
  // nodemailer records in this object how far the envelope got.
  const smtpEnvelope: SMTPEnvelope = { ...envelope, use8BitMime: isEightBit, size: Buffer.isBuffer(message) ? message.length : undefined }
  const { promise, resolve } = Promise.withResolvers<{ result: SmtpResult; condition: SessionCondition }>()
  const settle = (result: SmtpResult, condition: SessionCondition) => {
    clearTimeout(deadline)
    if (progress.isDotSent) socket()?.setTimeout(timeouts.replyMs)
    resolve({ result, condition })
  }
  const mayTakeMs = Math.min(timeouts.transactionMs, leftMs?.() ?? timeouts.transactionMs)
  const deadline = setTimeout(() => settle(resultOfOverrun(progress), 'broken'), mayTakeMs)
  connection.send(smtpEnvelope, body, (error, info) => {
    if (!error) settle(resultOfReply(info.response, progress.isDotSent ? 'end' : 'data'), progress.isDotSent ? 'clean' : 'broken')
    else if (error instanceof BodyStopped) settle(resultOfStop(progress), 'broken')
    else settle(resultOfFailure(error, findStage(error, progress, smtpEnvelope)), conditionAfter(error, progress))
  })
  return { ending: promise, stop: () => settle(resultOfStop(progress), 'broken') }
}

const endedAtOnce = (result: SmtpResult, condition: SessionCondition): RunningTransaction => ({
  ending: Promise.resolve({ result, condition }),
  stop: () => {},
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const IS_ASCII = /^[\x00-\x7f]*$/

const NEEDS_SMTPUTF8 = resultWithoutReply(
  'bounced',
  'mail',
  'The mail server does not support SMTPUTF8, which an address with characters outside ASCII needs',
)

/** Before the final dot the server has nothing. After it, only the server's reply could tell. */
function resultOfStop({ isBodyBegun, isDotSent }: Progress): SmtpResult {
  if (isDotSent)
    return resultWithoutReply('delayed', 'end', 'Stopped before the server answered whether it accepted the message', { unknown: true })
  return resultWithoutReply('abandoned', isBodyBegun ? 'data' : 'mail', 'Stopped before the message was sent')
}

function resultOfOverrun({ isBodyBegun, isDotSent }: Progress): SmtpResult {
  const stage = isDotSent ? 'end' : isBodyBegun ? 'data' : 'mail'
  return resultWithoutReply('delayed', stage, 'The server took too long over one message', { unknown: isDotSent })
}

/** Refused by nodemailer itself: an address that is not allowed in a command, or a size above the limit of the server. Both would happen again. */
function resultOfFailure(error: SMTPError, stage: SmtpStage): SmtpResult {
  const isOurRefusal = !error.response && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE')
  return isOurRefusal ? resultWithoutReply('bounced', stage, error.message) : resultOfError(error, stage)
}

function findStage(error: SMTPError, { isBodyBegun, isDotSent }: Progress, envelope: SMTPEnvelope): SmtpStage {
  if (isDotSent) return 'end'
  // With PIPELINING, a refused sender also makes the server refuse the recipient.
  if (error.command === 'MAIL FROM') return 'mail'
  if (isBodyBegun || error.command === 'DATA' || isFilled(envelope, 'accepted')) return 'data'
  if (error.command === 'RCPT TO' || isFilled(envelope, 'rejected')) return 'rcpt'
  return 'mail'
}

function isFilled(envelope: object, key: 'accepted' | 'rejected'): boolean {
  const list: unknown = Object.entries(envelope).find(([name]) => name === key)?.[1]
  return Array.isArray(list) && list.length > 0
}

/**
 * After a refused command or message the dialogue continues; after an interrupted body it cannot. 421 announces the end (RFC 5321, section 3.8).
 */
function conditionAfter(error: SMTPError, { isBodyBegun, isDotSent }: Progress): SessionCondition {
  const isInStep = isDotSent || !isBodyBegun
  const isRefusal = error.code === 'EENVELOPE' || error.code === 'EMESSAGE'
  return isInStep && isRefusal && error.responseCode !== 421 ? 'dirty' : 'broken'
}
