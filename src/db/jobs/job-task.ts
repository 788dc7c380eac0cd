import type { JobHelpers, Task, TaskList } from 'graphile-worker'
import type { Log } from '../../io/log.ts'
import { spanned, type Tracing } from '../../lib/tracing.ts'
import { createReader } from '../../lib/validation/body-validator.ts'
import { JOBS, type JobName, type JobPayload } from './jobs.ts'

/** Keeps the job for a worker that understands its payload: during an upgrade, one may run that knows another form of it. */
export class PayloadNotValid extends Error {}

/** The task of a job that carries a payload. A job whose payload does not fit is retried like any other, and given up after its last try. */
export function jobTask<Name extends JobName>(
  { log, tracing }: { log: Pick<Log, 'error'>; tracing: Tracing | null },
  name: Name,
  run: (payload: JobPayload<Name>, helpers: JobHelpers) => Promise<void>,
  /** The trace that the job continues. Asked only if traces are exported. */
  traceparentOf: (payload: JobPayload<Name>) => Promise<string | null> = async () => null,
): TaskList {
  const read = createReader(JOBS[name])
  const task: Task = async (payload, helpers) => {
    const stored = read(payload)
    if (!('problem' in stored)) {
      const traceparent = tracing && (await traceparentOf(stored.value).catch(() => null))
      return spanned(tracing?.begin(`job ${name}`, { kind: 'consumer', traceparent }) ?? null, run(stored.value, helpers))
    }
    const { id: jobId, attempts, max_attempts: attemptsMax } = helpers.job
    const isLastTry = attempts >= attemptsMax
    log.error(
      { job: name, jobId, problem: stored.problem },
      `background job ${isLastTry ? 'given up' : 'not run'}: its payload is not valid`,
    )
    if (!isLastTry) throw new PayloadNotValid(stored.problem)
  }
  return { [name]: task }
}
