// Does what is due for broadcasts, for several teams at once: a filter of one team that takes long holds up no other. Any number of workers share the work.

import { isCanceled, isDeadlock, isSerializationFailure } from '../../db/database-errors.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { pause, startPollLoop } from '../../lib/poll-loop.ts'
import { senderDomain } from '../../mail/addresses.ts'
import { type ContactField, contactPlaceholders, propertiesNamed } from '../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import { readText } from '../../mail/rendering/rendering.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { placeholderProperties } from '../audience/properties/placeholder-properties.service.ts'
import { suppressedBy } from '../delivery/engine/refusals.ts'
import type { RecentWork } from '../delivery/recent-work.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { EmailsContext } from '../emails/emails.context.ts'
import { endBroadcastQuota, reserveBroadcast } from './broadcast-quotas.service.ts'
import type { BroadcastsContext } from './broadcasts.context.ts'
import type { DueBroadcast } from './due-broadcasts.repository.ts'
import { storedFields, subjectParts } from './merge-fields.ts'

type Context = PlatformContext & DomainsContext & AccountsContext & AudienceContext & EmailsContext & BroadcastsContext

// What is due for the broadcasts of a team, in bounded steps that each hold the row of their broadcast. After a crash the next step continues where the
// last one was committed.

/** Contacts of a batch, so that a step is short. */
const CONTACTS_MAX = 5_000
/** How far its emails have begun. */
const FOLLOW_EVERY_MS = 1_000
/** After a fault of ours, or while the domain of the sender is not verified. */
const LOOK_AGAIN_MS = 10_000

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers' | 'quotas'>

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
    const mayBegin = await checkSender(context, broadcast)
    if (mayBegin !== null) return mayBegin
  }
  if (broadcast.walk !== null) return walk(context, broadcast)
  if (broadcast.isWaiting) {
    await repositories.dueBroadcasts.lookAgainAcrossTeams(broadcast.id, after(clock.now(), LOOK_AGAIN_MS))
    return false
  }
  if (!broadcast.isFannedOut) return fanOut(context, broadcast, contactsMax)
  await endBroadcastQuota(context, broadcast)
  const followed = await repositories.broadcastWalks.followAcrossTeams(broadcast, after(clock.now(), FOLLOW_EVERY_MS))
  if (followed === 'ended') context.log.info({ broadcastId: broadcast.id, teamId: broadcast.teamId }, 'broadcast sent')
  return followed === 'more'
}

async function walk(context: Dependencies, broadcast: DueBroadcast): Promise<boolean> {
  const { repositories, wakeWorkers } = context
  if (broadcast.walk === 'cancel') await endBroadcastQuota(context, broadcast)
  const walked = await repositories.broadcastWalks.walkAcrossTeams(broadcast)
  if (broadcast.walk === 'release') wakeWorkers()
  return walked !== 'busy'
}

/** Null if its emails may begin. While the domain of its sender is not verified, they are held. */
async function checkSender({ repositories, config, clock, log }: Dependencies, broadcast: DueBroadcast): Promise<boolean | null> {
  const domain = senderDomain(broadcast.from)
  const isAllowed = config.senderPolicy === 'any' || (await repositories.domains.sendersAmong(broadcast.teamId, [domain])).has(domain)
  if (isAllowed === !broadcast.isWaiting) return null
  log.info({ broadcastId: broadcast.id, teamId: broadcast.teamId, domain, isAllowed }, 'sender of a broadcast checked')
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

/** Teams at once, each on its own connection. The work of more would only be slower, and so would that of everyone else. */
export const TEAMS_AT_ONCE_MAX = 4
const LOOK_EVERY_MS = 1_000
/** Contacts of a batch beside transactional mail. A step then rests for as long as it took, up to a second. */
export const CONTACTS_MAX_BESIDE_URGENT_MAIL = 250
const REST_MS_MAX = 1_000

type SendingDependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers' | 'quotas'>

export type SendBroadcastsOptions = {
  urgentMail: Pick<RecentWork, 'isRecent'>
  recentFanOut: Pick<RecentWork, 'note'>
  lookEveryMs?: number
  rest?: (ms: number, stopping: AbortSignal) => Promise<unknown>
}

export type BroadcastSenders = { wake(): void; stop(): Promise<void> }

export function startSendingBroadcasts(
  context: SendingDependencies,
  { urgentMail, recentFanOut, lookEveryMs = LOOK_EVERY_MS, rest = pause }: SendBroadcastsOptions,
): BroadcastSenders {
  const { repositories, clock, log } = context
  const running = new Map<string, Promise<void>>()
  /** Until when teams are left alone, because nothing is due for them or another worker has it. */
  const idleUntilMs = new Map<string, number>()
  /** Teams whose last step left more to do at once. With a rate, no step follows another at once, and there is little to do. */
  const unfinished = new Set<string>()

  async function advance(teamId: string): Promise<void> {
    const beganMs = clock.monotonicMs()
    const options = {
      isStopping: () => loop.signal.aborted,
      ...(urgentMail.isRecent() && { contactsMax: CONTACTS_MAX_BESIDE_URGENT_MAIL }),
    }
    const hasMore = await advanceBroadcasts(context, teamId, options).catch((error) => {
      log.warn({ err: error, teamId }, 'broadcasts not advanced')
      return false
    })
    if (hasMore && unfinished.has(teamId)) recentFanOut.note()
    if (hasMore) unfinished.add(teamId)
    else unfinished.delete(teamId)
    if (hasMore && urgentMail.isRecent()) await rest(Math.min(clock.monotonicMs() - beganMs, REST_MS_MAX), loop.signal)
    running.delete(teamId)
    if (!hasMore) idleUntilMs.set(teamId, clock.monotonicMs() + lookEveryMs)
    loop.wake()
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

  const loop = startPollLoop(async (turn) => {
    await begin().catch((error) => log.warn({ err: error }, 'due broadcasts not read'))
    const nowMs = clock.monotonicMs()
    const nextLookMs = Math.min(nowMs + lookEveryMs, ...idleUntilMs.values())
    await turn.rest(Math.max(0, nextLookMs - nowMs))
  })

  return {
    wake() {
      idleUntilMs.clear()
      loop.wake()
    },
    async stop() {
      await loop.stop()
      await Promise.all(running.values())
    },
  }
}

// A step of a fan-out. The audience is looked up anew for each batch, because a segment, a topic or a property may be deleted meanwhile.

/** Contacts of a batch if the filter of a segment takes too long for so many. */
const CONTACTS_MAX_OF_SLOW_FILTERS = 250

/** After a filter took too long, or while the disk is almost full. */
const FAN_OUT_RETRY_MS = 30_000

type FanOutDependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers' | 'quotas'>

/** Returns whether there is more to do at once. */
async function fanOut(context: FanOutDependencies, broadcast: DueBroadcast, contactsMax: number): Promise<boolean> {
  const { repositories, gateways, wakeWorkers } = context
  if (await gateways.diskSpace.isLow())
    return wait(context, broadcast, 'The server is almost out of disk space. The rest is sent once it has room again.')
  const content = await loadContent(context, broadcast)
  if (typeof content === 'string') {
    await repositories.dueBroadcasts.endFanOutAcrossTeams(broadcast.id, content)
    return true
  }
  const emailsMax = await reserveBroadcast(context, broadcast, content.audience)
  if (emailsMax === 'refused') return true
  if (emailsMax === 'too slow') return wait(context, broadcast, TOO_SLOW)
  const next = (count: number) =>
    repositories.broadcastFanOut.next(broadcast.teamId, { ...content, broadcast, contactsMax: count, emailsMax })
  const done = await next(contactsMax).catch((error) => {
    if (!isCanceled(error)) throw error
    return next(CONTACTS_MAX_OF_SLOW_FILTERS).catch((again) => {
      if (!isCanceled(again)) throw again
      return 'too slow' as const
    })
  })
  if (done === 'too slow') return wait(context, broadcast, TOO_SLOW)
  if (done === 'more') wakeWorkers()
  return done === 'more' || done === 'all'
}

const TOO_SLOW = 'The filter of the segment takes too long, and is retried. Give it fewer rules.'

/** Without reading it as HTML, for which it may be long. */
const namesIn = (text: string): string[] => [
  ...new Set(readPlaceholders(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))),
]

async function loadContent({ repositories, config }: FanOutDependencies, { id, teamId, segmentId, topicId, from }: DueBroadcast) {
  const [broadcast, segment, topic, properties] = await Promise.all([
    repositories.broadcasts.find(teamId, id),
    repositories.segments.find(teamId, segmentId),
    topicId === null ? null : repositories.topics.find(teamId, topicId),
    placeholderProperties(repositories, teamId),
  ])
  if (!broadcast) throw new Error('A broadcast that is being sent was deleted')
  if (!segment) return 'The segment was deleted. Contacts who had not been reached by then did not get the broadcast.'
  if (topicId !== null && !topic) return 'The topic was deleted. Contacts who had not been reached by then did not get the broadcast.'
  const subject = readText(broadcast.subject, 'line')
  const bodies = [broadcast.html, broadcast.text, broadcast.previewText].flatMap((text) =>
    text === null ? [] : [{ names: namesIn(text) }],
  )
  const names = [subject, ...bodies].flatMap((part) => part.names)
  const kept = broadcast.properties ?? (await repositories.dueBroadcasts.keepPropertiesAcrossTeams(id, propertiesNamed(names, properties)))
  const placeholders = contactPlaceholders(kept)
  // The values of a property that was deleted are hidden at once, also while a job removes them.
  const living = new Set<ContactField>(properties.map(({ number }) => number))
  const isThere = (field: ContactField): boolean => typeof field !== 'number' || living.has(field)
  return {
    audience: { segment: { id: segment.id, filter: segment.filter }, topic },
    subject: subjectParts(subject, placeholders).map((part) => (typeof part === 'string' || isThere(part.field) ? part : part.fallback)),
    fields: storedFields(bodies, placeholders).filter(isThere),
    fromDomain: senderDomain(from),
    delivery: config.delivery,
    suppressedDetail: suppressedBy,
  }
}

async function wait({ repositories, clock }: FanOutDependencies, { id }: DueBroadcast, reason: string): Promise<boolean> {
  const until = new Date(clock.now().getTime() + FAN_OUT_RETRY_MS)
  await repositories.dueBroadcasts.waitAcrossTeams(id, { reason, isWaiting: false, until })
  return false
}
