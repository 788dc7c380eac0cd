// Background work other than deliveries, run by graphile-worker: fetching attachments, imports and scheduled jobs.
import { EventEmitter } from 'node:events'
import { type Job, Logger, makeWorkerUtils, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker'
import type { Pool } from 'pg'
import type { Context } from '../context.ts'
import {
  CLEAR_AUTOMATION,
  CLEAR_WEBHOOK,
  FETCH_ATTACHMENTS,
  FORGET_CONTACT,
  IMPORT_CONTACTS,
  REMOVE_MEMBERS,
  REMOVE_PROPERTY_VALUES,
} from '../schemas/jobs.ts'
import type { Lease } from './engine/lease.ts'
import { FetchDelayed, fetchAttachments } from './fetch-attachments.ts'
import { importContacts } from './imports/import-contacts.ts'
import { jobTask, PayloadNotValid } from './job-task.ts'
import { clearAutomation, clearWebhook, forgetContact, LeftoversHeld, removeMembers, removePropertyValues } from './remove-leftovers.ts'
import { type ScheduledJobOptions, scheduledTasks, startSchedule } from './scheduled-jobs.ts'

/** More than one team may use; see `fetchQueueOf`. */
const FETCHES_AT_ONCE = 8
/** Separate from the fetches, so that slow servers never delay clean-up. */
const CHORES_AT_ONCE = 2
/** From different teams, and separate from all other jobs, so that a file of a million rows delays nothing. */
const IMPORTS_AT_ONCE = 2
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
  const jobUtils = await makeWorkerUtils({ pgPool: pool })
  const removeFailedJobs = () => jobUtils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] })
  const chores: TaskList = {
    ...scheduledTasks(context, { maintainPartitions, removeFailedJobs }),
    ...jobTask(context, REMOVE_MEMBERS, (payload, { abortSignal: signal }) => removeMembers(context, payload, { signal })),
    ...jobTask(context, CLEAR_AUTOMATION, (payload, { abortSignal: signal }) => clearAutomation(context, payload, { signal })),
    ...jobTask(context, CLEAR_WEBHOOK, (payload, { abortSignal: signal }) => clearWebhook(context, payload, { signal })),
    ...jobTask(context, FORGET_CONTACT, (payload, { abortSignal: signal }) => forgetContact(context, payload, { signal })),
    ...jobTask(context, REMOVE_PROPERTY_VALUES, (payload, { abortSignal: signal }) => removePropertyValues(context, payload, { signal })),
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
        else if (meta?.error instanceof LeftoversHeld) log.info({ reason: meta.error.message }, 'leftovers not removed yet')
        else if (level === 'error') log.error({ job: message }, 'background job failed')
        else log.debug({ job: message }, 'background job')
      }),
    })

  const runners: Runner[] = []
  const stopRunners = () => Promise.all(runners.map((runner) => runner.stop()))
  try {
    runners.push(await start(chores, CHORES_AT_ONCE))
    runners.push(await start(fetches, FETCHES_AT_ONCE))
    runners.push(await start(imports, IMPORTS_AT_ONCE))
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
