import type { LookupFunction } from 'node:net'
import { type Clock, systemClock, within } from '../../../lib/clock.ts'
import { parseRelayUrl, type RelayTarget } from './relay-url.ts'
import type { SmtpResult } from './smtp-outcome.ts'
import { CLOSE_GRACE_MS, type SmtpSender, sendMessage, sendThrough, TIMEOUTS } from './smtp-sending.ts'
import { type OpenedSession, openSmtpSession, type SmtpTarget, type SmtpTimeouts } from './smtp-session.ts'
import { createSessionPool } from './smtp-session-pool.ts'
import type { SmtpTransaction } from './smtp-transaction.ts'

// A session with the relay. People see why one fails, so the text says what TLS was needed for, and nothing about the login.

export async function openRelaySession(target: SmtpTarget, options: { helloName: string; timeouts: SmtpTimeouts }): Promise<OpenedSession> {
  const opened = await openSmtpSession(target, options)
  if ('session' in opened) return opened
  const failure = withoutCredentials(opened.failure, target)
  return { ...opened, failure: opened.isTlsFailure && opened.isTlsNeeded ? withoutTls(failure, target) : failure }
}

/** Some servers repeat the name that could not log in. */
function withoutCredentials(failure: SmtpResult, { credentials }: RelayTarget): SmtpResult {
  if (credentials === null) return failure
  const { user, password } = credentials
  // In the form of AUTH PLAIN and AUTH LOGIN (RFC 4616, section 2). The longest first, because it may begin like another.
  const encoded = [`\0${user}\0${password}`, password, user].map((text) => Buffer.from(text).toString('base64').replaceAll('=', ''))
  const secrets = [...encoded, password, user].sort((one, other) => other.length - one.length)
  return { ...failure, text: secrets.reduce((text, secret) => text.replaceAll(secret, '[not shown]'), failure.text) }
}

/** RFC 3463: 4.7.4, a security feature that is not supported; 4.7.5, a cryptographic failure. */
const withoutTls = (failure: SmtpResult, { host, credentials }: RelayTarget): SmtpResult => ({
  ...failure,
  enhancedCode: failure.code === null ? '4.7.5' : '4.7.4',
  text: `SMTP_RELAY_URL needs TLS${credentials === null ? '' : ' for its password'}, and ${host} gives none: ${failure.text}`,
})

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
    send: (transaction) => sendMessage(transaction, attempt, { server: target.host, clock }),
    async check(withinMs = CHECK_MS_MAX) {
      const short = { ...timeouts, connectMs: withinMs, replyMs: withinMs }
      const checking = openRelaySession(target, { helloName: options.helloName, timeouts: short }).then((opened): RelayCheck => {
        if ('failure' in opened) return { isUsable: false, isReached: opened.failure.stage !== 'connect', reason: opened.failure.text }
        opened.session.quit()
        return { isUsable: true, tls: opened.session.tls }
      })
      return within(withinMs, checking, () => tooSlow(withinMs))
    },
    close: (graceMs = CLOSE_GRACE_MS) => pool.close(graceMs),
  }
}

const tooSlow = (withinMs: number): RelayCheck => ({
  isUsable: false,
  isReached: false,
  reason: `it was not ready within ${withinMs / 1_000} seconds`,
})
