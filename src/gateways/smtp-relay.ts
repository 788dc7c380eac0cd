import { Readable } from 'node:stream'
import { type Clock, systemClock } from '../lib/clock.ts'
import { parseRelayUrl } from './relay-url.ts'
import type { SmtpOutcome } from './smtp-outcome.ts'
import { sendThrough } from './smtp-sending.ts'
import { openSmtpSession, type SmtpTimeouts } from './smtp-session.ts'
import { createSessionPool } from './smtp-session-pool.ts'
import type { SmtpTransaction } from './smtp-transaction.ts'

export type SmtpRelayOptions = {
  /** See `parseRelayUrl`. */
  url: string
  /** The name in EHLO. */
  helloName: string
  connectionsMax?: number
  /** A connection says goodbye after so many messages: servers limit them, and load balancers spread connections only. */
  messagesPerConnectionMax?: number
  timeouts?: Partial<SmtpTimeouts>
  clock?: Clock
}

export type SmtpRelay = {
  /** One message to one recipient in a transaction of its own. Never fails: whatever happens is an outcome. A message stream is always consumed or destroyed. */
  send(transaction: SmtpTransaction): Promise<SmtpOutcome>
  /** Refuses new messages, waits `graceMs` for running transactions, then destroys their sockets. */
  close(graceMs?: number): Promise<void>
}

const CONNECTIONS_MAX = 20
const MESSAGES_PER_CONNECTION_MAX = 100

/** Within the 10 s that the whole service has for stopping. */
const CLOSE_GRACE_MS = 5_000

const TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, replyMs: 60_000, finalReplyMs: 120_000, transactionMs: 600_000 }

/** A pool of connections to the mail server of SMTP_RELAY_URL. Throws a StartupProblem when the URL is wrong. */
export function createSmtpRelay(options: SmtpRelayOptions): SmtpRelay {
  const target = parseRelayUrl(options.url)
  const clock = options.clock ?? systemClock
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const pool = createSessionPool({
    open: () => openSmtpSession(target, { helloName: options.helloName, timeouts }),
    sessionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
    transactionsMax: options.messagesPerConnectionMax ?? MESSAGES_PER_CONNECTION_MAX,
    clock,
  })

  return {
    async send(transaction) {
      const { message } = transaction
      const startedMs = clock.monotonicMs()
      // A stream that fails while the message waits for its turn is found failed when it is read.
      if (message instanceof Readable) message.on('error', () => {})
      const { result, tls } = await sendThrough(() => pool, transaction)
      if (message instanceof Readable) message.destroy()
      return { ...result, host: target.host, tls, durationMs: Math.round(clock.monotonicMs() - startedMs) }
    },
    close: (graceMs = CLOSE_GRACE_MS) => pool.close(graceMs),
  }
}
