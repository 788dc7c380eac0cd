// Runs automations: tells them what happened, and takes the runs that are due further, a bounded number at a time. What may hold up others is taken
// further beside them, one at a time.

import { isCanceled, isDeadlock, isRefusedData, isSerializationFailure, isUnavailable } from '../../../db/database-errors.ts'
import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { isGivenUp } from '../../../lib/limits/claims.ts'
import { type PollLoop, startPollLoop } from '../../../lib/poll-loop.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { EventsContext } from '../../events/events.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TemplatesContext } from '../../templates/templates.context.ts'
import type { AutomationsContext } from '../automations.context.ts'
import { createEventDispatcher, createTeamRoundRobin, type EventDispatcher } from '../pending-events/dispatch-events.worker.ts'
import type { DispatchOptions } from '../pending-events/occurrences.repository.ts'
import type { Claimed } from '../runs/due-runs.repository.ts'
import { type Advancing, advanceRuns, createGraphCache, type GraphCache } from './advance-runs.ts'

type Context = PlatformContext &
  AccountsContext &
  SecretsContext &
  DomainsContext &
  SuppressionsContext &
  AudienceContext &
  TemplatesContext &
  EmailsContext &
  EventsContext &
  AutomationsContext

/** Runs that are claimed together. */
const RUNS_MAX = 200
const LOOK_EVERY_MS = 1_000
/** Between two looks. What wakes comes in bursts, and is looked at together. */
const LOOKS_APART_MS = 5
/** After events that no run waits for, the next look starts this many times as late as the last one took: in a flood each look tells many. */
const FLOOD_APART_FACTOR = 4
/** What wakes a run waits for no longer than this. */
const FLOOD_APART_MS_MAX = 25
const FAULT_PAUSE_MS = 1_000
/** After a fault of ours. */
const AGAIN_AFTER_MS = 10_000

export type AutomationRunner = { wake(): void; stop(): Promise<void> }

export type AutomationWork = {
  lease: Pick<Lease, 'id' | 'isHeld'>
  graphCache: GraphCache
  eventDispatcher: EventDispatcher
  claims: Claims
}

export const createAutomationWork = (
  context: Context,
  lease: AutomationWork['lease'],
  { runsMax = RUNS_MAX }: { runsMax?: number } = {},
): AutomationWork => ({
  lease,
  graphCache: createGraphCache(context),
  eventDispatcher: createEventDispatcher(context),
  claims: createClaims(context, lease.id, runsMax),
})

export function startRunningAutomations(
  context: Context,
  lease: Lease,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): AutomationRunner {
  const work = createAutomationWork(context, lease)

  const follow = (look: () => Promise<Look>): PollLoop =>
    startPollLoop(async ({ pause, rest }) => {
      const beganMs = context.clock.monotonicMs()
      const { hasMore, hasDispatched } = await look().catch(async (error): Promise<Look> => {
        context.log.warn({ err: error }, 'due runs and events of automations not processed')
        await pause(FAULT_PAUSE_MS)
        await releaseAll(context, lease.id)
        return { hasMore: true, hasDispatched: false }
      })
      if (hasMore) return
      const apartMs = hasDispatched ? floodApartMs(context.clock.monotonicMs() - beganMs) : LOOKS_APART_MS
      await rest(lookEveryMs)
      const tooEarlyMs = apartMs - (context.clock.monotonicMs() - beganMs)
      if (tooEarlyMs > 0) await pause(tooEarlyMs)
    })

  let hasRedispatched = false
  const lookAtAll = async () => {
    if (!hasRedispatched) await work.eventDispatcher.dispatchAgain()
    hasRedispatched = true
    return runAutomations(context, work)
  }
  const all = follow(lookAtAll)
  const suspects = follow(async () => ({ hasMore: await runSuspect(context, work), hasDispatched: false }))
  return {
    wake: all.wake,
    stop: async () => void (await Promise.all([all.stop(), suspects.stop()])),
  }
}

/** The least time between the starts of two looks. */
const floodApartMs = (tookMs: number): number => Math.min(Math.max(LOOKS_APART_MS, FLOOD_APART_FACTOR * tookMs), FLOOD_APART_MS_MAX)

/** A claim whose answer was lost would be held as long as this worker lives. */
async function releaseAll({ repositories, log }: Context, workerId: string): Promise<void> {
  await repositories.dueRuns
    .release(workerId, { runIds: null, at: null, counts: false })
    .catch((error) => log.warn({ err: error }, 'runs not released'))
}

type Claims = {
  /** The runs that were claimed beside telling, or else others. */
  next(now: Date): Promise<Pick<Claimed, 'runs'> & Partial<Claimed>>
  /** What is claimed with the statement that tells; undefined while the teams take turns. */
  besideDispatch(): DispatchOptions['claiming']
}

/** The longest due first. If there was something, there may be more than fits into one batch: the teams take turns until nothing is due. */
function createClaims(
  { repositories: { dueRuns }, clock }: Pick<Context, 'repositories' | 'clock'>,
  workerId: string,
  runsMax: number,
): Claims {
  const turns = createTeamRoundRobin((after) => dueRuns.teamsAcrossTeams(clock.now(), after))
  let isBusy = false
  let besides: Claimed | null = null
  const onClaimed = (claimed: Claimed) => {
    besides = claimed
  }
  return {
    besideDispatch: () => (isBusy || besides ? undefined : { workerId, runsMax, onClaimed }),

    async next(now) {
      if (besides) {
        const claimed = besides
        besides = null
        isBusy = claimed.runs.length > 0
        return claimed
      }
      const shares = isBusy ? await turns.share(runsMax) : []
      const runs = shares.length > 0 ? await dueRuns.claimByQuota(workerId, now, shares) : await dueRuns.claim(workerId, now, runsMax)
      isBusy = shares.length > 0 || runs.length > 0
      return { runs }
    },
  }
}

/** `hasMore`: there may be more to do at once. `hasDispatched`: events were told, and runs claimed in the same transaction. */
type Look = { hasMore: boolean; hasDispatched: boolean }

/** A bounded part of what there is to do. */
export async function runAutomations(context: Context, { lease, graphCache, eventDispatcher, claims }: AutomationWork): Promise<Look> {
  const hasMoreEvents = await eventDispatcher.dispatch(lease.isHeld() ? claims.besideDispatch() : undefined)
  if (!lease.isHeld()) return { hasMore: false, hasDispatched: false }
  const { runs, ...known } = await claims.next(context.clock.now())
  if (runs.length > 0) await advance(context, { workerId: lease.id, graphCache, runs, ...known })
  const hasMoreSuspects = await eventDispatcher.dispatchSuspect()
  return { hasMore: hasMoreEvents || hasMoreSuspects || runs.length > 0, hasDispatched: known.facts !== undefined }
}

/** Takes a run further that killed its workers, or failed with others. Returns whether there may be more of them. */
export async function runSuspect(context: Context, { lease, graphCache }: Pick<AutomationWork, 'lease' | 'graphCache'>): Promise<boolean> {
  if (!lease.isHeld()) return false
  const runs = await context.repositories.dueRuns.claimSuspect(lease.id, context.clock.now())
  if (runs.length > 0) await advance(context, { workerId: lease.id, graphCache, runs })
  return runs.length > 0
}

/** If they cannot be stored together, each is taken further alone and beside the others, so that one does not hold up those that follow. */
async function advance(context: Context, advancing: Advancing): Promise<void> {
  const { repositories, clock, log } = context
  const { workerId, runs } = advancing
  const [only, ...others] = runs
  if (!only) return
  try {
    await advanceRuns(context, advancing)
    if (isGivenUp(only)) log.error({ runId: only.id, claims: only.claims }, 'run of an automation given up')
  } catch (error) {
    // A statement that takes too long may do so because of one of them.
    if (isUnavailable(error) && !isCanceled(error)) throw error
    if (others.length > 0) {
      log.warn({ err: error, runs: runs.length }, 'runs of automations not advanced together')
      const runIds = runs.map(({ id }) => id)
      return repositories.dueRuns.suspect(workerId, runIds)
    }
    const isOfMoment = isDeadlock(error) || isSerializationFailure(error)
    if (!isOfMoment) log.error({ err: error, runId: only.id, isRefused: isRefusedData(error) }, 'run of an automation not advanced')
    const at = new Date(clock.now().getTime() + (isOfMoment ? 0 : AGAIN_AFTER_MS))
    await repositories.dueRuns.release(workerId, { runIds: [only.id], at, counts: !isOfMoment })
  }
}
