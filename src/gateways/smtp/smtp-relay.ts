import type { LookupFunction } from 'node:net'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { openRelaySession } from './relay-session.ts'
import { parseRelayUrl } from './relay-url.ts'
import { CLOSE_GRACE_MS, outcomeOf, type SmtpSender, sendThrough, TIMEOUTS } from './smtp-sending.ts'
import type { SmtpTimeouts } from './smtp-session.ts'
import { createSessionPool } from './smtp-session-pool.ts'
import type { SmtpTransaction } from './smtp-transaction.ts'

export type SmtpRelayOptions = {
  /** See `parseRelayUrl`. */
  url: string
  /** The name in EHLO. */
  helloName: string
  connectionsMax?: number
  /** A connection is closed after this many messages, because servers limit them and load balancers spread only connections. */
  messagesPerConnectionMax?: number
  timeouts?: Partial<SmtpTimeouts>
  clock?: Clock
  /** Resolves the name of the relay; the system's resolver if absent. */
  lookup?: LookupFunction
}

export type SmtpRelay = SmtpSender<SmtpTransaction> & {
  /** Opens one session as sending does, login included, and closes it. Never fails, and ends within the given time. */
  check(withinMs?: number): Promise<RelayCheck>
}

/** `isReached`: a server accepted the connection. */
export type RelayCheck = { isUsable: true; tls: string | null } | { isUsable: false; isReached: boolean; reason: string }

const CONNECTIONS_MAX = 20
const MESSAGES_PER_CONNECTION_MAX = 100

/** The start waits for it. */
const CHECK_MS_MAX = 5_000

/** A pool of connections to the mail server of SMTP_RELAY_URL. Throws a StartupProblem if the URL is wrong. */
export function createSmtpRelay(options: SmtpRelayOptions): SmtpRelay {
  const target = { ...parseRelayUrl(options.url), ...(options.lookup && { lookup: options.lookup }) }
  const clock = options.clock ?? systemClock
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const pool = createSessionPool({
    open: () => openRelaySession(target, { helloName: options.helloName, timeouts }),
    sessionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
    transactionsMax: options.messagesPerConnectionMax ?? MESSAGES_PER_CONNECTION_MAX,
    clock,
  })

  /** Whatever address it is reached at, a relay goes by the name that the operator gave it. */
  const attempt = async (transaction: SmtpTransaction) => ({ ...(await sendThrough(() => pool, transaction)), host: target.host })

  return {
    send: (transaction) => outcomeOf(transaction, attempt, { server: target.host, clock }),
    async check(withinMs = CHECK_MS_MAX) {
      const { promise: deadline, resolve } = Promise.withResolvers<RelayCheck>()
      const timer = setTimeout(() => resolve(tooSlow(withinMs)), withinMs)
      const short = { ...timeouts, connectMs: withinMs, replyMs: withinMs }
      const checking = openRelaySession(target, { helloName: options.helloName, timeouts: short }).then((opened): RelayCheck => {
        clearTimeout(timer)
        if ('failure' in opened) return { isUsable: false, isReached: opened.failure.stage !== 'connect', reason: opened.failure.text }
        opened.session.quit()
        return { isUsable: true, tls: opened.session.tls }
      })
      return Promise.race([checking, deadline])
    },
    close: (graceMs = CLOSE_GRACE_MS) => pool.close(graceMs),
  }
}

const tooSlow = (withinMs: number): RelayCheck => ({
  isUsable: false,
  isReached: false,
  reason: `it was not ready within ${withinMs / 1_000} seconds`,
})
