// Sends the messages of webhooks beside the mail engine, under the same lease: chooses fairly among the webhooks that have some waiting, and claims
// only what there is room for.
import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { createId } from '../../../lib/ids.ts'
import { createKeyCounts } from '../../../lib/limits/counts.ts'
import { startPollLoop } from '../../../lib/poll-loop.ts'
import { createSettling, pauseAfterFault } from '../../delivery/engine/settling.ts'
import { createLostClaims } from '../../delivery/queue/lane-cache.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import { attempt, GONE_REASON, isGone, NOT_ENABLED, unsendable } from './attempt.ts'
import { chooseWebhooks, FAILING_DAYS_MAX, FAILING_MS_MAX, PLACES, type RunningOfTeam, type RunningRequests } from './retry-schedule.ts'
import type { ClaimedMessage, DisableOptions, MessageOutcome, Sendable, WebhookLane } from './webhook-deliveries.repository.ts'

type Context = PlatformContext & WebhooksContext

type Requested = { webhookId: string; teamId: string }

/** Counts the requests that are running. */
export function createRunningRequests(): RunningRequests & { begin(request: Requested): void; end(request: Requested): void } {
  const ofWebhook = createKeyCounts()
  const ofTeam = new Map<string, RunningOfTeam>()

  function change({ webhookId, teamId }: Requested, by: 1 | -1): void {
    const requests = ofWebhook.add(webhookId, by)
    const team = ofTeam.get(teamId) ?? { requests: 0, webhooks: 0 }
    const isFirstOrLast = requests === Math.max(by, 0)
    const now = { requests: team.requests + by, webhooks: team.webhooks + (isFirstOrLast ? by : 0) }
    if (now.requests > 0) ofTeam.set(teamId, now)
    else ofTeam.delete(teamId)
  }

  return {
    ofWebhook: ofWebhook.all,
    ofTeam,
    get total() {
      return ofWebhook.total
    },
    begin: (request) => change(request, 1),
    end: (request) => change(request, -1),
  }
}

// Which webhooks are left alone for a moment, and to which endpoints only a little is sent: those that did not answer in time, or asked to wait.

export type WebhookBackoff = {
  /** Nothing is claimed for it so long. */
  leaveAlone(webhookId: string, ms: number): void
  isBackingOff(webhookId: string): boolean
  /** How long each that is left alone will be. */
  waitsMs(): number[]
  /** What its endpoint may have at once. */
  requestsAtOnce(webhook: { webhookId: string; concurrency: number }): number
  /** `retryAfterMs`: how long the endpoint asked to be left alone; null if it did not. */
  note(webhookId: string, answer: { isTimeout: boolean; retryAfterMs: number | null }): void
}

/** What an endpoint asks for holds back all of its events no longer than this: it may have meant only one of them. */
export const ASKED_MS_MAX = 60_000
/** At once, to an endpoint that did not answer in time or asked to wait. Once it does neither it gets all of its own again. */
const REQUESTS_WHILE_THROTTLED = 2
/** How many webhooks are remembered as left alone, and how many as throttled. */
const REMEMBERED_MAX = 10_000

export function createWebhookBackoff({ monotonicMs }: { monotonicMs(): number }): WebhookBackoff {
  const throttled = new Set<string>()
  const untilMs = new Map<string, number>()

  function leaveAlone(webhookId: string, ms: number): void {
    const until = Math.max(untilMs.get(webhookId) ?? 0, monotonicMs() + ms)
    untilMs.delete(webhookId)
    untilMs.set(webhookId, until)
    forgetFirst(untilMs)
  }

  return {
    leaveAlone,
    isBackingOff(webhookId) {
      const until = untilMs.get(webhookId)
      if (until === undefined) return false
      if (until > monotonicMs()) return true
      untilMs.delete(webhookId)
      return false
    },
    waitsMs() {
      const nowMs = monotonicMs()
      for (const [webhookId, until] of untilMs) if (until <= nowMs) untilMs.delete(webhookId)
      return [...untilMs.values()].map((until) => until - nowMs)
    },
    requestsAtOnce: ({ webhookId, concurrency }) =>
      throttled.has(webhookId) ? Math.min(REQUESTS_WHILE_THROTTLED, concurrency) : concurrency,
    note(webhookId, { isTimeout, retryAfterMs }) {
      throttled.delete(webhookId)
      if (isTimeout || retryAfterMs !== null) throttled.add(webhookId)
      forgetFirst(throttled)
      if (retryAfterMs !== null) leaveAlone(webhookId, Math.min(retryAfterMs, ASKED_MS_MAX))
    },
  }
}

function forgetFirst(known: Set<string> | Map<string, number>): void {
  for (const webhookId of known.keys()) {
    if (known.size <= REMEMBERED_MAX) return
    known.delete(webhookId)
  }
}

/** Messages that one claim takes. */
const CLAIM_MAX = 100
/** What other processes cause is looked for: often after something was found, because more tends to follow, and then less and less often. */
const POLL_MS = { first: 20, last: 250 }
/** Looking more often finds no more, and costs the database as much each time. */
const LOOK_EVERY_MS = 10
const FAULT_PAUSE_MS = 1_000
/** How long a webhook is left alone if nothing of it could be claimed: another worker claims for it, or has all of its requests. */
const LEFT_ALONE_MS = 100
const SUSPECTS_EVERY_MS = 5_000
/** Requests that run when the service stops have so long. */
const STOP_MS = 5_000

export type WebhookSender = {
  wake(): void
  /** Stops claiming, and waits a while for what is running. What still runs then is stopped, and released with the lease. */
  stop(): Promise<void>
}

export type SendingTimes = { pollMs: { first: number; last: number }; stopMs: number }

const TIMES: SendingTimes = { pollMs: POLL_MS, stopMs: STOP_MS }

export function startSendingWebhooks(context: Context, lease: Lease, times: SendingTimes = TIMES): WebhookSender {
  const { repositories, clock, log } = context
  const { webhookDeliveries } = repositories
  const running = createRunningRequests()
  const requests = new Set<Promise<void>>()
  /** Attempts that this process has claimed and not settled. */
  const known = new Set<string>()
  const stopping = new AbortController()
  const backoff = createWebhookBackoff(clock)
  let hasSuspect = false
  let suspectsLookedForAtMs = Number.NEGATIVE_INFINITY
  let pollMs = times.pollMs.last

  const outcomes = createSettling<MessageOutcome>({
    async write(batch) {
      const now = clock.now()
      const { exhausted } = await webhookDeliveries.settle(lease.id, batch, now)
      const failingSince = new Date(now.getTime() - FAILING_MS_MAX)
      for (const webhookId of exhausted)
        await disable(webhookId, `Every attempt has failed for ${FAILING_DAYS_MAX} days.`, { now, failingSince })
      for (const { webhookId, endpoint } of batch.filter(isGone)) await disable(webhookId, GONE_REASON, { now, endpoint })
    },
    async writeBare(outcome, cause) {
      const { webhookId, messageId } = outcome
      log.error({ err: cause, webhookId, messageId }, 'details of a webhook attempt refused by the database')
      await webhookDeliveries.settle(lease.id, [{ ...outcome, response: null }], clock.now())
    },
    onFault: (error, count) => log.warn({ err: error, count }, 'outcomes of webhook attempts not written'),
  })

  async function disable(webhookId: string, reason: string, options: DisableOptions): Promise<void> {
    if (await webhookDeliveries.disable(webhookId, reason, options)) log.error({ webhookId, reason }, 'webhook disabled')
  }

  const releaseLostClaims = createLostClaims({
    clock,
    held: () => webhookDeliveries.heldBy(lease.id),
    release: (attemptIds) => webhookDeliveries.release(lease.id, attemptIds),
    onFound: (count) => log.warn({ count }, 'webhook messages released whose claim was not answered'),
  })

  const loop = startPollLoop(async ({ rest, pause }) => {
    const restMs = await claim().catch((error) => {
      log.warn({ err: error }, 'webhook messages not claimed')
      return FAULT_PAUSE_MS
    })
    if (restMs === 0) return
    await rest(restMs)
    // What wakes comes in bursts, and is looked at together.
    await pause(LOOK_EVERY_MS)
  })

  /** Claims what there is room for, and returns how long there will be nothing more to claim. */
  async function claim(): Promise<number> {
    if (!lease.isHeld()) return FAULT_PAUSE_MS
    await releaseLostClaims(known)
    if (!hasSuspect && clock.monotonicMs() - suspectsLookedForAtMs >= SUSPECTS_EVERY_MS) await claimSuspect()
    if (running.total >= PLACES.all) return times.pollMs.last
    const now = clock.now()
    if (!(await webhookDeliveries.anyAcrossTeams())) return untilNext([], now)
    const lanes = await webhookDeliveries.lanesAcrossTeams(new Date(now.getTime() + POLL_MS.last))
    const due = lanes.filter(({ dueAt, webhookId }) => dueAt <= now && !backoff.isBackingOff(webhookId))
    const waiting = due.map((lane) => ({ webhookId: lane.webhookId, teamId: lane.teamId, runningMax: backoff.requestsAtOnce(lane) }))
    const allotments = chooseWebhooks(waiting, running, { max: CLAIM_MAX })
    if (allotments.length === 0) return untilNext(lanes, now)
    const { claimed, mayHaveMore } = await webhookDeliveries.claim(lease.id, allotments, { now, createId: () => createId(clock) })
    begin(claimed)
    if (claimed.length > 0) pollMs = times.pollMs.first
    if (mayHaveMore) return 0
    const found = new Set(claimed.map(({ webhookId }) => webhookId))
    for (const { webhookId } of allotments) if (!found.has(webhookId)) backoff.leaveAlone(webhookId, LEFT_ALONE_MS)
    return 0
  }

  /** A webhook that has all of its requests running is looked at when one of them ends. */
  function untilNext(lanes: readonly WebhookLane[], now: Date): number {
    const waits = lanes.map(({ dueAt }) => dueAt.getTime() - now.getTime()).filter((ms) => ms > 0)
    const restMs = [...waits, ...backoff.waitsMs()].reduce((least, ms) => Math.min(least, ms), pollMs)
    pollMs = Math.min(pollMs * 2, times.pollMs.last)
    return restMs
  }

  /** One at a time: if the worker dies meanwhile, that one is to blame. */
  async function claimSuspect(): Promise<void> {
    suspectsLookedForAtMs = clock.monotonicMs()
    const now = clock.now()
    const webhookIds = await webhookDeliveries.suspectWebhooksAcrossTeams(now)
    if (webhookIds.length === 0) return
    const allotments = webhookIds.map((webhookId) => ({ webhookId, count: 1 }))
    const { claimed } = await webhookDeliveries.claim(lease.id, allotments, { now, createId: () => createId(clock), isSuspect: true })
    if (claimed.length === 0) return
    hasSuspect = true
    begin(claimed, () => {
      hasSuspect = false
      suspectsLookedForAtMs = Number.NEGATIVE_INFINITY
    })
  }

  function begin(claimed: ClaimedMessage[], onEnd: () => void = () => {}): void {
    if (claimed.length === 0) return
    for (const message of claimed) {
      known.add(message.attemptId)
      running.begin(message)
    }
    const ending = beginEnabled(claimed, (message) => {
      known.delete(message.attemptId)
      running.end(message)
      onEnd()
      loop.wake()
    }).finally(() => requests.delete(ending))
    requests.add(ending)
  }

  /** Begins while their webhooks cannot be disabled or deleted: nothing is begun once that was answered. Resolves when all have ended. */
  async function beginEnabled(claimed: ClaimedMessage[], onEnd: (message: ClaimedMessage) => void): Promise<void> {
    const begun: Promise<void>[] = []
    while (begun.length === 0 && !loop.signal.aborted) {
      try {
        await webhookDeliveries.whileEnabled(claimed, (sendable) => {
          for (const message of claimed) begun.push(send(message, sendable).finally(() => onEnd(message)))
        })
      } catch (error) {
        log.warn({ err: error, count: claimed.length }, 'contents of webhook messages not read')
        if (begun.length === 0) await pauseAfterFault()
      }
    }
    if (begun.length === 0) for (const message of claimed) onEnd(message)
    await Promise.all(begun)
  }

  async function send(message: ClaimedMessage, { contents, enabled }: Sendable): Promise<void> {
    if (!enabled.has(message.webhookId)) return outcomes.settle(unsendable(message, NOT_ENABLED))
    const content = contents.get(message.messageId)
    const ended = await attempt(context, message, { content, lease, signal: stopping.signal }).catch((error) => {
      log.error({ err: error, webhookId: message.webhookId, messageId: message.messageId }, 'webhook message not sent')
      return { outcome: unsendable(message, 'The service failed to send this event.'), isTimeout: false, retryAfterMs: null }
    })
    if (ended === null) return
    backoff.note(message.webhookId, ended)
    await outcomes.settle(ended.outcome)
  }

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      const late = setTimeout(() => stopping.abort(), times.stopMs)
      await Promise.all(requests)
      clearTimeout(late)
    },
  }
}
