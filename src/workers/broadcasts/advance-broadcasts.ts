// What is due for the broadcasts of a team, in bounded steps that each hold the row of their broadcast. After a crash the next step continues where the
// last one was committed.
import type { Context } from '../../context.ts'
import { isDeadlock, isSerializationFailure } from '../../lib/database-errors.ts'
import type { DueBroadcast } from '../../repositories/broadcasts/due-broadcasts.ts'
import { senderDomainOf } from '../../services/build-message.ts'
import { fanOut } from './fan-out.ts'

/** Contacts of a batch, so that a step is short. */
const CONTACTS_MAX = 5_000
/** How far its emails have begun. */
const FOLLOW_EVERY_MS = 1_000
/** After a fault of ours, or while the domain of the sender is not verified. */
const LOOK_AGAIN_MS = 10_000

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers'>

export type AdvanceOptions = {
  isStopping?: () => boolean
  /** Contacts of a batch. */
  contactsMax?: number
}

/** One step of each broadcast of the team that is due, one after the other. Returns whether there is more to do at once. */
export async function advanceBroadcasts(
  context: Dependencies,
  teamId: string,
  { isStopping = () => false, contactsMax = CONTACTS_MAX }: AdvanceOptions = {},
): Promise<boolean> {
  const { repositories, clock, log } = context
  const due = await repositories.dueBroadcasts.list(teamId, clock.now())
  let hasMore = false
  for (const broadcast of due) {
    if (isStopping()) return false
    const more = await step(context, broadcast, contactsMax).catch(async (error) => {
      if (isSerializationFailure(error) || isDeadlock(error)) return true
      log.error({ err: error, broadcastId: broadcast.id }, 'broadcast not advanced')
      await repositories.dueBroadcasts.lookAgainAcrossTeams(broadcast.id, after(clock.now(), LOOK_AGAIN_MS))
      return false
    })
    hasMore ||= more
  }
  return hasMore
}

async function step(context: Dependencies, broadcast: DueBroadcast, contactsMax: number): Promise<boolean> {
  const { repositories, clock } = context
  if (broadcast.status === 'scheduled') {
    await repositories.dueBroadcasts.startAcrossTeams(broadcast.id, clock.now())
    return true
  }
  if (broadcast.status === 'queued') {
    const mayBegin = await judgeSender(context, broadcast)
    if (mayBegin !== null) return mayBegin
  }
  if (broadcast.walk !== null) return walk(context, broadcast)
  if (broadcast.isWaiting) {
    await repositories.dueBroadcasts.lookAgainAcrossTeams(broadcast.id, after(clock.now(), LOOK_AGAIN_MS))
    return false
  }
  if (!broadcast.isFannedOut) return fanOut(context, broadcast, contactsMax)
  const followed = await repositories.broadcastWalks.followAcrossTeams(broadcast, after(clock.now(), FOLLOW_EVERY_MS))
  if (followed === 'ended') context.log.info({ broadcastId: broadcast.id, teamId: broadcast.teamId }, 'broadcast sent')
  return followed === 'more'
}

async function walk({ repositories, wakeWorkers }: Dependencies, broadcast: DueBroadcast): Promise<boolean> {
  const walked = await repositories.broadcastWalks.walkAcrossTeams(broadcast)
  if (broadcast.walk === 'release') wakeWorkers()
  return walked !== 'busy'
}

/** Null if its emails may begin. While the domain of its sender is not verified, they are held. */
async function judgeSender({ repositories, config, clock, log }: Dependencies, broadcast: DueBroadcast): Promise<boolean | null> {
  const domain = senderDomainOf(broadcast)
  const isAllowed = config.senderPolicy === 'any' || (await repositories.domains.sendersAmong(broadcast.teamId, [domain])).has(domain)
  if (isAllowed === !broadcast.isWaiting) return null
  log.info({ broadcastId: broadcast.id, teamId: broadcast.teamId, domain, isAllowed }, 'sender of a broadcast judged')
  if (isAllowed) await repositories.dueBroadcasts.goOnAcrossTeams(broadcast.id)
  else
    await repositories.dueBroadcasts.waitAcrossTeams(broadcast.id, {
      reason: `The domain ${domain} of its sender is not verified. What has not been sent waits until it is.`,
      isWaiting: true,
      until: clock.now(),
    })
  return true
}

const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms)
