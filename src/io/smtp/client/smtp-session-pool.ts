// Lends sessions, opens new ones for waiters, and bounds every wait.
import type { Clock } from '../../../lib/clock.ts'
import { resultWithoutReply, type SmtpResult } from './smtp-outcome.ts'
import type { FailedOpening, OpenedSession, SmtpSession } from './smtp-session.ts'

export type SessionPool = {
  /** A session for one transaction, or why there is none. */
  borrow(wish?: SessionWish): Promise<OpenedSession>
  /** Called after the transaction. The session is kept, reset or closed, depending on its state. */
  giveBack(session: SmtpSession): void
  /** Closes all idle sessions. */
  dropIdle(): void
  /** Closes the session that has been idle longest; false if there is none. */
  dropOldestIdle(): boolean
  /** Called when there may be room for another session. */
  wake(): void
  /** How many wait for a session, and what their messages hold in memory. */
  waiting(): { count: number; bytes: number }
  /** Refuses the one that came last; false if none waits. */
  refuseLastWaiter(): boolean
  /** Refuses the waiters, gives the lent sessions `graceMs`, then destroys them. */
  close(graceMs: number): Promise<void>
}

export type SessionWish = {
  /** Urgent requests come first. */
  isUrgent?: boolean
  /** Asks for a session that was not used yet. */
  isUnused?: boolean
  /** What the message holds in memory while it waits. */
  bytes?: number
  /** How much longer the message may take in all; forever if absent. */
  leftMs?: () => number
}

type Waiter = {
  isUrgent: boolean
  isUnused: boolean
  bytes: number
  receive: (opened: OpenedSession) => void
  /** Its wait for a free session begins again. */
  waitAgain: () => void
}

export type SessionPoolOptions = {
  open: () => Promise<OpenedSession>
  sessionsMax: number
  /** A session is closed after so many transactions. */
  transactionsMax: number
  clock: Clock
  /** A limit that is shared with other pools; without it only `sessionsMax` counts. `take` is called before a session is opened. */
  room?: { take(): boolean; giveBack(): void }
  /** While no session is open, only one is opened at a time, so a server that does not answer takes no more than one place. */
  isCautious?: boolean
  idleMsMax?: number
  /** How long a request may wait for a session, not counting the opening of its own; forever if absent. */
  waitMsMax?: number
  /** Called when a request begins to wait. */
  onWait?: () => void
  /** Called when a session becomes free and this pool has no waiters. */
  onIdle?: () => void
  /** Called when there are no waiters and no open sessions, so the pool may be forgotten. */
  onUnused?: () => void
}

/** Further messages would wait for minutes, and had better wait in the database. */
const WAITERS_MAX = 1_000

/** Shorter than what servers allow, so that nearly always we close an idle connection first. */
const IDLE_MS_MAX = 30_000

/** If a server refuses a further connection, no other is requested before this time, as long as some are open. */
const OPENING_PAUSE_MS = 10_000

const OWN_ROOM = { take: () => true, giveBack: () => {} }

export function createSessionPool(options: SessionPoolOptions): SessionPool {
  const {
    open,
    sessionsMax,
    transactionsMax,
    clock,
    room = OWN_ROOM,
    isCautious = false,
    idleMsMax = IDLE_MS_MAX,
    waitMsMax,
    onWait = () => {},
    onIdle = () => {},
    onUnused = () => {},
  } = options
  const waiters: Waiter[] = []
  /** The session that was used last is lent first, so that surplus ones become old and close. */
  const idle: { session: SmtpSession; timer: NodeJS.Timeout }[] = []
  const live = new Set<SmtpSession>()
  let openingCount = 0
  /** Between two transactions, and soon idle. */
  let recoveringCount = 0
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isClosing = false
  let onEmpty = () => {}

  function mayOpen(): boolean {
    if (openingCount + recoveringCount >= waiters.length || live.size + openingCount >= sessionsMax) return false
    return live.size > 0 ? clock.monotonicMs() >= pausedUntilMs : openingCount === 0 || !isCautious
  }

  /** Gives idle sessions to waiters, and opens new ones for the others. */
  function serve(): void {
    while (waiters.length > 0) {
      const kept = idle.pop()
      if (kept === undefined) break
      clearTimeout(kept.timer)
      // A used session is closed to make room for a new one, unless the server allows no new ones.
      if (waiters[0]?.isUnused && kept.session.transactionCount() > 0 && clock.monotonicMs() >= pausedUntilMs) kept.session.quit()
      else waiters.shift()?.receive({ session: kept.session })
    }
    while (mayOpen() && room.take()) void openOne()
    if (waiters.length === 0 && live.size === 0 && openingCount === 0) onUnused()
  }

  async function openOne(): Promise<void> {
    openingCount++
    const opened = await open()
    openingCount--
    if ('failure' in opened) {
      // If other sessions are open, the server only wants no more of them. Otherwise it is unreachable, and 1,000 waits of 10 s each would help no
      // message.
      if (live.size > 0) pausedUntilMs = clock.monotonicMs() + OPENING_PAUSE_MS
      else refuseWaiters(opened)
      if (live.size === 0) onEmpty()
      room.giveBack()
      serve()
      return
    }
    if (live.size === 0) for (const { waitAgain } of waiters) waitAgain()
    live.add(opened.session)
    opened.session.onClose(() => forget(opened.session))
    keep(opened.session)
  }

  function keep(session: SmtpSession): void {
    if (isClosing || session.transactionCount() >= transactionsMax) session.quit()
    else if (session.isOpen()) idle.push({ session, timer: setTimeout(() => retire(session), idleMsMax) })
    serve()
    if (idle.some((kept) => kept.session === session)) onIdle()
  }

  function retire(session: SmtpSession): void {
    removeIdle(session)
    session.quit()
  }

  function forget(session: SmtpSession): void {
    live.delete(session)
    removeIdle(session)
    if (live.size === 0) onEmpty()
    room.giveBack()
    serve()
  }

  function removeIdle(session: SmtpSession): void {
    const index = idle.findIndex((kept) => kept.session === session)
    if (index >= 0) for (const { timer } of idle.splice(index, 1)) clearTimeout(timer)
  }

  function refuseWaiters(failed: FailedOpening): void {
    for (const { receive } of waiters.splice(0)) receive(failed)
  }

  /** A place among the waiters, given up after `waitMsMax`. */
  function wait({ isUrgent = false, isUnused = false, bytes = 0, leftMs }: SessionWish, resolve: (opened: OpenedSession) => void): void {
    let timer: NodeJS.Timeout | undefined
    const waiter: Waiter = {
      isUrgent,
      isUnused,
      bytes,
      receive(opened) {
        clearTimeout(timer)
        resolve(opened)
      },
      waitAgain() {
        clearTimeout(timer)
        if (waitMsMax !== undefined) timer = setTimeout(waitLongerOrGiveUp, Math.min(waitMsMax, leftMs?.() ?? waitMsMax))
      },
    }
    waiter.waitAgain()
    const firstPatient = isUrgent ? waiters.findIndex((one) => !one.isUrgent) : -1
    waiters.splice(firstPatient === -1 ? waiters.length : firstPatient, 0, waiter)

    function waitLongerOrGiveUp(): void {
      // The first ones get what is being opened, and while no session is open, the others wait for nothing else either.
      const isOpening = live.size === 0 ? openingCount > 0 : waiters.indexOf(waiter) < openingCount
      if (isOpening && (leftMs?.() ?? 1) > 0) {
        waiter.waitAgain()
        return
      }
      waiters.splice(waiters.indexOf(waiter), 1)
      resolve({ failure: isOpening ? OPENING_TOO_SLOW : WAITED_TOO_LONG })
      serve()
    }
  }

  function dropIdle(): void {
    for (const { session, timer } of idle.splice(0)) {
      clearTimeout(timer)
      session.quit()
    }
  }

  return {
    dropIdle,
    wake: serve,

    dropOldestIdle() {
      const [oldest] = idle
      if (oldest === undefined) return false
      clearTimeout(oldest.timer)
      retire(oldest.session)
      return true
    },

    waiting: () => ({ count: waiters.length, bytes: waiters.reduce((sum, { bytes }) => sum + bytes, 0) }),

    refuseLastWaiter() {
      const last = waiters.pop()
      last?.receive({ failure: OPENING_TOO_SLOW })
      return last !== undefined
    },

    borrow(wish = {}) {
      if (isClosing) return Promise.resolve({ failure: STOPPING })
      if (waiters.length >= WAITERS_MAX) return Promise.resolve({ failure: TOO_MANY })
      return new Promise((resolve) => {
        wait(wish, resolve)
        serve()
        onWait()
      })
    },

    giveBack(session) {
      recoveringCount++
      void session.recover().then(() => {
        recoveringCount--
        keep(session)
      })
    },

    async close(graceMs) {
      isClosing = true
      refuseWaiters({ failure: STOPPING })
      dropIdle()
      if (live.size === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      onEmpty = resolve
      const grace = setTimeout(() => {
        for (const session of live) session.destroy()
      }, graceMs)
      await promise
      clearTimeout(grace)
    },
  }
}

const STOPPING = resultWithoutReply('abandoned', 'connect', 'The service is stopping')

/** A shortage on our side, which says nothing about the server: congestion (RFC 3463, X.4.5). */
const congestion = (text: string): SmtpResult => ({ ...resultWithoutReply('delayed', 'connect', text), enhancedCode: '4.4.5' })
const TOO_MANY = congestion(`More than ${WAITERS_MAX} messages wait for a connection to the mail server`)
const OPENING_TOO_SLOW = resultWithoutReply('delayed', 'connect', 'The mail server did not take a connection in time')
const WAITED_TOO_LONG = congestion('No connection to the mail server became free in time')
