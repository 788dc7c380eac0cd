import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { takeLease } from '../../src/db/leases/lease.ts'
import { createId } from '../../src/lib/ids.ts'
import { freshPace } from '../../src/modules/delivery/pace/destination-pace.ts'
import { startJobs, startSchedule } from '../../src/server/jobs.ts'
import { LONG_LEASE } from '../support/clocks/lease-times.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

let stop: () => Promise<void>
/** What was logged as an error. */
const errors: object[] = []

const service = shared(() => startTestService())
beforeAll(async () => {
  const { context } = service.service
  const lease = await takeLease(context, LONG_LEASE)
  const log: typeof context.log = Object.create(context.log, {
    error: { value: (fields: object, line: string) => errors.push({ ...fields, line }) },
  })
  const jobs = await startJobs({ ...context, log }, lease, { pool: service.database.pool, maintainPartitions: async () => {} })
  stop = async () => {
    await jobs.stop()
    await lease.leave()
  }
})
afterAll(() => stop())

const addJob = (task: string) => service.database.execute('select graphile_worker.add_job($1)', [task])
const jobsLeft = () => service.database.execute<{ task: string }>('select task_identifier as task from graphile_worker.jobs order by 1')

describe('the jobs of every hour', () => {
  it('remove jobs that were given up, and keep those that are still tried', async () => {
    await service.database.execute(
      `select graphile_worker.add_job('unknown-task', max_attempts => 1), graphile_worker.add_job('later-task', run_at => now() + interval '1 day')`,
    )
    await service.database.execute(`update graphile_worker._private_jobs set attempts = max_attempts where max_attempts = 1`)

    await addJob('sweep-jobs')

    await until(async () => expect(await jobsLeft()).toEqual([{ task: 'later-task' }]))
  })

  it('run when they are due, of themselves', async () => {
    await service.database.execute('delete from graphile_worker._private_jobs')
    const schedule = startSchedule(service.service.context, { checkEveryMs: 20 })
    try {
      const now = Date.now()
      const { destinationPaces } = service.service.context.repositories
      await destinationPaces.save([{ key: 'forgotten', pace: freshPace(5) }], createId(), new Date(now - 8 * DAY_MS))

      await service.database.execute(`update scheduled_jobs set due_at = due_at - interval '1 day' where task = 'sweep-paces'`)

      await until(async () => expect(await destinationPaces.changedSince(new Date(0), createId())).toEqual([]))
    } finally {
      await schedule.stop()
    }
  })

  it('forget how fast destinations were sent to after a week without trouble', async () => {
    const { destinationPaces } = service.service.context.repositories
    const now = Date.now()
    await destinationPaces.save([{ key: 'old', pace: freshPace(5) }], createId(), new Date(now - 8 * DAY_MS))
    await destinationPaces.save([{ key: 'recent', pace: freshPace(5) }], createId(), new Date(now - 6 * DAY_MS))

    await addJob('sweep-paces')

    await until(async () =>
      expect((await destinationPaces.changedSince(new Date(0), createId())).map(({ key }) => key)).toEqual(['recent']),
    )
  })
})

describe('a job whose payload is not valid', () => {
  const teamId = createId()

  it.each([
    ['fetch-attachments', { teamId }, "must have required property 'emailId'"],
    ['fetch-attachments', { teamId, emailId: 7 }, '/emailId must be string'],
    ['import-contacts', { teamId, importId: 'import' }, '/importId must match format "uuid"'],
    ['remove-property-values', { teamId, number: '1' }, '/number must be integer'],
    ['remove-members', {}, "must have required property 'segmentId'"],
    ['remove-members', [], 'must be object'],
  ])('is given up after its last try, with a line that says why: %s %j', async (task, payload, problem) => {
    errors.length = 0
    const { execute } = service.database
    await execute('delete from graphile_worker._private_jobs')
    const [job] = await execute<{ id: string }>('select id::text from graphile_worker.add_job($1, $2::json, max_attempts => 1)', [
      task,
      JSON.stringify(payload),
    ])
    // One that is valid comes after it, and has nothing to do.
    await execute(`select graphile_worker.add_job('remove-members', json_build_object('segmentId', $1::text))`, [createId()])

    await until(async () => expect(await jobsLeft()).toEqual([]))
    expect(errors).toEqual([{ job: task, jobId: job?.id, problem, line: 'background job given up: its payload is not valid' }])
  })

  it('is kept for a later try before that, for a worker of another version', async () => {
    errors.length = 0
    const { execute } = service.database
    await execute('delete from graphile_worker._private_jobs')
    const [job] = await execute<{ id: string }>(
      `select id::text from graphile_worker.add_job('remove-members', '{}'::json, max_attempts => 5)`,
    )
    await until(async () =>
      expect(
        await execute('select attempts::int, locked_by as "lockedBy" from graphile_worker._private_jobs where id = $1', [job?.id]),
      ).toEqual([{ attempts: 1, lockedBy: null }]),
    )
    const problem = "must have required property 'segmentId'"
    expect(errors).toEqual([{ job: 'remove-members', jobId: job?.id, problem, line: 'background job not run: its payload is not valid' }])
  })
})
