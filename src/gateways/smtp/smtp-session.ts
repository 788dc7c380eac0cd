import { connect, type LookupFunction, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import SMTPConnection, { type SMTPError } from 'nodemailer/lib/smtp-connection'
import { needsTls, type RelayTarget } from './relay-url.ts'
import { resultOfError, resultWithoutReply, type SmtpResult, type SmtpStage } from './smtp-outcome.ts'
import { beginTransaction, type RunningTransaction, type SessionCondition, type SmtpTransaction } from './smtp-transaction.ts'

export type SmtpTimeouts = {
  /** Until the server has taken the connection. */
  connectMs: number
  /** For the greeting, for TLS, and for each reply. */
  replyMs: number
  /** For the reply to the final dot: servers look through the message before they answer (RFC 5321, section 4.5.3.2.6, asks for patience). */
  finalReplyMs: number
  /** For a whole transaction, however lively the server is. */
  transactionMs: number
}

/** A server, and for mail that goes straight to it also the very address that was checked. */
export type SmtpTarget = RelayTarget & {
  /** Where to connect instead of looking `host` up again; the certificate is still that of `host`. */
  address?: string
  /** How `host` becomes an address; the system's way if absent. */
  lookup?: LookupFunction
  /** STARTTLS is not used even when offered. */
  inTheClear?: boolean
}

/** One connection, ready for transactions, one after the other. */
export type SmtpSession = {
  host: string
  /** The TLS version, null in the clear. */
  tls: string | null
  /** Whether the certificate is valid for the host. */
  isCertificateValid: boolean
  /** How many transactions were begun on it. */
  transactionCount(): number
  isOpen(): boolean
  send(transaction: SmtpTransaction): Promise<SmtpResult>
  /** Makes the session fit for the next transaction; false (and closed) when it is not. */
  recover(): Promise<boolean>
  /** Says goodbye, then closes. */
  quit(): void
  /** Destroys the socket: what has not left the process never will. A running transaction ends as abandoned, or unknown if its final dot is out. */
  destroy(): void
  /** Called once when the session is over, whoever ended it. */
  onClose(listener: () => void): void
}

/** Long multi-line replies exist; this is far above them and far below harm. */
const REPLY_BYTES_MAX = 64 * 1024

/** A server that does not answer QUIT is left without it. */
const QUIT_TIMEOUT_MS = 1_000

export type FailedOpening = {
  failure: SmtpResult
  /** The server it was that failed, where several were possible. */
  host?: string
  /** It was TLS that failed: refused, broken off, or the certificate. */
  isTlsFailure?: boolean
  /** Neither login nor mail would have been sent without TLS. */
  isTlsNeeded?: boolean
}

export type OpenedSession = { session: SmtpSession } | FailedOpening

/** Connects, greets, secures and logs in. A failure is a value with the stage it happened in. */
export async function openSmtpSession(
  target: SmtpTarget,
  { helloName, timeouts }: { helloName: string; timeouts: SmtpTimeouts },
): Promise<OpenedSession> {
  const socket = await openSocket(target, timeouts.connectMs)
  if (socket instanceof Error) return { failure: resultWithoutReply('delayed', 'connect', socket.message) }

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
    // The greeting and the handshake each have their time.
    connectionTimeout: 2 * timeouts.replyMs,
    greetingTimeout: timeouts.replyMs,
    socketTimeout: timeouts.replyMs,
    maxResponseSize: REPLY_BYTES_MAX,
    // Closing destroys: an `end` would still send what is buffered, the final dot included.
    socketCloseTimeout: 0,
  })
  const opened = await getReady(connection, target, timeouts)
  return 'failure' in opened ? { ...opened, isTlsNeeded } : opened
}

/** Our own socket, so that the time for connecting is apart from the time for greeting. */
function openSocket({ host, address, port, lookup }: SmtpTarget, timeoutMs: number): Promise<Socket | Error> {
  return new Promise((resolve) => {
    const socket = connect({ host: address ?? host, port, noDelay: true, ...(lookup && { lookup }) })
    const place = address === undefined || address === host ? host : `${host} (${address})`
    const fail = (reason: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(new Error(`No connection to ${place} port ${port}: ${reason}`))
    }
    const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} seconds`), timeoutMs)
    // The listener stays, so that no error finds nobody until the SMTP connection listens itself.
    socket.on('error', (error: Error & { code?: string }) => fail(error.code ?? error.message))
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
  })
}

function getReady(connection: SMTPConnection, { host, credentials }: SmtpTarget, timeouts: SmtpTimeouts): Promise<OpenedSession> {
  return new Promise((resolve) => {
    let stage: SmtpStage = 'greeting'
    const finish = (opened: OpenedSession) => {
      clearTimeout(deadline)
      connection.off('end', onEnd)
      if ('failure' in opened) connection.close()
      resolve(opened)
    }
    const fail = (error: SMTPError) =>
      finish({ failure: resultOfError(error, stage), isTlsFailure: error.code === 'ETLS' || connection.upgrading === true })
    const onEnd = () => fail(new Error('The server closed the connection'))
    // A server that sends a byte now and then must not hold the place for ever.
    const deadline = setTimeout(() => fail(new Error('The server did not get ready in time')), 4 * timeouts.replyMs)

    // Stays for the connection's life: an error also ends the transaction or the session, each in its own way.
    connection.on('error', fail)
    connection.once('end', onEnd)
    connection.connect((error) => {
      if (error) return fail(error)
      const supportsUtf8 = /^250[ -]SMTPUTF8\b/im.test(connection.lastServerResponse || '')
      const succeed = () => finish({ session: toSession(connection, { host, supportsUtf8, timeouts }) })
      if (credentials === null) return succeed()
      stage = 'auth'
      connection.login({ user: credentials.user, pass: credentials.password }, (refused) => (refused ? fail(refused) : succeed()))
    })
  })
}

function toSession(connection: SMTPConnection, options: { host: string; supportsUtf8: boolean; timeouts: SmtpTimeouts }): SmtpSession {
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
      const isReset = await reset(connection, options.timeouts.replyMs)
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
