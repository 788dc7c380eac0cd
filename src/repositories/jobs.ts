// Background work other than deliveries, enqueued in the transaction that stores its data.
import type { Execute } from './database.ts'

/** Adds a job. It becomes visible with the commit of the transaction that `execute` belongs to. */
export async function addJob(execute: Execute, task: string, payload: object): Promise<void> {
  await execute('select id from graphile_worker.add_job($1, $2::json)', [task, JSON.stringify(payload)])
}
