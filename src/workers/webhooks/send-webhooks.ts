// Sends the messages of webhooks beside the mail engine, under the same lease: chooses fairly among the webhooks that have some waiting, and claims
// only what there is room for.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import { FAILING_DAYS_MAX, FAILING_MS_MAX } from '../../lib/webhooks/ladder.ts'
import { chooseWebhooks, PLACES } from '../../lib/webhooks/places.ts'
import type {
  ClaimedMessage,
  DisableOptions,
  MessageOutcome,
  Sendable,
  WebhookLane,
} from '../../repositories/webhooks/webhook-deliveries.ts'
import type { Lease } from '../engine/lease.ts'
import { createLostClaims } from '../engine/lost-claims.ts'
import { pauseAfterFault } from '../engine/pause.ts'
import { createSettling } from '../engine/settling.ts'
import { attempt } from './attempt.ts'
import { createRunningRequests } from './running-requests.ts'
import { GONE_REASON, isGone, NOT_ENABLED, unsendable } from './verdicts.ts'
import { createWebhookBackoff } from './webhook-backoff.ts'

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
  let isStopping = false
  let isWoken = false
  let pollMs = times.pollMs.last
  let wakeUp: () => void = () => {}

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

  const working = run()

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      const restMs = await claim().catch((error) => {
        log.warn({ err: error }, 'webhook messages not claimed')
        return FAULT_PAUSE_MS
      })
      await rest(restMs)
    }
  }

  /** Waits until woken. What wakes comes in bursts, and is looked at together. */
  async function rest(restMs: number): Promise<void> {
    if (restMs === 0 || isStopping) return
    if (!isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restMs)
        wakeUp = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    if (!isStopping) await sleep(LOOK_EVERY_MS)
  }

  function wake(): void {
    isWoken = true
    wakeUp()
  }

  /** Claims what there is room for, and returns how long there will be nothing more to claim. */
  async function claim(): Promise<number> {
    if (!lease.isHeld()) return FAULT_PAUSE_MS
    await releaseLostClaims(known)
    if (!hasSuspect && clock.monotonicMs() - suspectsLookedForAtMs >= SUSPECTS_EVERY_MS) await claimSuspect()
    if (running.total >= PLACES.all) return times.pollMs.last
    const now = clock.now()
    if (!(await webhookDeliveries.anyAcrossTeams())) return untilNext([], now)
    const lanes = await webhookDeliveries.lanesAcrossTeams(new Date(now.getTime() + POLL_MS.last))
    const due = lanes.filter(({ dueAt, webhookId }) => dueAt <= now && !backoff.isLeftAlone(webhookId))
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
      wake()
    }).finally(() => requests.delete(ending))
    requests.add(ending)
  }

  /** Begins while their webhooks cannot be disabled or deleted: nothing is begun once that was answered. Resolves when all have ended. */
  async function beginEnabled(claimed: ClaimedMessage[], onEnd: (message: ClaimedMessage) => void): Promise<void> {
    const begun: Promise<void>[] = []
    while (begun.length === 0 && !isStopping) {
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
      return { outcome: unsendable(message, 'The service failed to send this event.'), isTimeout: false, askedMs: null }
    })
    if (ended === null) return
    backoff.note(message.webhookId, ended)
    await outcomes.settle(ended.outcome)
  }

  return {
    wake,
    async stop() {
      isStopping = true
      wake()
      await working
      const late = setTimeout(() => stopping.abort(), times.stopMs)
      await Promise.all(requests)
      clearTimeout(late)
    },
  }
}
