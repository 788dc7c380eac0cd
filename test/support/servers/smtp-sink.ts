import { type AddressInfo, createServer, type Socket } from 'node:net'
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

// A mail server with scripted answers, for replies that no proper server gives.

export type ScriptedServer = { port: number; close(): Promise<void> }

/** The reply to a command. `isLast`: the connection is closed after it. Null: the reply of a proper server. */
export type ScriptedReply = { line: string; isLast?: true } | null

export type Script = {
  /** Null if it never says anything. */
  greeting: string | null
  /** `command` is its first word in upper case, or `.` for the end of a message. */
  reply(command: string): ScriptedReply
  extensions?: string[]
  /** The whole line of each command, before its reply. */
  onCommand?(line: string): void
  onMessage?(raw: string): void
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    if (script.greeting !== null) {
      socket.write(`${script.greeting}\r\n`)
      converse(socket, script)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: Socket, script: Script): void {
  let received = ''
  let body: string[] | null = null
  const answer = (command: string) => {
    const { line, isLast } = script.reply(command) ?? { line: properReply(command, script.extensions) }
    socket.write(`${line}\r\n`)
    if (isLast || command === 'QUIT') socket.end()
  }
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const lines = received.split('\r\n')
    received = lines.pop() ?? ''
    for (const line of lines) {
      if (body === null) {
        const command = (line.split(/[ :]/)[0] ?? '').toUpperCase()
        script.onCommand?.(line)
        answer(command)
        if (command === 'DATA') body = []
      } else if (line === '.') {
        script.onMessage?.(body.join('\r\n'))
        body = null
        answer('.')
      } else body.push(line)
    }
  })
}

function properReply(command: string, extensions: string[] = []): string {
  if (command === 'EHLO') return ['250-sink', ...extensions.map((name) => `250-${name}`), '250 8BITMIME'].join('\r\n')
  if (command === 'DATA') return '354 go on'
  return command === 'QUIT' ? '221 goodbye' : '250 ok'
}
