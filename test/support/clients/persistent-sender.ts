// Sends each message until it gets a 250, as a mail server does, whatever happens to the service.
import { setTimeout as wait } from 'node:timers/promises'
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

type Options = { port: number; connections: number; messages: readonly SendMailOptions[]; auth?: { user: string; pass: string } }

/** Otherwise the attempts take the time that the service needs to start. */
const RETRY_MS = 50

export function startSending({ port, connections, messages, auth }: Options): PersistentSending {
  const server = { host: '127.0.0.1', port, pool: true as const, maxConnections: connections, ignoreTLS: true }
  const transport = createTransport({ ...server, ...(auth && { auth }) })
  const waiting = [...messages]
  const replies: string[] = []
  let repeated = 0

  async function sendNext(): Promise<void> {
    for (let message = waiting.shift(); message; message = waiting.shift()) {
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
