// One worker: a lease, and under it the delivery engine, webhooks and the jobs. If the lease is lost, both stop and start again under another.

import type { Context } from '../context.ts'
import { type Lease, takeLease } from '../db/leases/lease.ts'
import { within } from '../lib/clock.ts'
import { startChaining } from '../modules/audit/chain.worker.ts'
import { type AutomationRunner, startRunningAutomations } from '../modules/automations/steps/run-automations.worker.ts'
import { startActingOnReports } from '../modules/bounces/reports.worker.ts'
import { type BroadcastSenders, startSendingBroadcasts } from '../modules/broadcasts/broadcasts.worker.ts'
import { startGuarding } from '../modules/deliverability/guard/guard.worker.ts'
import { type Deliverer, startDeliverer } from '../modules/delivery/engine/deliver.worker.ts'
import { type InstallationMailSender, startSendingInstallationMails } from '../modules/delivery/installation-mail.worker.ts'
import { createRecentFanOut, createUrgentMail } from '../modules/delivery/recent-work.ts'
import { startDomainChecks } from '../modules/domains/checks/domain-checks.worker.ts'
import { startClaimChecks } from '../modules/domains/claims/claim-checks.worker.ts'
import { startReadingReceived } from '../modules/inbound/received.worker.ts'
import { startAddingUpCounts } from '../modules/metrics/metrics.worker.ts'
import { startSendingWebhooks, type WebhookSender } from '../modules/webhooks/sending/send-webhooks.worker.ts'
import { type JobOptions, startJobs } from './jobs.ts'

// What Prometheus learns about the queue. It is sampled now and then, and never counted for a scrape.

const STATES = ['ready', 'waiting', 'leased', 'parked'] as const

export async function sampleQueue({
  repositories,
  metrics,
  clock,
  log,
}: Pick<Context, 'repositories' | 'metrics' | 'clock' | 'log'>): Promise<void> {
  try {
    const now = clock.now()
    const { lanes, oldestDueSeconds } = await repositories.queueView.sampleAcrossTeams(now)
    const pauses = await repositories.queuePauses.listAcrossTeams()
    const webhooksWaiting = await repositories.webhookDeliveries.countWaitingAcrossTeams()
    const eventsSetAside = await repositories.automationOccurrences.countSetAsideAcrossTeams()
    const backingOff = await repositories.destinationPaces.listPausedAcrossTeams(now)
    const backupAgeSeconds = await repositories.lastBackup.ageSeconds()
    // Lanes that are empty by now lose their series.
    metrics.queueDepth.reset()
    for (const { class: kind, destination, ...counts } of lanes)
      for (const state of STATES) metrics.queueDepth.set({ state, class: kind, destination }, counts[state])
    metrics.queueOldestSeconds.set(oldestDueSeconds)
    metrics.queuePausedParts.set(pauses.length)
    metrics.destinationsBackingOff.set(backingOff.length)
    metrics.webhookMessagesWaiting.set(webhooksWaiting)
    metrics.automationEventsSetAside.set(eventsSetAside)
    metrics.backupAgeSeconds.set(backupAgeSeconds ?? Number.NaN)
  } catch (error) {
    log.warn({ err: error }, 'queue not sampled')
  }
}

/** How long running work has to end. Work that still runs then is released by the process that sees the lease stand still. */
const STOP_MS = 7_000
const RETRY_AFTER_FAULT_MS = 1_000
const QUEUE_SAMPLED_EVERY_MS = 10_000

export type Worker = {
  /**
   * Messages are sent at once. `all`: what broadcasts and automations have to do is done at once too; `automations`: only that of automations;
   * `installation mails`: only these are sent.
   */
  wake(work?: 'all' | 'automations' | 'installation mails'): void
  isRunning(): boolean
  /** Claims no more deliveries; resolves when those in progress have ended. */
  drain(): Promise<void>
  stop(): Promise<void>
}

type Running = {
  lease: Lease
  deliverer: Deliverer
  webhooks: WebhookSender
  broadcasts: BroadcastSenders
  automations: AutomationRunner
  installationMails: InstallationMailSender
  stop(): Promise<void>
}

export function startWorker(context: Context, options: JobOptions): Worker {
  const { log } = context
  const { promise: stopped, resolve: requestStop } = Promise.withResolvers<'stop'>()
  let isStopping = false
  let running: Running | null = null

  const sampling = setInterval(() => void sampleQueue(context), QUEUE_SAMPLED_EVERY_MS)
  const life = live()

  async function live(): Promise<void> {
    while (!isStopping) {
      running = await begin().catch((error) => {
        log.warn({ err: error }, 'worker not started')
        return null
      })
      if (!running) {
        await within(RETRY_AFTER_FAULT_MS, stopped, () => {})
        continue
      }
      await Promise.race([stopped, running.lease.lost])
      const ending = running
      running = null
      await within(STOP_MS, ending.stop(), () => {})
      await ending.lease.leave().catch((error) => log.warn({ err: error }, 'lease not released'))
    }
  }

  async function begin(): Promise<Running> {
    const lease = await takeLease(context)
    try {
      const jobs = await startJobs(context, lease, options)
      const webhooks = startSendingWebhooks(context, lease)
      const urgentMail = createUrgentMail(context.clock)
      const recentFanOut = createRecentFanOut(context.clock)
      const deliverer = startDeliverer(context, lease, { onSettled: webhooks.wake, urgentMail, recentFanOut })
      const installationMails = startSendingInstallationMails(context)
      const domainChecks = startDomainChecks(context)
      const claimChecks = startClaimChecks(context)
      const reports = startActingOnReports(context)
      const received = startReadingReceived(context)
      const addingUp = startAddingUpCounts(context)
      const guarding = startGuarding(context)
      const chaining = startChaining(context)
      const broadcasts = startSendingBroadcasts(context, { urgentMail, recentFanOut })
      const automations = startRunningAutomations(context, lease)
      log.info({ workerId: lease.id }, 'worker started')
      return {
        lease,
        deliverer,
        webhooks,
        broadcasts,
        automations,
        installationMails,
        async stop() {
          await Promise.allSettled([
            deliverer.stop(),
            webhooks.stop(),
            jobs.stop(),
            domainChecks.stop(),
            claimChecks.stop(),
            reports.stop(),
            received.stop(),
            addingUp.stop(),
            guarding.stop(),
            chaining.stop(),
            broadcasts.stop(),
            automations.stop(),
            installationMails.stop(),
          ])
        },
      }
    } catch (error) {
      await lease.leave()
      throw error
    }
  }

  return {
    wake(work) {
      if (work === 'installation mails') return running?.installationMails.wake()
      if (work === 'all' || work === 'automations') running?.automations.wake()
      if (work === 'automations') return
      running?.deliverer.wake()
      running?.webhooks.wake()
      if (work === 'all') running?.broadcasts.wake()
    },
    isRunning: () => running?.lease.isHeld() ?? false,
    async drain() {
      await running?.deliverer.drain()
    },
    async stop() {
      isStopping = true
      clearInterval(sampling)
      requestStop('stop')
      await life
    },
  }
}
