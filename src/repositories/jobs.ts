// Background work other than deliveries, enqueued in the transaction that stores its data; in SQL, because it is a function of graphile-worker.
import { type JobName, type JobPayload, triesMaxOf } from '../schemas/jobs.ts'
import type { Execute } from './database.ts'

/**
 * Adds a job. It becomes visible with the commit of the transaction that `execute` belongs to.
 *
 * @param queueName jobs with the same name run one at a time. Names are kept, so there must not be many.
 * @param key replaces the job that has it and starts with all tries, even if that one is running, which is then not retried.
 */
export async function addJob<Name extends JobName>(
  execute: Execute,
  task: Name,
  payload: JobPayload<Name>,
  queueName: string | null = null,
  key: string | null = null,
): Promise<void> {
  await execute('select id from graphile_worker.add_job($1, $2::json, max_attempts => $3, queue_name => $4, job_key => $5)', [
    task,
    JSON.stringify(payload),
    triesMaxOf(task),
    queueName,
    key,
  ])
}

/** Removes the job that has this key, unless it is running. */
export async function removeJob(execute: Execute, key: string): Promise<void> {
  await execute('select graphile_worker.remove_job($1)', [key])
}
