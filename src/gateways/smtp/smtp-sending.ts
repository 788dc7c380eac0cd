import type { SmtpResult } from './smtp-outcome.ts'
import type { SmtpSession } from './smtp-session.ts'
import type { SessionPool } from './smtp-session-pool.ts'
import type { SmtpTransaction } from './smtp-transaction.ts'

export type Attempt = {
  result: SmtpResult
  tls: string | null
  /** The server, if it is known. */
  host: string | null
  /** Null if no session could be opened. */
  session: SmtpSession | null
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

async function attempt(
  pool: SessionPool,
  transaction: SmtpTransaction,
  { isUnused = false } = {},
): Promise<Attempt & { isFirst: boolean }> {
  const opened = await pool.borrow({ isUrgent: transaction.isUrgent ?? false, isUnused })
  if ('failure' in opened) return { result: opened.failure, tls: null, host: opened.host ?? null, session: null, isFirst: true }
  const { session } = opened
  // This is the first transaction on its connection.
  const isFirst = session.transactionCount() === 0
  const result = await session.send(transaction)
  pool.giveBack(session)
  return { result, tls: session.tls, host: session.host, session, isFirst }
}

/**
 * Servers close idle connections, possibly while MAIL FROM is on its way. That says nothing about the message, so it is sent over a new connection
 * at once.
 */
function isEndOfIdleConnection({ kind, stage, code }: SmtpResult): boolean {
  return kind === 'delayed' && stage === 'mail' && (code === null || code === 421)
}
