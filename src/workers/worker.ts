// One worker: a lease, and under it the delivery engine, webhooks and the jobs. If the lease is lost, both stop and start again under another.
import type { Context } from '../context.ts'
import { createRecentFanOut, createUrgentMail } from '../lib/engine/recent-work.ts'
import { startAddingUpCounts } from './add-up-counts.ts'
import { type AutomationRunner, startRunningAutomations } from './automations/run-automations.ts'
import { type BroadcastSenders, startSendingBroadcasts } from './broadcasts/send-broadcasts.ts'
import { startClaimChecks } from './check-claims.ts'
import { startDomainChecks } from './check-domains.ts'
import { type Deliverer, startDeliverer } from './engine/deliver.ts'
import { type Lease, takeLease } from './engine/lease.ts'
import { sampleQueue } from './engine/queue-sample.ts'
import { type JobOptions, startJobs } from './jobs.ts'
import { startReadingReceived } from './received/read-received.ts'
import { startActingOnReports } from './reports/act-on-reports.ts'
import { startSendingWebhooks, type WebhookSender } from './webhooks/send-webhooks.ts'

/** How long running work has to end. Work that still runs then is released by the process that sees the lease stand still. */
const STOP_MS = 7_000
const RETRY_AFTER_FAULT_MS = 1_000
const QUEUE_SAMPLED_EVERY_MS = 10_000

export type Worker = {
  /** Messages are sent at once. `all`: what broadcasts and automations have to do is done at once too; `automations`: only that of automations. */
  wake(work?: 'all' | 'automations'): void
  isRunning(): boolean
  stop(): Promise<void>
}

type Running = {
  lease: Lease
  deliverer: Deliverer
  webhooks: WebhookSender
  broadcasts: BroadcastSenders
  automations: AutomationRunner
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
        await Promise.race([stopped, pause(RETRY_AFTER_FAULT_MS)])
        continue
      }
      await Promise.race([stopped, running.lease.lost])
      const ending = running
      running = null
      await Promise.race([ending.stop(), pause(STOP_MS)])
      await ending.lease.leave().catch((error) => log.warn({ err: error }, 'lease not given back'))
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
      const domainChecks = startDomainChecks(context)
      const claimChecks = startClaimChecks(context)
      const reports = startActingOnReports(context)
      const received = startReadingReceived(context)
      const addingUp = startAddingUpCounts(context)
      const broadcasts = startSendingBroadcasts(context, { urgentMail, recentFanOut })
      const automations = startRunningAutomations(context, lease)
      log.info({ workerId: lease.id }, 'worker started')
      return {
        lease,
        deliverer,
        webhooks,
        broadcasts,
        automations,
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
            broadcasts.stop(),
            automations.stop(),
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
      if (work === 'all' || work === 'automations') running?.automations.wake()
      if (work === 'automations') return
      running?.deliverer.wake()
      running?.webhooks.wake()
      if (work === 'all') running?.broadcasts.wake()
    },
    isRunning: () => running?.lease.isHeld() ?? false,
    async stop() {
      isStopping = true
      clearInterval(sampling)
      requestStop('stop')
      await life
    },
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
