import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

export type SinkMessage = {
  from: string
  to: string[]
  raw: string
  isTls: boolean
  user: string | null
  /** The id of the connection. Messages of one connection share it. */
  sessionId: string
}

/** How the sink misbehaves: a reply code with a text, or a dropped connection without a reply. Undefined if it behaves. */
export type SinkFault = { code: number; text?: string } | 'drop' | undefined

export type SmtpSinkOptions = {
  onConnect?: (connection: number) => SinkFault
  onMail?: (from: string) => SinkFault
  onRecipient?: (to: string) => SinkFault
  /** After the final dot; a message that is dropped or refused is not recorded. */
  onMessage?: (message: SinkMessage) => SinkFault
  /** In the middle of the body: stops reading, then drops the connection. */
  dropInBody?: boolean
  /** Before every reply to MAIL, RCPT and the message. */
  replyDelayMs?: number
  /** Held before the reply to the final dot, for as long as the promise takes. The message is recorded afterwards. */
  beforeReply?: (message: SinkMessage) => Promise<void>
  /** Demanded before MAIL. */
  credentials?: { user: string; password: string }
  /** If absent, smtp-server offers STARTTLS with its own certificate, which no client trusts. */
  tls?: 'none' | 'starttls' | 'implicit'
  /** Where it listens: 127.0.0.1 and a free port if absent. */
  address?: string
  port?: number
  /** Further options of smtp-server, such as `hidePIPELINING` or `size`. */
  server?: SMTPServerOptions
}

export type SmtpSink = {
  port: number
  /** What was accepted, in order. */
  messages: SinkMessage[]
  connectionCount(): number
  openConnectionCount(): number
  /** Ends every connection that is open now, as a restart of the server would. */
  dropConnections(): void
  close(): Promise<void>
}

/** A mail server on loopback that keeps what it receives and fails on demand. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const messages: SinkMessage[] = []
  let connectionCount = 0
  const tls = options.tls ?? 'none'

  const server: SMTPServer = new SMTPServer({
    secure: tls === 'implicit',
    authOptional: options.credentials === undefined,
    allowInsecureAuth: true,
    disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(options.credentials === undefined ? ['AUTH'] : [])],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    ...options.server,
    onConnect(session, callback) {
      connectionCount++
      answer(session, options.onConnect?.(connectionCount), callback)
    },
    onAuth({ username, password }, _session, callback) {
      const isKnown = username === options.credentials?.user && password === options.credentials?.password
      callback(isKnown ? null : refusal({ code: 535, text: 'wrong user or password' }), { user: username })
    },
    async onMailFrom({ address }, session, callback) {
      await delay()
      answer(session, options.onMail?.(address), callback)
    },
    async onRcptTo({ address }, session, callback) {
      await delay()
      answer(session, options.onRecipient?.(address), callback)
    },
    async onData(stream, session, callback) {
      if (options.dropInBody) return drop(session)
      // Null if the client disconnected in the middle of the body and waits for no answer.
      const raw = await buffer(stream).catch(() => null)
      if (raw === null) return
      const message = toMessage(session, raw)
      await delay()
      await options.beforeReply?.(message)
      const fault = options.onMessage?.(message)
      if (fault === undefined) messages.push(message)
      answer(session, fault, callback)
    },
  })
  // Errors of single connections are what the tests cause.
  server.on('error', () => {})

  const delay = async () => {
    if (options.replyDelayMs !== undefined) await wait(options.replyDelayMs)
  }
  const drop = ({ id }: SMTPServerSession) => {
    for (const connection of server.connections) if (connection.session.id === id) connection._socket.destroy()
  }
  const answer = (session: SMTPServerSession, fault: SinkFault, callback: (error?: Error) => void) => {
    if (fault === 'drop') drop(session)
    else if (fault === undefined) callback()
    else callback(refusal(fault))
  }

  const listener = server.listen(options.port ?? 0, options.address ?? '127.0.0.1')
  await new Promise<void>((resolve, reject) => listener.once('listening', resolve).once('error', reject))
  const { port } = listener.address() as AddressInfo

  return {
    port,
    messages,
    connectionCount: () => connectionCount,
    openConnectionCount: () => server.connections.size,
    dropConnections: () => {
      for (const { _socket } of server.connections) _socket.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        for (const { _socket } of server.connections) _socket.destroy()
      }),
  }
}

const refusal = ({ code, text = 'refused by the sink' }: { code: number; text?: string }): Error =>
  Object.assign(new Error(text), { responseCode: code })

function toMessage(session: SMTPServerSession, raw: Buffer): SinkMessage {
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    raw: raw.toString('latin1'),
    isTls: session.secure,
    user: typeof session.user === 'string' ? session.user : null,
    sessionId: session.id,
  }
}
