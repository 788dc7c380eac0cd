// Does what is due for broadcasts, for several teams at once: a filter of one team that takes long holds up no other. Any number of workers share the work.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { RecentWork } from '../../lib/engine/recent-work.ts'
import { advanceBroadcasts } from './advance-broadcasts.ts'

/** Teams at once, each on its own connection. The work of more would only be slower, and so would that of everyone else. */
export const TEAMS_AT_ONCE_MAX = 4
const LOOK_EVERY_MS = 1_000
/** Contacts of a batch beside transactional mail. A step then rests for as long as it took, up to a second. */
export const CONTACTS_MAX_BESIDE_URGENT_MAIL = 250
const REST_MS_MAX = 1_000

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers'>

export type SendBroadcastsOptions = {
  urgentMail: Pick<RecentWork, 'isRecent'>
  recentFanOut: Pick<RecentWork, 'note'>
  lookEveryMs?: number
  rest?: (ms: number, stopping: AbortSignal) => Promise<unknown>
}

export type BroadcastSenders = { wake(): void; stop(): Promise<void> }

export function startSendingBroadcasts(
  context: Dependencies,
  { urgentMail, recentFanOut, lookEveryMs = LOOK_EVERY_MS, rest = pause }: SendBroadcastsOptions,
): BroadcastSenders {
  const { repositories, clock, log } = context
  const stopping = new AbortController()
  let waking = new AbortController()
  const isStopping = () => stopping.signal.aborted
  const running = new Map<string, Promise<void>>()
  /** Until when teams are left alone, because nothing is due for them or another worker has it. */
  const idleUntilMs = new Map<string, number>()
  /** Teams whose last step left more to do at once. With a rate, no step follows another at once, and there is little to do. */
  const unfinished = new Set<string>()

  async function advance(teamId: string): Promise<void> {
    const beganMs = clock.monotonicMs()
    const options = { isStopping, ...(urgentMail.isRecent() && { contactsMax: CONTACTS_MAX_BESIDE_URGENT_MAIL }) }
    const hasMore = await advanceBroadcasts(context, teamId, options).catch((error) => {
      log.warn({ err: error, teamId }, 'broadcasts not looked at')
      return false
    })
    if (hasMore && unfinished.has(teamId)) recentFanOut.note()
    if (hasMore) unfinished.add(teamId)
    else unfinished.delete(teamId)
    if (hasMore && urgentMail.isRecent()) await rest(Math.min(clock.monotonicMs() - beganMs, REST_MS_MAX), stopping.signal)
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
      await pause(Math.max(0, nextLookMs - nowMs), AbortSignal.any([stopping.signal, waking.signal]))
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

const pause = (ms: number, signal: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal, ref: false }).catch(() => {})
