// Sends each message until it gets a 250, as a mail server does, whatever happens to the service.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createTransport, type SendMailOptions } from 'nodemailer'

export type PersistentSending = {
  /** The reply to each message that got a 250, in the order in which they came. */
  replies: string[]
  /** How many have got a 250. */
  acknowledged(): number
  /** How often a message got none and was sent again. */
  repeated(): number
  /** Resolves when all have got a 250. */
  done: Promise<unknown>
}

type Options = {
  port: number
  connections: number
  messages: readonly SendMailOptions[]
  auth?: { user: string; pass: string }
  /** Held before each try for as long as the promise takes. It is told how many messages have got a 250. */
  beforeTry?: (acknowledged: number) => Promise<void>
}

/** Otherwise the attempts take the time that the service needs to start. */
const RETRY_MS = 50

export function startSending({ port, connections, messages, auth, beforeTry }: Options): PersistentSending {
  const server = { host: '127.0.0.1', port, pool: true as const, maxConnections: connections, ignoreTLS: true }
  const transport = createTransport({ ...server, ...(auth && { auth }) })
  const waiting = [...messages]
  const replies: string[] = []
  let repeated = 0

  async function next(): Promise<SendMailOptions | undefined> {
    await beforeTry?.(replies.length)
    return waiting.shift()
  }

  async function sendNext(): Promise<void> {
    for (let message = await next(); message; message = await next()) {
      const reply = await transport.sendMail(message).then(
        ({ response }) => response,
        () => null,
      )
      if (reply !== null) {
        replies.push(reply)
        continue
      }
      repeated += 1
      waiting.push(message)
      await wait(RETRY_MS)
    }
  }

  return {
    replies,
    acknowledged: () => replies.length,
    repeated: () => repeated,
    done: Promise.all(Array.from({ length: connections }, sendNext)).then(() => transport.close()),
  }
}

// One connection to an SMTP server, command by command and byte by byte, for what no mail server would send.

export type SmtpClient = {
  socket: Socket
  /** Sends a command and returns the whole reply: its lines, without line breaks at the end. */
  say(command: string): Promise<string>
  /** Sends bytes as they are. */
  write(bytes: string | Buffer): void
  /** The next reply. Fails if the connection ends before. */
  reply(): Promise<string>
  /** Greeting, EHLO, MAIL, RCPT and DATA; the content may follow. */
  startMessage(to: string, from?: string): Promise<void>
  /** A whole message, and the reply to it. */
  sendMessage(to: string, content: string, from?: string): Promise<string>
  /** After STARTTLS was answered. Returns the certificate of the server. */
  upgrade(): Promise<string>
  /** Everything that came before the server ended the connection. */
  ended(): Promise<string>
  close(): void
}

export async function openSmtpClient(port: number, { localAddress }: { localAddress?: string } = {}): Promise<SmtpClient> {
  let socket: Socket = connect({ port, host: '127.0.0.1', ...(localAddress !== undefined && { localAddress }) })
  let received = ''
  let hasEnded = false
  let isGreeted = false
  let hasSaidHello = false
  let wake = () => {}
  const follow = (followed: Socket) => {
    followed.setEncoding('latin1')
    followed.on('error', () => {})
    followed.on('data', (text) => {
      received += text
      wake()
    })
    followed.on('close', () => {
      hasEnded = true
      wake()
    })
  }
  follow(socket)
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })

  async function reply(): Promise<string> {
    for (;;) {
      const whole = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/.exec(received)?.[0]
      if (whole !== undefined) {
        received = received.slice(whole.length)
        isGreeted = true
        return whole.trimEnd()
      }
      if (hasEnded) throw new Error(`The connection ended after ${JSON.stringify(received)}`)
      await more()
    }
  }

  const write = (bytes: string | Buffer) => void socket.write(bytes)

  async function say(command: string): Promise<string> {
    write(`${command}\r\n`)
    return reply()
  }

  async function startMessage(to: string, from = ''): Promise<void> {
    if (!isGreeted) await reply()
    if (!hasSaidHello) await say('EHLO mx.example.net')
    hasSaidHello = true
    for (const command of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA']) {
      const answer = await say(command)
      if (!/^[23]/.test(answer)) throw new Error(`${command} was answered with ${answer}`)
    }
  }

  await once(socket, 'connect')
  return {
    get socket() {
      return socket
    },
    say,
    write,
    reply,
    startMessage,
    async sendMessage(to, content, from) {
      await startMessage(to, from)
      return say(`${content}\r\n.`)
    },
    async upgrade() {
      const plain = socket
      plain.removeAllListeners('data')
      const secured = connectTls({ socket: plain, rejectUnauthorized: false })
      await once(secured, 'secureConnect')
      socket = secured
      follow(secured)
      return secured.getPeerX509Certificate()?.toString() ?? ''
    },
    async ended() {
      while (!hasEnded) await more()
      return received
    },
    close: () => void socket.destroy(),
  }
}
