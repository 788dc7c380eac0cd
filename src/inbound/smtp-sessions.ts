// The SMTP library with what it lacks: replies with enhanced codes of our own, and someone who sees each reply.
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import { hasEnhancedCode } from './replies.ts'

/** Called after each reply: one for the greeting, one for each command, and one more for each message. */
export type ReplyWatch = (connection: SMTPConnection, code: number) => void

export class SmtpSessions extends SMTPServer {
  readonly #onReply: ReplyWatch

  constructor(options: SMTPServerOptions, onReply: ReplyWatch) {
    super(options)
    this.#onReply = onReply
  }

  /** As in the library, with our connection in place of its own. */
  override connect(socket: Socket, options: SMTPConnectionOptions): SMTPConnection {
    const connection = new WatchedConnection(this, socket, options, this.#onReply)
    this.connections.add(connection)
    connection.on('error', (error) => this.emit('error', error))
    connection.init()
    return connection
  }
}

class WatchedConnection extends SMTPConnection {
  readonly #onReply: ReplyWatch

  constructor(server: SMTPServer, socket: Socket, options: SMTPConnectionOptions, onReply: ReplyWatch) {
    super(server, socket, options)
    this.#onReply = onReply
  }

  /** The library derives an enhanced code from the code alone: without `context` it adds none. */
  override send(code: number, text?: string | string[] | null, context?: string | false): void {
    super.send(code, text, hasEnhancedCode(text) ? false : context)
    this.#onReply(this, code)
  }
}
