// The SMTP library with what it lacks: replies with enhanced codes of our own, and someone who sees each reply.
import type { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import { isLoopback } from '../../../lib/peer-addresses.ts'
import { isProblem } from '../../../lib/problem.ts'
import { parseAddressAlone } from '../../../mail/addresses.ts'
import { hasEnhancedCode } from './replies.ts'

/** Called after each reply: one for the greeting, one for each command, and one more for each message. */
export type ReplyWatch = (connection: SMTPConnection, code: number) => void

export class SmtpSessions extends SMTPServer {
  readonly #onReply: ReplyWatch

  constructor(options: SMTPServerOptions, onReply: ReplyWatch) {
    super(options)
    this.#onReply = onReply
  }

  /** The certificate may have been replaced. */
  contextNow(): SecureContext {
    const context = this.secureContext.get('*')
    if (context === undefined) throw new Error('The SMTP library has a certificate')
    return context
  }

  /** As in the library, with our connection in place of its own. */
  override connect(socket: Socket, options: SMTPConnectionOptions): SMTPConnection {
    const connection = new WatchedConnection(this, socket, options, this.#onReply)
    this.connections.add(connection)
    connection.on('error', (error) => this.emit('error', error))
    // It came over TLS from its first byte.
    if (socket instanceof TLSSocket) {
      connection.secure = true
      connection.session.secure = true
    }
    connection.init()
    return connection
  }
}

const SERVICE_READY = 220

/** `MAIL FROM:<"a b"@example.com> SIZE=1` (RFC 5321, section 4.1.2), perhaps with a route, which is to be ignored. */
const PATH =
  /^(?<command>[A-Za-z]+ +[A-Za-z]+) *: *<(?:@[^\s,:@<>"]+(?:,@[^\s,:@<>"]+)*:)?(?<address>(?:"(?:[^"\\]|\\.)*"|[^\s"<>@]+)@[^\s"<>@]+)>(?<parameters>(?:\s.*)?)$/
const QUOTE = '"'
const STAND_IN = 'a@example.com'

class WatchedConnection extends SMTPConnection {
  readonly #onReply: ReplyWatch

  constructor(server: SMTPServer, socket: Socket, options: SMTPConnectionOptions, onReply: ReplyWatch) {
    super(server, socket, options)
    this.#onReply = onReply
  }

  /** Passwords come over TLS, or from this machine. */
  #takesPasswords(): boolean {
    return this.secure || isLoopback(this.remoteAddress)
  }

  /** A client that is offered AUTH sends its password. */
  override handler_EHLO(command: Buffer, callback: () => void): void {
    const isOffered = this.#takesPasswords() || this._isDisabled('AUTH')
    if (!isOffered) this.session.disabledCommands = [...(this._server.options.disabledCommands ?? []), 'AUTH']
    super.handler_EHLO(command, callback)
    if (!isOffered) delete this.session.disabledCommands
  }

  override handler_AUTH(command: Buffer, callback: () => void): void {
    if (this.#takesPasswords()) super.handler_AUTH(command, callback)
    else {
      this.send(538, '5.7.11 Passwords are taken over TLS only: send STARTTLS first')
      callback()
    }
  }

  /**
   * The library takes neither quoted local parts, nor dots side by side, nor underscores in domains. What it refuses is read by the rule of POST
   * /emails, and its parameters as the library reads them.
   */
  override _parseAddressCommand(name: string, command: Buffer | string): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const parsed = super._parseAddressCommand(name, command)
    if (parsed !== false && !parsed.address.includes(QUOTE)) return parsed
    const path = PATH.exec(command.toString())?.groups
    const mailbox = path === undefined ? null : parseAddressAlone(path.address ?? '')
    if (path === undefined || mailbox === null || isProblem(mailbox)) return false
    const others = super._parseAddressCommand(name, `${path.command}:<${STAND_IN}>${path.parameters}`)
    return others === false ? false : { ...others, address: mailbox.address }
  }

  /** The library derives an enhanced code from the code alone: without `context` it adds none. */
  override send(code: number, text?: string | string[] | null, context?: string | false): void {
    this.#gather(code)
    super.send(code, text, hasEnhancedCode(text) ? false : context)
    this.#onReply(this, code)
  }

  /** Clients send several commands at once (RFC 2920). The replies to them leave together, because each write costs more than making its reply. */
  #gather(code: number): void {
    const socket = this._socket
    // TLS may begin after this one.
    if (code === SERVICE_READY) socket.uncork()
    else if (socket.writableCorked === 0) {
      socket.cork()
      setImmediate(() => socket.uncork())
    }
  }
}
