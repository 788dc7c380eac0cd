// Adds up what was counted about emails, every second.

import type { PlatformContext } from '../../http/platform.context.ts'
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.ts'
import type { MetricsContext } from './metrics.context.ts'

type Context = PlatformContext & MetricsContext

const LOOK_EVERY_MS = 1_000

type Dependencies = Pick<Context, 'repositories' | 'metrics' | 'log'>

export const startAddingUpCounts = (context: Dependencies, { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {}): PollLoop =>
  startPollLoop(async ({ pause }) => {
    const isMoreLeft = await addUpCounts(context).catch((error) => {
      context.log.warn({ err: error }, 'counts of emails not added up')
      return false
    })
    if (!isMoreLeft) await pause(lookEveryMs)
  })

/** A bounded part of it. Returns whether more may be left. Every event is a sample of the process that adds it up. */
export async function addUpCounts({ repositories, metrics }: Dependencies): Promise<boolean> {
  const added = await repositories.countChanges.addUpAcrossTeams()
  for (const { counter, count } of added?.totals ?? []) metrics.emailEvents.inc({ event: counter }, count)
  return added?.isFull ?? false
}
