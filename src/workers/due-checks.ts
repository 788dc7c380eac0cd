// Does what is due, a bounded number at a time, until it is stopped. Some of the places are for teams that have few checks running, because a team
// with thousands of domains whose DNS never answers would have all of them for hours.
import { setTimeout as sleep } from 'node:timers/promises'

export type DueChecks<Due extends { teamId: string }> = {
  /** Takes at most so many that are due and not of these teams, so that no other worker has them. */
  take(limit: number, exceptTeamIds: string[]): Promise<Due[]>
  check(due: Due): Promise<void>
  onFailure(error: unknown, due: Due | null): void
  checkedAtOnce: number
  lookEveryMs?: number
}

const LOOK_EVERY_MS = 1_000

/** Of the places, for teams that have fewer than others. At least one. */
const RESERVED_SHARE = 0.2

export function startDueChecks<Due extends { teamId: string }>({
  take,
  check,
  onFailure,
  checkedAtOnce,
  lookEveryMs = LOOK_EVERY_MS,
}: DueChecks<Due>): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Map<string, number>()
  const reserved = Math.max(1, Math.floor(checkedAtOnce * RESERVED_SHARE))

  async function run(due: Due): Promise<void> {
    running.set(due.teamId, (running.get(due.teamId) ?? 0) + 1)
    await check(due).catch((error) => onFailure(error, due))
    const left = (running.get(due.teamId) ?? 1) - 1
    if (left > 0) running.set(due.teamId, left)
    else running.delete(due.teamId)
  }

  /** Anyone's turn. */
  const ofAll = (room: number) => ({ limit: room, except: [] })

  /** The more teams there are, the less each may have, so that there is always a place for another one. */
  function ofFew(room: number) {
    const share = Math.max(1, Math.floor(reserved / (running.size + 1)))
    return { limit: Math.min(room, share), except: [...running].flatMap(([teamId, count]) => (count >= share ? [teamId] : [])) }
  }

  async function follow(places: number, wish: (room: number) => { limit: number; except: string[] }): Promise<void> {
    const ours = new Set<Promise<void>>()
    while (!signal.aborted) {
      const { limit, except } = wish(places - ours.size)
      const taken = await take(limit, except).catch((error): Due[] => {
        onFailure(error, null)
        return []
      })
      for (const due of taken) {
        const checking = run(due).finally(() => ours.delete(checking))
        ours.add(checking)
      }
      // With more of them due than there is room for, the next are taken as soon as one is done.
      if (ours.size === places) await Promise.race(ours)
      else if (taken.length < limit) await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
    await Promise.all(ours)
  }

  const following = Promise.all([follow(checkedAtOnce - reserved, ofAll), follow(reserved, ofFew)])
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}
