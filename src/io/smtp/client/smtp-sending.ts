// What sending to a relay and sending to the recipients' servers have in common.
import { Readable } from 'node:stream'
import type { Clock } from '../../../lib/clock.ts'
import type { MxSet } from './mx-directory.ts'
import { resultWithoutReply, type SmtpOutcome, type SmtpResult } from './smtp-outcome.ts'
import type { SmtpSession, SmtpTimeouts } from './smtp-session.ts'
import type { SessionPool } from './smtp-session-pool.ts'
import type { SmtpTransaction } from './smtp-transaction.ts'

export type SmtpSender<Transaction extends SmtpTransaction> = {
  /**
   * Sends one message to one recipient in its own transaction. Never fails: every result is an outcome. A message stream is always consumed or
   * destroyed.
   */
  send(transaction: Transaction): Promise<SmtpOutcome>
  /** Refuses new messages, waits `graceMs` for running transactions, then destroys their sockets. */
  close(graceMs?: number): Promise<void>
}

/** Within the 10 s that the whole service has for stopping. */
export const CLOSE_GRACE_MS = 5_000

export const TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, replyMs: 60_000, finalReplyMs: 120_000, transactionMs: 600_000 }

export type Attempt = {
  result: SmtpResult
  tls: string | null
  /** The server, if it is known. */
  host: string | null
  /** Null if no session could be opened. */
  session: SmtpSession | null
}

/** The outcome of an attempt. `server`: the one to name if the attempt reached none. */
export async function sendMessage<Transaction extends SmtpTransaction>(
  transaction: Transaction,
  attempt: (transaction: Transaction) => Promise<Attempt>,
  { server, clock }: { server: string; clock: Clock },
): Promise<SmtpOutcome> {
  const { message } = transaction
  const startedMs = clock.monotonicMs()
  // If a stream fails while the message waits for its turn, reading it later reports the error.
  if (message instanceof Readable) message.on('error', () => {})
  const { result, tls, host } = await attempt(transaction)
  if (message instanceof Readable) message.destroy()
  return { ...result, host: host ?? server, tls, durationMs: Math.round(clock.monotonicMs() - startedMs) }
}

/**
 * Runs one transaction over a session of the pool. If the session turns out to have been closed while it was idle, it uses a new one. The pool is
 * requested each time.
 */
export async function sendThrough(poolNow: () => SessionPool, transaction: SmtpTransaction): Promise<Attempt> {
  const { isFirst, ...attempted } = await attempt(poolNow(), transaction)
  if (isFirst || !isEndOfIdleConnection(attempted.result)) return attempted
  const pool = poolNow()
  pool.dropIdle()
  return attempt(pool, transaction, { isUnused: true })
}

/** What a stream holds in memory, roughly, while it is not read. */
const STREAM_BYTES = 64 * 1024

async function attempt(
  pool: SessionPool,
  transaction: SmtpTransaction,
  { isUnused = false } = {},
): Promise<Attempt & { isFirst: boolean }> {
  const { isUrgent = false, message, leftMs } = transaction
  const bytes = Buffer.isBuffer(message) ? message.length : STREAM_BYTES
  const opened = await pool.borrow({ isUrgent, isUnused, bytes, ...(leftMs && { leftMs }) })
  if ('failure' in opened) return { result: opened.failure, tls: null, host: opened.host ?? null, session: null, isFirst: true }
  const { session } = opened
  // This is the first transaction on its connection.
  const isFirst = session.transactionCount() === 0
  const mayCarry = session.tls !== null || !transaction.requiresTls
  const result = mayCarry ? await session.send(transaction) : notInTheClear(session.host)
  pool.giveBack(session)
  return { result, tls: session.tls, host: session.host, session, isFirst }
}

/** RFC 3463: 4.7.4, a security feature that is not supported. Not final: the server may learn it. */
const notInTheClear = (host: string): SmtpResult => ({
  ...resultWithoutReply('delayed', 'greeting', `TLS is required by the domain of the sender, but ${host} offers none`),
  enhancedCode: '4.7.4',
})

/**
 * Servers close idle connections, possibly while MAIL FROM is on its way. That says nothing about the message, so it is sent over a new connection
 * at once.
 */
function isEndOfIdleConnection({ kind, stage, code }: SmtpResult): boolean {
  return kind === 'delayed' && stage === 'mail' && (code === null || code === 421)
}

export type DirectTransaction = SmtpTransaction & {
  /** The recipient's domain, whose MTA-STS policy applies. */
  domain: string
  /** The hosts for its mail; see `createMxDirectory`. */
  set: MxSet
}

export type DirectDelivery = SmtpSender<DirectTransaction>
