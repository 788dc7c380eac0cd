import { beforeEach, describe, expect, it } from 'vitest'
import type { Execute } from '../../../src/db/database.ts'
import { type JobTime, scheduledJobRepository } from '../../../src/db/jobs/jobs.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const EVERY_MINUTES = { 'every-hour': 60, 'every-ten-minutes': 10, 'once-a-day': 24 * 60 }
const TASKS = Object.keys(EVERY_MINUTES)

let times: JobTime[]
const service = shared(() => startTestService())

const execute: Execute = (sql, values) => service.database.execute(sql, values)
const check = () => scheduledJobRepository(service.database).enqueueDueAcrossTeams(times)
const queued = async () =>
  (await execute<{ task: string }>('select task_identifier as task from graphile_worker.jobs order by 1')).map(({ task }) => task)
/** As if the last check of each job had been this long before, or (negative) after, now. */
const lastChecked = (ago: string) => execute(`update scheduled_jobs set due_at = due_at - $1::interval`, [ago])

beforeEach(async () => {
  // Now is the middle between two times of each, so that none comes during a test.
  const [now] = await execute<{ minute: number }>('select floor(extract(epoch from now()) / 60)::int as minute')
  times = Object.entries(EVERY_MINUTES).map(([task, everyMinutes]) => ({
    ...{ task, everyMinutes },
    minute: ((now?.minute ?? 0) + everyMinutes / 2) % everyMinutes,
  }))
  await execute('truncate scheduled_jobs, graphile_worker._private_jobs')
  await check()
})

describe('scheduled jobs', () => {
  it('are not enqueued when they are seen for the first time, nor again before they are due', async () => {
    await check()
    expect(await queued()).toEqual([])
  })

  it('are due at their minutes by the clock of the database', async () => {
    const rows = await execute<{ task: string; minuteOfDay: number; isLatest: boolean }>(
      `select task, (extract(hour from due_at at time zone 'utc') * 60 + extract(minute from due_at at time zone 'utc'))::int as "minuteOfDay",
         due_at <= now() and due_at > now() - make_interval(mins => ($2::int[])[array_position($1::text[], task)]) as "isLatest"
       from scheduled_jobs order by task`,
      [TASKS, times.map(({ everyMinutes }) => everyMinutes)],
    )
    expect(rows).toEqual(
      times.map(({ task, everyMinutes, minute }) => ({
        ...{ task, isLatest: true },
        minuteOfDay: expect.toSatisfy((found: number) => found % everyMinutes === minute),
      })),
    )
  })

  it.each([
    ['once for all the times that no worker was there', '30 days'],
    ['at once when a clock that was ahead is put right', '-400 days'],
  ])('are enqueued %s', async (_when, ago) => {
    await lastChecked(ago)
    await check()
    expect(await queued()).toEqual(TASKS)
    await check()
    expect(await queued()).toEqual(TASKS)
    expect(await execute('select from graphile_worker.jobs where run_at > now()')).toEqual([])
  })

  it('are enqueued once when several workers find them', async () => {
    await lastChecked('2 days')
    await Promise.all(Array.from({ length: 8 }, check))
    expect(await queued()).toEqual(TASKS)
  })

  it('take the place of those that have failed and wait for another try', async () => {
    await lastChecked('2 days')
    await check()
    await execute(`update graphile_worker._private_jobs set attempts = 3, run_at = now() + interval '1 hour'`)
    await lastChecked('2 days')
    await check()
    expect(await execute('select attempts::int, run_at <= now() as "isDue" from graphile_worker.jobs')).toEqual(
      TASKS.map(() => ({ attempts: 0, isDue: true })),
    )
  })
})
