import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshPace } from '../../src/lib/engine/destination-pace.ts'
import { createId } from '../../src/lib/ids.ts'
import { takeLease } from '../../src/workers/engine/lease.ts'
import { startJobs } from '../../src/workers/jobs.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

let service: TestService
let stop: () => Promise<void>

beforeAll(async () => {
  service = await startTestService()
  const { context } = service.service
  const lease = await takeLease(context)
  const jobs = await startJobs(context, lease, { pool: service.database.pool, maintainPartitions: async () => {} })
  stop = async () => {
    await jobs.stop()
    await lease.leave()
  }
})
afterAll(async () => {
  await stop()
  await service.close()
})

const addJob = (task: string) => service.database.execute('select graphile_worker.add_job($1)', [task])
const jobsLeft = () => service.database.execute<{ task: string }>('select task_identifier as task from graphile_worker.jobs order by 1')

describe('the jobs of every hour', () => {
  it('remove jobs that were given up, and keep those that are still tried', async () => {
    await service.database.execute(
      `select graphile_worker.add_job('unknown-task', max_attempts => 1), graphile_worker.add_job('later-task', run_at => now() + interval '1 day')`,
    )
    await service.database.execute(`update graphile_worker._private_jobs set attempts = max_attempts where max_attempts = 1`)

    await addJob('sweep-jobs')

    await vi.waitFor(async () => expect(await jobsLeft()).toEqual([{ task: 'later-task' }]), { timeout: 10_000 })
  })

  it('forget how fast destinations were sent to after a week without trouble', async () => {
    const { destinationPaces } = service.service.context.repositories
    const now = Date.now()
    await destinationPaces.save([{ key: 'old', pace: freshPace(5) }], createId(), new Date(now - 8 * DAY_MS))
    await destinationPaces.save([{ key: 'recent', pace: freshPace(5) }], createId(), new Date(now - 6 * DAY_MS))

    await addJob('sweep-paces')

    await vi.waitFor(
      async () => expect((await destinationPaces.changedSince(new Date(0), createId())).map(({ key }) => key)).toEqual(['recent']),
      { timeout: 10_000 },
    )
  })
})
