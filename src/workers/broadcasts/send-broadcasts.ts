// Does what is due for broadcasts, for several teams at once: a filter of one team that takes long holds up no other. Any number of workers share the work.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { advanceBroadcasts } from './advance-broadcasts.ts'

/** Teams at once, each on its own connection. The work of more would only be slower, and so would that of everyone else. */
export const TEAMS_AT_ONCE_MAX = 4
const LOOK_EVERY_MS = 1_000

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers'>

export type BroadcastSenders = { wake(): void; stop(): Promise<void> }

export function startSendingBroadcasts(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): BroadcastSenders {
  const { repositories, clock, log } = context
  const stopping = new AbortController()
  let waking = new AbortController()
  const isStopping = () => stopping.signal.aborted
  const running = new Map<string, Promise<void>>()
  /** Until when teams are left alone, because nothing is due for them or another worker has it. */
  const idleUntilMs = new Map<string, number>()

  async function advance(teamId: string): Promise<void> {
    const hasMore = await advanceBroadcasts(context, teamId, { isStopping }).catch((error) => {
      log.warn({ err: error, teamId }, 'broadcasts not looked at')
      return false
    })
    running.delete(teamId)
    if (!hasMore) idleUntilMs.set(teamId, clock.monotonicMs() + lookEveryMs)
    waking.abort()
  }

  /** The team that has waited longest is next. */
  async function begin(): Promise<void> {
    for (const [teamId, untilMs] of idleUntilMs) if (untilMs <= clock.monotonicMs()) idleUntilMs.delete(teamId)
    const max = TEAMS_AT_ONCE_MAX - running.size
    if (max === 0) return
    const except = [...running.keys(), ...idleUntilMs.keys()]
    const teams = await repositories.dueBroadcasts.teamsAcrossTeams(clock.now(), { except, max })
    for (const teamId of teams) running.set(teamId, advance(teamId))
  }

  async function follow(): Promise<void> {
    while (!isStopping()) {
      waking = new AbortController()
      await begin().catch((error) => log.warn({ err: error }, 'broadcasts not looked at'))
      const nowMs = clock.monotonicMs()
      const nextLookMs = Math.min(nowMs + lookEveryMs, ...idleUntilMs.values())
      await sleep(Math.max(0, nextLookMs - nowMs), undefined, {
        signal: AbortSignal.any([stopping.signal, waking.signal]),
        ref: false,
      }).catch(() => {})
    }
    await Promise.all(running.values())
  }

  const following = follow()
  return {
    wake() {
      idleUntilMs.clear()
      waking.abort()
    },
    async stop() {
      stopping.abort()
      await following
    },
  }
}
