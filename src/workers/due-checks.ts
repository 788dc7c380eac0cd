// Does what is due, a bounded number at a time, until it is stopped.
import { setTimeout as sleep } from 'node:timers/promises'

export type DueChecks<Due> = {
  /** Takes at most so many that are due, so that no other worker has them. */
  take(limit: number): Promise<Due[]>
  check(due: Due): Promise<void>
  onFailure(error: unknown, due: Due | null): void
  checkedAtOnce: number
  lookEveryMs?: number
}

const LOOK_EVERY_MS = 1_000

export function startDueChecks<Due>({ take, check, onFailure, checkedAtOnce, lookEveryMs = LOOK_EVERY_MS }: DueChecks<Due>): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Set<Promise<void>>()

  function start(due: Due): void {
    const checking = check(due)
      .catch((error) => onFailure(error, due))
      .finally(() => running.delete(checking))
    running.add(checking)
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const room = checkedAtOnce - running.size
      const taken = await take(room).catch((error): Due[] => {
        onFailure(error, null)
        return []
      })
      for (const due of taken) start(due)
      // With more of them due than there is room for, the next are taken as soon as one is done.
      if (taken.length === room) await Promise.race(running)
      else await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
    await Promise.all(running)
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}
