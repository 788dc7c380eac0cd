// Background work other than deliveries, run by graphile-worker: fetching attachments, imports and scheduled jobs.

import { EventEmitter } from 'node:events'
import { type Job, Logger, makeWorkerUtils, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Context } from '../context.ts'
import { jobTask, PayloadNotValid } from '../db/jobs/job-task.ts'
import {
  ACT_ON_CONTACTS,
  CLEAR_AUTOMATION,
  CLEAR_WEBHOOK,
  FETCH_ATTACHMENTS,
  FIND_LEFTOVERS,
  FORGET_CONTACT,
  IMPORT_CONTACTS,
  REMOVE_MEMBERS,
  REMOVE_PROPERTY_VALUES,
  TELL_OF_QUOTA,
  TELL_OF_REPUTATION,
} from '../db/jobs/jobs.ts'
import type { Lease } from '../db/leases/lease.ts'
import { HOUR_MS } from '../lib/clock.ts'
import { type PollLoop, startPollLoop } from '../lib/poll-loop.ts'
import { notifyOfQuota } from '../modules/accounts/teams/quota-notices.service.ts'
import { removeTeams } from '../modules/accounts/teams/team-removal.worker.ts'
import { failStuckImports, importContacts } from '../modules/audience/imports/imports.worker.ts'
import { failStuckContactJobs, runContactJob } from '../modules/audience/jobs/contact-jobs.worker.ts'
import { sweepAuditLog } from '../modules/audit/chain.service.ts'
import { notifyOfReputation } from '../modules/deliverability/guard/guard.service.ts'
import { FetchDelayed, failEmail, fetchAttachments } from '../modules/emails/fetch-attachments.worker.ts'
import { boundInbound, sweepInboundMessages } from '../modules/inbound/inbound.sweep.ts'
import {
  clearAutomation,
  clearWebhook,
  findOrphans,
  forgetContact,
  OrphansHeld,
  removeMembers,
  removePropertyValues,
} from './orphan-cleanup.ts'
import {
  countStoredBytes,
  mayRemoveOld,
  sweepAutomations,
  sweepBlobs,
  sweepClaims,
  sweepContactJobs,
  sweepDkimKeys,
  sweepEmailCounts,
  sweepEmails,
  sweepIdempotencyKeys,
  sweepImportReports,
  sweepOAuth,
  sweepPaces,
  sweepQuotaPeriods,
  sweepReceivedAmounts,
  sweepReceivedEmails,
  sweepSessions,
  sweepWebhookFailures,
} from './sweeps.ts'

/** More than one team may use; see `fetchQueueOf`. */
const FETCHES_AT_ONCE = 8
/** Separate from the fetches, so that slow servers never delay clean-up. */
const CHORES_AT_ONCE = 2
/** Imports and acts over many contacts, separate from all other jobs, so that a file of a million rows delays nothing. Of a team, one of each. */
const LARGE_JOBS_AT_ONCE = 3
const POLL_MS = 1_000
/** Running jobs are told to stop after this time, and are retried later. */
const ABORT_AFTER_MS = 2_000

export type JobOptions = Pick<ScheduledJobOptions, 'maintainPartitions'> & { pool: Pool }

export async function startJobs(
  context: Context,
  lease: Lease,
  { pool, maintainPartitions }: JobOptions,
): Promise<{ stop(): Promise<void> }> {
  const { log } = context
  const isLastTry = ({ attempts, max_attempts: attemptsMax }: Job): boolean => attempts >= attemptsMax
  const fetches = jobTask(
    context,
    FETCH_ATTACHMENTS,
    (payload, { job, abortSignal: signal }) => fetchAttachments(context, { ...payload, isLastTry: isLastTry(job), signal }),
    ({ teamId, emailId }) => context.repositories.fetchedAttachments.traceparentOf(teamId, emailId),
  )
  const imports = jobTask(context, IMPORT_CONTACTS, (payload, { job, abortSignal: signal }) =>
    importContacts(context, { ...payload, attempt: job.attempts, isLastTry: isLastTry(job), signal }),
  )
  const contactJobs = jobTask(context, ACT_ON_CONTACTS, (payload, { job, abortSignal: signal }) =>
    runContactJob(context, { ...payload, attempt: job.attempts, isLastTry: isLastTry(job), signal }),
  )
  const jobUtils = await makeWorkerUtils({ pgPool: pool })
  const removeFailedJobs = () => jobUtils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] })
  const chores: TaskList = {
    ...scheduledTasks(context, { maintainPartitions, removeFailedJobs }),
    ...jobTask(context, REMOVE_MEMBERS, (payload, { abortSignal: signal }) => removeMembers(context, payload, { signal })),
    ...jobTask(context, CLEAR_AUTOMATION, (payload, { abortSignal: signal }) => clearAutomation(context, payload, { signal })),
    ...jobTask(context, CLEAR_WEBHOOK, (payload, { abortSignal: signal }) => clearWebhook(context, payload, { signal })),
    ...jobTask(context, FORGET_CONTACT, (payload, { abortSignal: signal }) => forgetContact(context, payload, { signal })),
    ...jobTask(context, REMOVE_PROPERTY_VALUES, (payload, { abortSignal: signal }) => removePropertyValues(context, payload, { signal })),
    ...jobTask(context, TELL_OF_REPUTATION, (payload) => notifyOfReputation(context, payload)),
    ...jobTask(context, TELL_OF_QUOTA, (payload) => notifyOfQuota(context, payload)),
  }

  const events: WorkerEvents = new EventEmitter()
  // Jobs are locked under the lease's id, so that one decision about who is dead releases deliveries and jobs alike.
  events.on('pool:create', ({ workerPool }) => {
    workerPool.id = lease.id
  })
  const start = (taskList: TaskList, concurrentJobs: number): Promise<Runner> =>
    run({
      pgPool: pool,
      events,
      taskList,
      noHandleSignals: true,
      parsedCronItems: [],
      preset: { worker: { concurrentJobs, pollInterval: POLL_MS, gracefulShutdownAbortTimeout: ABORT_AFTER_MS } },
      logger: new Logger(() => (level, message, meta) => {
        if (meta?.error instanceof FetchDelayed) log.info({ reason: meta.error.message }, 'attachments not fetched yet')
        else if (meta?.error instanceof PayloadNotValid) log.debug({ job: message }, 'background job')
        else if (meta?.error instanceof OrphansHeld) log.info({ reason: meta.error.message }, 'orphans not removed yet')
        else if (level === 'error') log.error({ job: message }, 'background job failed')
        else log.debug({ job: message }, 'background job')
      }),
    })

  const runners: Runner[] = []
  const stopRunners = () => Promise.all(runners.map((runner) => runner.stop()))
  try {
    runners.push(await start(chores, CHORES_AT_ONCE))
    runners.push(await start(fetches, FETCHES_AT_ONCE))
    runners.push(await start({ ...imports, ...contactJobs }, LARGE_JOBS_AT_ONCE))
  } catch (error) {
    await stopRunners()
    throw error
  }
  const schedule = startSchedule(context)
  return {
    async stop() {
      await schedule.stop()
      await stopRunners()
      await jobUtils.release()
    },
  }
}

/** The longest time by which a job is late. */
const CHECK_EVERY_MS = 10_000

const HOUR = 60

const DAY = 24 * HOUR

/** After this time, the job of an email that is still fetching is checked. */
const STUCK_AFTER_MS = HOUR_MS

/** Minutes are counted from midnight (UTC); see `JobTime`. */
const JOB_TIMES = [
  { task: 'maintain-partitions', everyMinutes: HOUR, minute: 11 },
  { task: 'remove-expired-idempotency-keys', everyMinutes: 10, minute: 0 },
  { task: 'sweep-emails', everyMinutes: HOUR, minute: 23 },
  { task: 'sweep-received-emails', everyMinutes: HOUR, minute: 31 },
  { task: 'sweep-blobs', everyMinutes: HOUR, minute: 37 },
  { task: 'remove-teams', everyMinutes: 10, minute: 5 },
  { task: 'sweep-jobs', everyMinutes: HOUR, minute: 43 },
  { task: 'sweep-sessions', everyMinutes: HOUR, minute: 47 },
  { task: 'sweep-oauth', everyMinutes: HOUR, minute: 51 },
  { task: 'sweep-dkim-keys', everyMinutes: HOUR, minute: 53 },
  { task: 'bound-inbound-messages', everyMinutes: 1, minute: 0 },
  { task: 'sweep-inbound-messages', everyMinutes: HOUR, minute: 57 },
  { task: 'sweep-import-reports', everyMinutes: DAY, minute: 3 * HOUR + 17 },
  { task: FIND_LEFTOVERS, everyMinutes: DAY, minute: 3 * HOUR + 29 },
  { task: 'sweep-contact-jobs', everyMinutes: DAY, minute: 3 * HOUR + 21 },
  { task: 'sweep-claims', everyMinutes: DAY, minute: 3 * HOUR + 41 },
  { task: 'sweep-email-counts', everyMinutes: DAY, minute: 4 * HOUR + 7 },
  { task: 'sweep-webhook-failures', everyMinutes: DAY, minute: 4 * HOUR + 19 },
  { task: 'sweep-received-amounts', everyMinutes: DAY, minute: 4 * HOUR + 29 },
  { task: 'sweep-automations', everyMinutes: DAY, minute: 4 * HOUR + 31 },
  { task: 'sweep-audit-log', everyMinutes: DAY, minute: 4 * HOUR + 37 },
  { task: 'sweep-quota-periods', everyMinutes: DAY, minute: 4 * HOUR + 43 },
  { task: 'count-stored-bytes', everyMinutes: DAY, minute: 4 * HOUR + 49 },
  { task: 'sweep-paces', everyMinutes: DAY, minute: 3 * HOUR + 53 },
  { task: 'fail-stuck-fetches', everyMinutes: 10, minute: 0 },
  { task: 'fail-stuck-imports', everyMinutes: 10, minute: 0 },
  { task: 'fail-stuck-contact-jobs', everyMinutes: 10, minute: 0 },
]

type ScheduledJobOptions = {
  /** Creates the partitions of the coming days. Drops expired ones only if `dropsOld`. */
  maintainPartitions: (options: { dropsOld: boolean }) => Promise<void>
  /** Removes the jobs that failed at their last try. */
  removeFailedJobs: () => Promise<void>
}

type Task = (payload: unknown, helpers: { abortSignal: AbortSignal }) => Promise<void>

function scheduledTasks(context: Context, { maintainPartitions, removeFailedJobs }: ScheduledJobOptions): Record<string, Task> {
  const { repositories, clock } = context
  const sweepBy = (sweep: (context: Context) => Promise<void>) => async () => {
    if (await mayRemoveOld(context)) await sweep(context)
  }
  return {
    async 'maintain-partitions'() {
      await maintainPartitions({ dropsOld: await mayRemoveOld(context) })
    },
    'remove-expired-idempotency-keys': sweepBy(sweepIdempotencyKeys),
    'sweep-audit-log': sweepBy(sweepAuditLog),
    'sweep-emails': sweepBy(sweepEmails),
    'sweep-received-emails': sweepBy(sweepReceivedEmails),
    'sweep-blobs': sweepBy(sweepBlobs),
    'remove-teams': (_payload, { abortSignal: signal }) => removeTeams(context, { signal }),
    'sweep-jobs': removeFailedJobs,
    'sweep-sessions': sweepBy(sweepSessions),
    'sweep-oauth': sweepBy(sweepOAuth),
    'sweep-dkim-keys': sweepBy(sweepDkimKeys),
    'bound-inbound-messages': () => boundInbound(context),
    'sweep-inbound-messages': sweepBy(sweepInboundMessages),
    'sweep-import-reports': sweepBy(sweepImportReports),
    'sweep-claims': sweepBy(sweepClaims),
    'sweep-contact-jobs': sweepBy(sweepContactJobs),
    'sweep-email-counts': sweepBy(sweepEmailCounts),
    'sweep-webhook-failures': sweepBy(sweepWebhookFailures),
    'sweep-automations': sweepBy(sweepAutomations),
    'sweep-quota-periods': sweepBy(sweepQuotaPeriods),
    'count-stored-bytes': () => countStoredBytes(context),
    'sweep-paces': sweepBy(sweepPaces),
    'sweep-received-amounts': sweepBy(sweepReceivedAmounts),
    async [FIND_LEFTOVERS](_payload, { abortSignal: signal }) {
      await findOrphans(context, { signal })
    },
    async 'fail-stuck-fetches'() {
      const before = new Date(clock.now().getTime() - STUCK_AFTER_MS)
      for (const { teamId, emailId, to } of await repositories.fetchedAttachments.listStuckAcrossTeams(before))
        await failEmail(context, { teamId, emailId, to, reason: 'The attachments could not be fetched.' })
    },
    async 'fail-stuck-imports'() {
      await failStuckImports(context)
    },
    async 'fail-stuck-contact-jobs'() {
      await failStuckContactJobs(context)
    },
  }
}

/** Enqueues the jobs at their times until it is stopped. */
export const startSchedule = (
  { repositories, log }: Pick<Context, 'repositories' | 'log'>,
  { checkEveryMs = CHECK_EVERY_MS }: { checkEveryMs?: number } = {},
): PollLoop =>
  startPollLoop(async ({ pause }) => {
    await repositories.scheduledJobs
      .enqueueDueAcrossTeams(JOB_TIMES)
      .catch((error) => log.warn({ err: error }, 'scheduled jobs not enqueued'))
    await pause(checkEveryMs)
  })
