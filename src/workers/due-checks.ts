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

/** Taking one at a time costs as many statements as taking many. */
const GATHER_MS = 10

/** The share of places for teams that have fewer than others. At least one. */
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
  const shared = { places: checkedAtOnce - reserved, checks: new Set<Promise<void>>() }
  const kept = { places: reserved, checks: new Set<Promise<void>>() }

  async function run(due: Due): Promise<void> {
    running.set(due.teamId, (running.get(due.teamId) ?? 0) + 1)
    await check(due).catch((error) => onFailure(error, due))
    const left = (running.get(due.teamId) ?? 1) - 1
    if (left > 0) running.set(due.teamId, left)
    else running.delete(due.teamId)
  }

  /** Anyone's turn. */
  const ofAll = (room: number) => ({ limit: room, except: [] })

  /** Needed once the others are taken. The more teams there are, the less each may have, so that there is always a place for another one. */
  function ofFew(room: number) {
    if (shared.checks.size < shared.places) return { limit: 0, except: [] }
    const share = Math.max(1, Math.floor(reserved / (running.size + 1)))
    return { limit: Math.min(room, share), except: [...running].flatMap(([teamId, count]) => (count >= share ? [teamId] : [])) }
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => {})

  async function takeSome(limit: number, except: string[]): Promise<Due[]> {
    if (limit === 0) return []
    return take(limit, except).catch((error): Due[] => {
      onFailure(error, null)
      return []
    })
  }

  async function follow({ places, checks }: typeof shared, wish: (room: number) => { limit: number; except: string[] }): Promise<void> {
    while (!signal.aborted) {
      const { limit, except } = wish(places - checks.size)
      const taken = await takeSome(limit, except)
      for (const due of taken) {
        const checking = run(due).finally(() => checks.delete(checking))
        checks.add(checking)
      }
      // With more of them due than there is room for, the next are taken shortly after one is done, together with what is done by then.
      if (checks.size === places) await Promise.race(checks).then(() => pause(GATHER_MS))
      else if (taken.length < limit || limit === 0) await pause(lookEveryMs)
    }
    await Promise.all(checks)
  }

  const following = Promise.all([follow(shared, ofAll), follow(kept, ofFew)])
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}
