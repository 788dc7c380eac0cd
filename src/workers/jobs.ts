// Background work other than deliveries, run by graphile-worker: fetching attachments, imports and scheduled jobs.
import { EventEmitter } from 'node:events'
import {
  type CronItem,
  type Job,
  Logger,
  makeWorkerUtils,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker'
import type { Pool } from 'pg'
import type { Context } from '../context.ts'
import { FETCH_ATTACHMENTS, FIND_LEFTOVERS, IMPORT_CONTACTS, REMOVE_MEMBERS, REMOVE_PROPERTY_VALUES } from '../schemas/jobs.ts'
import type { Lease } from './engine/lease.ts'
import { FetchDelayed, fetchAttachments, giveUp } from './fetch-attachments.ts'
import { failStuckImports, importContacts } from './imports/import-contacts.ts'
import { jobTask, PayloadNotValid } from './job-task.ts'
import { findLeftovers, LeftoversHeld, removeMembers, removePropertyValues } from './remove-leftovers.ts'
import { mayRemoveOld, sweepBlobs, sweepEmails, sweepImportReports, sweepSessions } from './sweep.ts'

/** More than one team may use; see `fetchQueueOf`. */
const FETCHES_AT_ONCE = 8
/** Separate from the fetches, so that slow servers never delay clean-up. */
const CHORES_AT_ONCE = 2
/** From different teams, and separate from all other jobs, so that a file of a million rows delays nothing. */
const IMPORTS_AT_ONCE = 2
const POLL_MS = 1_000
/** Running jobs are told to stop after this time, and are retried later. */
const ABORT_AFTER_MS = 2_000
/** After this time, the job of an email that is still fetching is checked. */
const STUCK_AFTER_MS = 60 * 60 * 1_000

/** A destination without problems for a week starts with a fresh pace when mail is sent to it again. */
const PACES_KEPT_MS = 7 * 24 * 60 * 60 * 1_000

export type JobOptions = {
  pool: Pool
  /** Creates the partitions of the coming days. Drops expired ones only if `dropsOld`. */
  maintainPartitions: (options: { dropsOld: boolean }) => Promise<void>
}

export async function startJobs(
  context: Context,
  lease: Lease,
  { pool, maintainPartitions }: JobOptions,
): Promise<{ stop(): Promise<void> }> {
  const { repositories, clock, log } = context
  const isLastTry = ({ attempts, max_attempts: attemptsMax }: Job): boolean => attempts >= attemptsMax
  const fetches = jobTask(context, FETCH_ATTACHMENTS, (payload, { job, abortSignal: signal }) =>
    fetchAttachments(context, { ...payload, isLastTry: isLastTry(job), signal }),
  )
  const imports = jobTask(context, IMPORT_CONTACTS, (payload, { job, abortSignal: signal }) =>
    importContacts(context, { ...payload, attempt: job.attempts, isLastTry: isLastTry(job), signal }),
  )
  const chores: TaskList = {
    async 'maintain-partitions'() {
      await maintainPartitions({ dropsOld: await mayRemoveOld(context) })
    },
    async 'remove-expired-idempotency-keys'() {
      if (!(await mayRemoveOld(context))) return
      let removed = 0
      do removed = await repositories.idempotencyKeys.removeExpiredAcrossTeams(clock.now())
      while (removed > 0)
    },
    ...jobTask(context, REMOVE_MEMBERS, (payload, { abortSignal: signal }) => removeMembers(context, payload, { signal })),
    ...jobTask(context, REMOVE_PROPERTY_VALUES, (payload, { abortSignal: signal }) => removePropertyValues(context, payload, { signal })),
    async [FIND_LEFTOVERS](_payload, { abortSignal }) {
      await findLeftovers(context, { signal: abortSignal })
    },
    async 'sweep-emails'() {
      if (await mayRemoveOld(context)) await sweepEmails(context)
    },
    async 'sweep-blobs'() {
      if (await mayRemoveOld(context)) await sweepBlobs(context)
    },
    async 'sweep-sessions'() {
      if (await mayRemoveOld(context)) await sweepSessions(context)
    },
    async 'sweep-jobs'() {
      await jobUtils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] })
    },
    async 'sweep-paces'() {
      if (!(await mayRemoveOld(context))) return
      await repositories.destinationPaces.removeBeforeAcrossTeams(new Date(clock.now().getTime() - PACES_KEPT_MS))
    },
    async 'sweep-import-reports'() {
      if (await mayRemoveOld(context)) await sweepImportReports(context)
    },
    async 'fail-stuck-imports'() {
      await failStuckImports(context)
    },
    async 'fail-stuck-fetches'() {
      for (const { teamId, emailId, to } of await repositories.fetchedAttachments.listStuckAcrossTeams(
        new Date(clock.now().getTime() - STUCK_AFTER_MS),
      )) {
        await giveUp(context, { teamId, emailId, to, reason: 'The attachments could not be fetched.' })
      }
    },
  }

  const jobUtils = await makeWorkerUtils({ pgPool: pool })
  const events: WorkerEvents = new EventEmitter()
  // Jobs are locked under the lease's id, so that one decision about who is dead releases deliveries and jobs alike.
  events.on('pool:create', ({ workerPool }) => {
    workerPool.id = lease.id
  })
  const start = (taskList: TaskList, concurrentJobs: number, cronItems: CronItem[]): Promise<Runner> =>
    run({
      pgPool: pool,
      events,
      taskList,
      noHandleSignals: true,
      parsedCronItems: parseCronItems(cronItems),
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
  const choreTimes: CronItem[] = [
    { task: 'maintain-partitions', match: '11 * * * *' },
    { task: 'remove-expired-idempotency-keys', match: '*/10 * * * *' },
    { task: 'sweep-emails', match: '23 * * * *' },
    { task: 'sweep-blobs', match: '37 * * * *' },
    { task: 'sweep-sessions', match: '47 * * * *' },
    { task: 'sweep-jobs', match: '43 * * * *' },
    { task: 'sweep-paces', match: '53 3 * * *' },
    { task: 'sweep-import-reports', match: '17 3 * * *' },
    { task: FIND_LEFTOVERS, match: '29 3 * * *' },
    { task: 'fail-stuck-fetches', match: '*/10 * * * *' },
    { task: 'fail-stuck-imports', match: '*/10 * * * *' },
  ]
  try {
    runners.push(await start(chores, CHORES_AT_ONCE, choreTimes))
    runners.push(await start(fetches, FETCHES_AT_ONCE, []))
    runners.push(await start(imports, IMPORTS_AT_ONCE, []))
  } catch (error) {
    await stopRunners()
    throw error
  }
  return {
    async stop() {
      await stopRunners()
      await jobUtils.release()
    },
  }
}
