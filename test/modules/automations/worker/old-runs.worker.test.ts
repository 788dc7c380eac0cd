// What is removed of automations once it is old, and what of a run that has ended is kept.
import { beforeAll, expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { sweepAutomations } from '../../../../src/server/sweeps.ts'
import { addAutomation, createRunner, graphOf, leftRows, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const DAY_MS = 86_400_000
const LOG_DAYS = 30
const wait: Step = { key: 'wait', type: 'wait_for_event', config: { event_name: 'paid' } }
const rename: Step = { key: 'rename', type: 'contact_update', config: { first_name: { var: 'event.name' } } }

const clock = createShiftingClock()
let runAll: () => Promise<void>
const service = shared(() => startTestService({ clock, environment: { LOG_RETENTION_DAYS: String(LOG_DAYS) } }))
beforeAll(() => {
  ;({ runAll } = createRunner(service))
})

const versionsOf = async (id: string): Promise<number> =>
  (await service.database.execute('select 1 as one from automation_versions where automation_id = $1', [id])).length

it('runs that have ended are removed with the logs, graphs with the last run, and a contact that had its only run gets no other', async () => {
  const [always, once] = [await addAutomation(service, graphOf([])), await addAutomation(service, graphOf([rename]), { reentry: 'once' })]
  const waiting = await addAutomation(service, graphOf([wait]))
  const send = () => sendEvent(service, 'signed.up', { email: 'ada@example.org', payload: { name: 'Ada' } })
  await send()
  await runAll()
  // Each gets another graph, which no run has so far.
  for (const id of [always, once, waiting])
    await service.database.execute(
      `with version as (
         insert into automation_versions (id, team_id, automation_id, steps, connections, created_at)
         select uuidv7(), team_id, automation_id, steps, connections, now() from automation_versions where automation_id = $1 returning id
       ) update automations set version_id = (select id from version) where id = $1`,
      [id],
    )
  const counts = async () => [
    (await runsOf(service, always)).length,
    (await runsOf(service, once)).length,
    (await runsOf(service, waiting)).length,
  ]
  const versions = async () => [await versionsOf(always), await versionsOf(once), await versionsOf(waiting)]

  clock.shift((LOG_DAYS - 1) * DAY_MS)
  await sweepAutomations(service.service.context)
  expect([await counts(), await versions()]).toEqual([
    [1, 1, 1],
    [2, 2, 2],
  ])
  expect(await runsOf(service, once)).toMatchObject([{ payload: { name: 'Ada' }, email: 'ada@example.org' }])

  clock.shift(2 * DAY_MS)
  await sweepAutomations(service.service.context)
  expect([await counts(), await versions()]).toEqual([
    [0, 1, 1],
    [1, 2, 2],
  ])
  expect(await runsOf(service, once)).toMatchObject([
    { status: 'completed', payload: {}, email: null, state: { heard: {}, steps: { rename: { status: 'completed', output: null } } } },
  ])
  await send()
  await runAll()
  expect(await counts()).toEqual([1, 1, 2])
  await sendEvent(service, 'paid', { email: 'ada@example.org' })
  await runAll()
  // These have ended only now.
  await sweepAutomations(service.service.context)
  expect(await counts()).toEqual([1, 1, 2])
})

it('an event that could not be told is removed as late as what was sent', async () => {
  await service.database.execute(
    `insert into automation_occurrences (id, team_id, name, email, payload, failures, set_aside_until, created_at) values (uuidv7(), $1, 'x', 'a@example.org', '{}', 5, 'infinity', $2)`,
    [service.teamId, clock.now()],
  )
  clock.shift((LOG_DAYS - 1) * DAY_MS)
  await sweepAutomations(service.service.context)
  expect((await leftRows(service)).occurrences).toBe(1)
  clock.shift(2 * DAY_MS)
  await sweepAutomations(service.service.context)
  expect((await leftRows(service)).occurrences).toBe(0)
})
