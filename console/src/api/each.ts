// The same act for many records, one request each, as nobody would do by hand: it can be stopped, and what was refused is told by name.
import { useRef, useState } from 'react'
import { ApiError } from './client'
import { queryClient } from './queries'

export type EachItem = { id: string; name: string }
export type EachRefusal = { item: EachItem; sentence: string }
export type EachState = { title: string; total: number; done: number; refused: EachRefusal[]; isRunning: boolean }

const AT_ONCE = 4
const TOO_MANY_REQUESTS = 429
const PAUSE_MS = 1_000
const TRIES_MAX = 30

export type Each = {
  /** Null: nothing runs, and no result is shown. */
  state: EachState | null
  start: (title: string, items: readonly EachItem[], run: (item: EachItem) => Promise<unknown>) => Promise<EachState>
  stop: () => void
  close: () => void
}

/** @param changes the sections whose records have changed afterwards */
export function useEach(changes: readonly string[]): Each {
  const [state, setState] = useState<EachState | null>(null)
  const stopped = useRef(false)

  async function start(title: string, items: readonly EachItem[], run: (item: EachItem) => Promise<unknown>): Promise<EachState> {
    stopped.current = false
    const waiting = [...items]
    let now: EachState = { title, total: items.length, done: 0, refused: [], isRunning: true }
    const change = (changed: Partial<EachState>) => {
      now = { ...now, ...changed }
      setState(now)
    }
    change({})
    const work = async () => {
      for (let item = waiting.shift(); item !== undefined && !stopped.current; item = waiting.shift()) {
        const sentence = await attempt(() => run(item as EachItem))
        if (sentence === null) change({ done: now.done + 1 })
        else change({ refused: [...now.refused, { item, sentence }] })
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    for (const section of changes) void queryClient.invalidateQueries({ queryKey: [section] })
    change({ isRunning: false })
    return now
  }

  return {
    state,
    start,
    stop: () => {
      stopped.current = true
    },
    close: () => setState(null),
  }
}

/** Null once it is done; the API's sentence if it was refused. The rate limit of the team only makes it slower. */
async function attempt(run: () => Promise<unknown>): Promise<string | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run()
      return null
    } catch (error) {
      const isLimited = error instanceof ApiError && error.status === TOO_MANY_REQUESTS && tries < TRIES_MAX
      if (!isLimited) return error instanceof Error ? error.message : String(error)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
