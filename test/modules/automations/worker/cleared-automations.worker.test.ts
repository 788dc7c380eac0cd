// POST /automations/{id}/stop and DELETE queue a job that cancels or removes the runs, and the job ends.
import { expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { addAutomation, graphOf, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const pause: Step = { key: 'pause', type: 'delay', config: { duration: '30 days' } }

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))

/** Jobs that clear it, which are left until they have ended. */
const jobsOf = (id: string) =>
  service.database.execute(`select from graphile_worker.jobs where task_identifier = 'clear-automation' and key like '%' || $1`, [id])

async function addRuns(event: string): Promise<string> {
  const id = await addAutomation(service, graphOf([pause], event))
  for (const email of ['ada@example.org', 'grace@example.org']) await sendEvent(service, event, { email })
  await until(async () => expect(await runsOf(service, id)).toMatchObject([{ state: { at: 'pause' } }, { state: { at: 'pause' } }]))
  return id
}

it('stopping cancels what is stored of the runs', async () => {
  const id = await addRuns('stopped.run')
  expect((await service.call('POST', `/automations/${id}/stop`)).status).toBe(200)
  const cancelled = { status: 'cancelled', reason: 'The automation was stopped.' }
  await until(async () => expect(await runsOf(service, id)).toMatchObject([cancelled, cancelled]))
  await until(async () => expect(await jobsOf(id)).toEqual([]))
})

it('deleting removes the runs, the graph and the automation', async () => {
  const id = await addRuns('deleted.run')
  expect((await service.call('DELETE', `/automations/${id}`)).status).toBe(200)
  await until(async () => {
    const [left] = await service.database.execute(
      `select (select count(*)::int from automations where id = $1) as automations, (select count(*)::int from automation_versions where automation_id = $1) as versions,
         (select count(*)::int from automation_runs where automation_id = $1) as runs`,
      [id],
    )
    expect(left).toEqual({ automations: 0, versions: 0, runs: 0 })
  })
  await until(async () => expect(await jobsOf(id)).toEqual([]))
})
