import { connect, type LookupFunction, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import SMTPConnection, { type SMTPError } from 'nodemailer/lib/smtp-connection'
import { needsTls, type RelayTarget } from './relay-url.ts'
import { resultOfError, resultWithoutReply, type SmtpResult, type SmtpStage } from './smtp-outcome.ts'
import { beginTransaction, type RunningTransaction, type SessionCondition, type SmtpTransaction } from './smtp-transaction.ts'

export type SmtpTimeouts = {
  /** Until the server has accepted the connection. */
  connectMs: number
  /** For the greeting, for TLS, and for each reply. */
  replyMs: number
  /** The wait for the reply to the final dot. Servers examine the message before they answer (RFC 5321, section 4.5.3.2.6, asks for patience). */
  finalReplyMs: number
  /** For a whole transaction, however active the server is. */
  transactionMs: number
}

/** Until a session is ready. */
export type OpeningTimeouts = {
  /** Until the server has accepted the connection. */
  connectMs: number
  /** For the greeting, for each reply, and for the handshake of TLS. */
  replyMs: number
  /** For everything after the connection, however active the server is. */
  readyMs: number
}

export type OpeningOptions = {
  helloName: string
  timeouts: SmtpTimeouts
  /** If absent, each step has the time of a reply. */
  opening?: OpeningTimeouts
  /** Ends the opening at once. */
  signal?: AbortSignal
}

/** A server and, for mail that is sent straight to it, the address that was checked. */
export type SmtpTarget = RelayTarget & {
  /** Where to connect instead of looking up `host` again. The certificate is still that of `host`. */
  address?: string
  /** Resolves `host`; the system's resolver if absent. */
  lookup?: LookupFunction
  /** Do not use STARTTLS even if it is offered. */
  inTheClear?: boolean
}

/** One connection, ready for one transaction after another. */
export type SmtpSession = {
  host: string
  /** The TLS version; null without TLS. */
  tls: string | null
  /** Whether the certificate is valid for the host. */
  isCertificateValid: boolean
  /** How many transactions were started on it. */
  transactionCount(): number
  isOpen(): boolean
  send(transaction: SmtpTransaction): Promise<SmtpResult>
  /** Prepares the session for the next transaction; false (and closed) if that fails. */
  recover(): Promise<boolean>
  /** Sends QUIT, then closes. */
  quit(): void
  /**
   * Destroys the socket, so that nothing more leaves the process. A running transaction ends as abandoned, or as unknown if its final dot was sent.
   */
  destroy(): void
  /** Called once when the session is over, whichever side ended it. */
  onClose(listener: () => void): void
}

/** Long multi-line replies exist. This is far more than they need, and still harmless. */
const REPLY_BYTES_MAX = 64 * 1024

/** Replies that have come and were not read yet. A transaction asks for a few at once; see docs/upstream. */
const REPLIES_WAITING_MAX = 1_000

/** If a server does not answer QUIT in this time, the connection is closed. */
const QUIT_TIMEOUT_MS = 1_000

/** The next message waits for it rather than open another connection. */
const RESET_MS_MAX = 10_000

export type FailedOpening = {
  failure: SmtpResult
  /** The server that failed, if several were possible. */
  host?: string
  /** TLS failed: refused, interrupted, or the certificate is invalid. */
  isTlsFailure?: boolean
  /** Neither login nor mail would have been sent without TLS. */
  isTlsNeeded?: boolean
}

export type OpenedSession = { session: SmtpSession } | FailedOpening

/** Connects, greets, secures and logs in. A failure is a value with the stage in which it happened. */
export async function openSmtpSession(target: SmtpTarget, options: OpeningOptions): Promise<OpenedSession> {
  const { helloName, timeouts, signal } = options
  const opening = options.opening ?? { connectMs: timeouts.connectMs, replyMs: timeouts.replyMs, readyMs: 4 * timeouts.replyMs }
  const socket = await openSocket(target, opening.connectMs, signal)
  if (socket instanceof Error) return { failure: resultWithoutReply('delayed', 'connect', socket.message) }
  if (signal?.aborted) {
    socket.destroy()
    return { failure: resultWithoutReply('delayed', 'connect', GIVEN_UP) }
  }

  const isTlsNeeded = needsTls(target, socket.remoteAddress)
  const connection = new SMTPConnection({
    connection: socket,
    host: target.host,
    port: target.port,
    secure: target.implicitTls,
    requireTLS: isTlsNeeded,
    ignoreTLS: target.inTheClear ?? false,
    name: helloName,
    tls: { rejectUnauthorized: target.verifyCertificate },
    connectionTimeout: opening.readyMs,
    // The greeting and the handshake each have this time.
    greetingTimeout: opening.replyMs,
    socketTimeout: opening.replyMs,
    maxResponseSize: REPLY_BYTES_MAX,
    // Closing destroys the socket: an `end` would still send what is buffered, including the final dot.
    socketCloseTimeout: 0,
  })
  boundReplies(connection)
  const opened = await getReady(connection, target, { timeouts, readyMs: opening.readyMs, isTlsNeeded, signal })
  return 'failure' in opened ? { ...opened, isTlsNeeded } : opened
}

/** nodemailer keeps all lines that came, empty ones too, and reads one of them in each turn of the event loop. A server could send them faster. */
function boundReplies(connection: SMTPConnection): void {
  const receive: unknown = Reflect.get(connection, '_onData')
  if (typeof receive !== 'function') throw new Error('nodemailer receives replies in another way now')
  Reflect.set(connection, '_onData', (chunk: Buffer) => {
    receive.call(connection, chunk)
    const waiting: unknown = Reflect.get(connection, '_responseQueue')
    if (!Array.isArray(waiting) || waiting.length <= REPLIES_WAITING_MAX) return
    waiting.length = 0
    if (connection._socket) connection._socket.destroy(new Error('The server sent more replies than it was asked for'))
  })
}

/** A socket of our own, so that connecting and greeting have separate time limits. */
function openSocket(
  { host, address, port, lookup }: SmtpTarget,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket | Error> {
  return new Promise((resolve) => {
    const socket = connect({ host: address ?? host, port, noDelay: true, ...(lookup && { lookup }) })
    const place = address === undefined || address === host ? host : `${host} (${address})`
    const fail = (reason: string) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      socket.destroy()
      resolve(new Error(`No connection to ${place} port ${port}: ${reason}`))
    }
    const abort = () => fail(GIVEN_UP)
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} seconds`), timeoutMs)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    // The listener stays until the SMTP connection has its own, so that every error has one.
    socket.on('error', (error: Error & { code?: string }) => fail(error.code ?? error.message))
    socket.once('connect', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(socket)
    })
  })
}

const GIVEN_UP = 'given up for other mail'

type Readying = { timeouts: SmtpTimeouts; readyMs: number; isTlsNeeded: boolean; signal: AbortSignal | undefined }

function getReady(
  connection: SMTPConnection,
  target: SmtpTarget,
  { timeouts, readyMs, isTlsNeeded, signal }: Readying,
): Promise<OpenedSession> {
  const { host, credentials } = target
  return new Promise((resolve) => {
    let stage: SmtpStage = 'greeting'
    const finish = (opened: OpenedSession) => {
      clearTimeout(deadline)
      connection.off('end', onEnd)
      signal?.removeEventListener('abort', abort)
      if ('failure' in opened) connection.close()
      resolve(opened)
    }
    const fail = (error: SMTPError) =>
      finish({
        failure: resultOfError(error, stage),
        isTlsFailure: error.code === 'ETLS' || isWithoutExtensions(error) || isSecuring(connection, { target, isTlsNeeded, stage, error }),
      })
    const onEnd = () => fail(new Error('The server closed the connection'))
    const abort = () => fail(new Error(`The server was not ready: ${GIVEN_UP}`))
    // A server that sends a byte now and then must not hold the place forever.
    const deadline = setTimeout(() => fail(new Error('The server did not get ready in time')), readyMs)
    signal?.addEventListener('abort', abort)

    // Stays as long as the connection. An error also ends the transaction or the session, each in its own way.
    connection.on('error', fail)
    connection.once('end', onEnd)
    connection.connect((error) => {
      if (error) return fail(error)
      const takesEightBits = /^250[ -]8BITMIME\b/im.test(connection.lastServerResponse || '')
      const supportsUtf8 = /^250[ -]SMTPUTF8\b/im.test(connection.lastServerResponse || '')
      const succeed = () => {
        if (connection._socket) connection._socket.setTimeout(timeouts.replyMs)
        finish({ session: toSession(connection, { host, supportsUtf8, takesEightBits, timeouts }) })
      }
      if (credentials === null) return succeed()
      stage = 'auth'
      connection.login({ user: credentials.user, pass: credentials.password }, (refused) => (refused ? fail(refused) : succeed()))
    })
  })
}

type Securing = { target: SmtpTarget; isTlsNeeded: boolean; stage: SmtpStage; error: SMTPError }

/**
 * The connection was lost, or became silent, after STARTTLS: before its reply, in the handshake, or before the reply to the next EHLO. With a reply to
 * that EHLO, it is the server that refuses.
 */
function isSecuring(connection: SMTPConnection, { target, isTlsNeeded, stage, error }: Securing): boolean {
  if (connection.upgrading === true) return true
  if (stage !== 'greeting' || error.responseCode !== undefined || target.implicitTls) return false
  if (connection.secure) return true
  const reply = connection.lastServerResponse || ''
  return reply.startsWith('250') && (isTlsNeeded || (target.inTheClear !== true && OFFERS_STARTTLS.test(reply)))
}

/** The pattern that nodemailer uses. */
const OFFERS_STARTTLS = /[ -]STARTTLS\b/im

/** A server that knows HELO alone has no STARTTLS. This is an error only if TLS is required. */
const isWithoutExtensions = ({ command, responseCode = 0 }: SMTPError): boolean =>
  command === 'EHLO' && UNKNOWN_COMMAND.includes(responseCode)

/** RFC 5321, section 4.2.4: not recognized, or not implemented. */
const UNKNOWN_COMMAND = [500, 502]

function toSession(
  connection: SMTPConnection,
  options: { host: string; supportsUtf8: boolean; takesEightBits: boolean; timeouts: SmtpTimeouts },
): SmtpSession {
  const socket = connection._socket
  let afterwards: SessionCondition = 'clean'
  let running: RunningTransaction | null = null
  let transactionCount = 0

  return {
    host: options.host,
    tls: socket instanceof TLSSocket ? socket.getProtocol() : null,
    isCertificateValid: socket instanceof TLSSocket && socket.authorized,
    transactionCount: () => transactionCount,
    isOpen: () => !connection.destroyed,

    async send(transaction) {
      transactionCount++
      running = beginTransaction(connection, transaction, options)
      const { result, condition } = await running.ending
      running = null
      afterwards = condition
      if (condition === 'broken') connection.close()
      return result
    },

    async recover() {
      if (connection.destroyed || afterwards === 'clean') return !connection.destroyed
      const isReset = await reset(connection, Math.min(RESET_MS_MAX, options.timeouts.replyMs))
      if (!isReset) connection.close()
      return isReset
    },

    quit() {
      if (connection.destroyed) return
      connection.quit()
      setTimeout(() => connection.close(), QUIT_TIMEOUT_MS).unref()
    },

    destroy() {
      running?.stop()
      connection.close()
    },

    onClose(listener) {
      if (connection.destroyed) listener()
      else connection.once('end', listener)
    },
  }
}

function reset(connection: SMTPConnection, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isReset: boolean) => {
      clearTimeout(timer)
      connection.off('end', onEnd)
      resolve(isReset)
    }
    const onEnd = () => settle(false)
    const timer = setTimeout(onEnd, timeoutMs)
    connection.once('end', onEnd)
    connection.reset((error) => settle(!error))
  })
}
