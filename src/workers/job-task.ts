import type { JobHelpers, Task, TaskList } from 'graphile-worker'
import type { Context } from '../context.ts'
import { createReader } from '../schemas/bodies/stored-values.ts'
import { JOBS, type JobName, type JobPayload } from '../schemas/jobs.ts'

/**
 * The task of a job that carries a payload. A payload that is not valid ends the job, because no retry could make it valid. The sweeps find what
 * the job was for: they look at the records, not at the jobs.
 */
export function jobTask<Name extends JobName>(
  { log }: Pick<Context, 'log'>,
  name: Name,
  run: (payload: JobPayload<Name>, helpers: JobHelpers) => Promise<void>,
): TaskList {
  const read = createReader(JOBS[name])
  const task: Task = async (payload, helpers) => {
    const stored = read(payload)
    if ('problem' in stored)
      log.error({ job: name, jobId: helpers.job.id, problem: stored.problem }, 'background job given up: its payload is not valid')
    else await run(stored.value, helpers)
  }
  return { [name]: task }
}
