// Readers that wait for news, all of them asked about in one question at a time: what they cost follows the clock, not their number.
import { idOfShort, LOWEST_ID, shortId } from '../../../lib/ids.ts'

// A place in the feed of a webhook, and the text in which readers keep it.

export type FeedPosition = {
  /** The database whose transactions it counts: its system identifier. A database that was restored from a dump counts anew. */
  database: string
  /** Among the messages that a restore has brought, which are read first. */
  isBefore: boolean
  /** The transaction, and the message of it, that was read last. */
  transaction: string
  id: string
  /** When the reader was there. */
  at: Date
}

/** Everything that is kept comes after it. */
export const feedStart = (database: string, at: Date): FeedPosition => ({
  database,
  isBefore: true,
  transaction: '0',
  id: LOWEST_ID,
  at,
})

export const positionText = ({ database, isBefore, transaction, id, at }: FeedPosition): string =>
  [isBefore ? 'b' : 'n', database, transaction, shortId(id), at.getTime().toString(36)].join('.')

/** Null if the text is no position. */
export function parsePosition(text: string): FeedPosition | null {
  const [, phase, database, transaction, short, ms] = POSITION.exec(text) ?? []
  const id = short === undefined ? null : idOfShort(short)
  if (database === undefined || transaction === undefined || ms === undefined || id === null) return null
  if (BigInt(transaction) > TRANSACTION_MAX) return null
  return { database, isBefore: phase === 'b', transaction, id, at: new Date(Number.parseInt(ms, 36)) }
}

const POSITION = /^([bn])\.(-?\d{1,20})\.(\d{1,20})\.([\w-]{22})\.([0-9a-z]{1,9})$/
/** Numbers of transactions have 64 bits. */
const TRANSACTION_MAX = 2n ** 64n - 1n

export type FeedWaits<Place> = {
  /**
   * Resolves when there is news after a place, at the end of its time, when the reader has gone, or when the service stops; at once if as many wait
   * in all as may, so that no team is refused because of others. False if as many of this team wait as may: it did not wait.
   */
  wait(team: string, place: Place, until: { msMax: number; gone: AbortSignal }): Promise<boolean>
  /** All stop waiting, and later ones do not wait. */
  end(): void
}

export type FeedWaitsOptions<Place> = {
  /** The time from the end of one question to the next. */
  everyMs: number
  waitingMax: { perTeam: number; inAll: number }
  /** Says for each place whether there is something after it. If it fails, it is asked again. */
  findNews(places: Place[]): Promise<boolean[]>
}

type Waiter<Place> = { team: string; place: Place; resolve(): void }

export function createFeedWaits<Place>({ everyMs, waitingMax, findNews }: FeedWaitsOptions<Place>): FeedWaits<Place> {
  const waiters = new Set<Waiter<Place>>()
  let asking: NodeJS.Timeout | null = null
  let hasEnded = false

  function askLater(): void {
    if (asking === null && waiters.size > 0) asking = setTimeout(() => void ask(), everyMs)
  }

  async function ask(): Promise<void> {
    const asked = [...waiters]
    if (asked.length === 0) {
      asking = null
      return
    }
    // A reader whose question fails reads at the end of its time, and is told then.
    const news = await findNews(asked.map(({ place }) => place)).catch(() => [])
    for (const [index, waiter] of asked.entries()) if (news[index]) waiter.resolve()
    asking = null
    askLater()
  }

  return {
    async wait(team, place, { msMax, gone }) {
      if (hasEnded || gone.aborted) return true
      const own = [...waiters].filter((waiter) => waiter.team === team).length
      if (own >= waitingMax.perTeam) return false
      if (waiters.size >= waitingMax.inAll) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      const waiter = { team, place, resolve }
      waiters.add(waiter)
      const timer = setTimeout(resolve, msMax)
      gone.addEventListener('abort', () => resolve(), { once: true })
      askLater()
      await promise
      clearTimeout(timer)
      waiters.delete(waiter)
      return true
    },
    end() {
      hasEnded = true
      if (asking) clearTimeout(asking)
      for (const { resolve } of waiters) resolve()
    },
  }
}
