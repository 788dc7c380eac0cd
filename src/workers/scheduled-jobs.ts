// The jobs that run at fixed times. The database's clock says when, so a worker whose clock is wrong neither skips a job nor runs one for nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { FIND_LEFTOVERS } from '../schemas/jobs.ts'
import { giveUp } from './fetch-attachments.ts'
import { failStuckImports } from './imports/import-contacts.ts'
import { findLeftovers } from './remove-leftovers.ts'
import {
  mayRemoveOld,
  sweepAutomations,
  sweepBlobs,
  sweepClaims,
  sweepDkimKeys,
  sweepEmailCounts,
  sweepEmails,
  sweepIdempotencyKeys,
  sweepImportReports,
  sweepOAuth,
  sweepPaces,
  sweepReceivedAmounts,
  sweepReceivedEmails,
  sweepSessions,
  sweepWebhookFailures,
} from './sweep.ts'
import { boundInbound, sweepInboundMessages } from './sweep-inbound.ts'

/** The longest time by which a job is late. */
const CHECK_EVERY_MS = 10_000
const HOUR = 60
const DAY = 24 * HOUR
/** After this time, the job of an email that is still fetching is checked. */
const STUCK_AFTER_MS = 60 * 60 * 1_000

/** Minutes are counted from midnight (UTC); see `JobTime`. */
const JOB_TIMES = [
  { task: 'maintain-partitions', everyMinutes: HOUR, minute: 11 },
  { task: 'remove-expired-idempotency-keys', everyMinutes: 10, minute: 0 },
  { task: 'sweep-emails', everyMinutes: HOUR, minute: 23 },
  { task: 'sweep-received-emails', everyMinutes: HOUR, minute: 31 },
  { task: 'sweep-blobs', everyMinutes: HOUR, minute: 37 },
  { task: 'sweep-jobs', everyMinutes: HOUR, minute: 43 },
  { task: 'sweep-sessions', everyMinutes: HOUR, minute: 47 },
  { task: 'sweep-oauth', everyMinutes: HOUR, minute: 51 },
  { task: 'sweep-dkim-keys', everyMinutes: HOUR, minute: 53 },
  { task: 'bound-inbound-messages', everyMinutes: 1, minute: 0 },
  { task: 'sweep-inbound-messages', everyMinutes: HOUR, minute: 57 },
  { task: 'sweep-import-reports', everyMinutes: DAY, minute: 3 * HOUR + 17 },
  { task: FIND_LEFTOVERS, everyMinutes: DAY, minute: 3 * HOUR + 29 },
  { task: 'sweep-claims', everyMinutes: DAY, minute: 3 * HOUR + 41 },
  { task: 'sweep-email-counts', everyMinutes: DAY, minute: 4 * HOUR + 7 },
  { task: 'sweep-webhook-failures', everyMinutes: DAY, minute: 4 * HOUR + 19 },
  { task: 'sweep-received-amounts', everyMinutes: DAY, minute: 4 * HOUR + 29 },
  { task: 'sweep-automations', everyMinutes: DAY, minute: 4 * HOUR + 31 },
  { task: 'sweep-paces', everyMinutes: DAY, minute: 3 * HOUR + 53 },
  { task: 'fail-stuck-fetches', everyMinutes: 10, minute: 0 },
  { task: 'fail-stuck-imports', everyMinutes: 10, minute: 0 },
]

export type ScheduledJobOptions = {
  /** Creates the partitions of the coming days. Drops expired ones only if `dropsOld`. */
  maintainPartitions: (options: { dropsOld: boolean }) => Promise<void>
  /** Removes the jobs that failed at their last try. */
  removeFailedJobs: () => Promise<void>
}

type Task = (payload: unknown, helpers: { abortSignal: AbortSignal }) => Promise<void>

export function scheduledTasks(context: Context, { maintainPartitions, removeFailedJobs }: ScheduledJobOptions): Record<string, Task> {
  const { repositories, clock } = context
  const sweepBy = (sweep: (context: Context) => Promise<void>) => async () => {
    if (await mayRemoveOld(context)) await sweep(context)
  }
  return {
    async 'maintain-partitions'() {
      await maintainPartitions({ dropsOld: await mayRemoveOld(context) })
    },
    'remove-expired-idempotency-keys': sweepBy(sweepIdempotencyKeys),
    'sweep-emails': sweepBy(sweepEmails),
    'sweep-received-emails': sweepBy(sweepReceivedEmails),
    'sweep-blobs': sweepBy(sweepBlobs),
    'sweep-jobs': removeFailedJobs,
    'sweep-sessions': sweepBy(sweepSessions),
    'sweep-oauth': sweepBy(sweepOAuth),
    'sweep-dkim-keys': sweepBy(sweepDkimKeys),
    'bound-inbound-messages': () => boundInbound(context),
    'sweep-inbound-messages': sweepBy(sweepInboundMessages),
    'sweep-import-reports': sweepBy(sweepImportReports),
    'sweep-claims': sweepBy(sweepClaims),
    'sweep-email-counts': sweepBy(sweepEmailCounts),
    'sweep-webhook-failures': sweepBy(sweepWebhookFailures),
    'sweep-automations': sweepBy(sweepAutomations),
    'sweep-paces': sweepBy(sweepPaces),
    'sweep-received-amounts': sweepBy(sweepReceivedAmounts),
    async [FIND_LEFTOVERS](_payload, { abortSignal: signal }) {
      await findLeftovers(context, { signal })
    },
    async 'fail-stuck-fetches'() {
      const before = new Date(clock.now().getTime() - STUCK_AFTER_MS)
      for (const { teamId, emailId, to } of await repositories.fetchedAttachments.listStuckAcrossTeams(before))
        await giveUp(context, { teamId, emailId, to, reason: 'The attachments could not be fetched.' })
    },
    async 'fail-stuck-imports'() {
      await failStuckImports(context)
    },
  }
}

/** Enqueues the jobs at their times until it is stopped. */
export function startSchedule(
  { repositories, log }: Pick<Context, 'repositories' | 'log'>,
  { checkEveryMs = CHECK_EVERY_MS }: { checkEveryMs?: number } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await repositories.scheduledJobs
        .enqueueDueAcrossTeams(JOB_TIMES)
        .catch((error) => log.warn({ err: error }, 'scheduled jobs not enqueued'))
      await sleep(checkEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}
