// Readers that wait for news, all of them asked about in one question at a time: what they cost follows the clock, not their number.

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
