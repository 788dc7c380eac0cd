// Looks at the teams that have new bounces and complaints, and at those whose pause may end.
import type { PlatformContext } from '../../../http/platform.context.ts'
import { type PollLoop, startPollLoop } from '../../../lib/poll-loop.ts'
import type { DeliverabilityContext } from '../deliverability.context.ts'

type Context = PlatformContext & DeliverabilityContext
type Dependencies = Pick<Context, 'repositories' | 'clock' | 'config' | 'log' | 'wakeWorkers'>

const LOOK_EVERY_MS = 2_000

export const startGuarding = (context: Dependencies, { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {}): PollLoop =>
  startPollLoop(async ({ pause }) => {
    const isMoreLeft = await lookAtReputations(context).catch((error) => {
      context.log.warn({ err: error }, 'reputations not looked at')
      return false
    })
    if (!isMoreLeft) await pause(lookEveryMs)
  })

/** A bounded part of it. Returns whether more may be left. */
export async function lookAtReputations({ repositories, clock, config, log, wakeWorkers }: Dependencies): Promise<boolean> {
  const { decisions, isFull } = await repositories.guard.lookAcrossTeams({ ...config.guard, now: clock.now() })
  for (const { teamId, notice, status, reason } of decisions) log.warn({ teamId, notice, status, reason }, 'reputation of a team changed')
  if (decisions.some(({ notice }) => notice === 'released')) wakeWorkers()
  return isFull
}
