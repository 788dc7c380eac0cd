// What POST /automations/{id}/stop and DELETE mean for runs that a worker has already begun to take further.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { runAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import {
  type AutomationSettings,
  addAutomation,
  createRunner,
  graphOf,
  leftRows,
  mailsTo,
  NOTHING_LEFT,
  runsOf,
  sendEvent,
} from '../../../support/builders/automations.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../../support/servers/statements.ts'

let runner: ReturnType<typeof createRunner>
let steps: Record<'mail' | 'rename', Step>

const service = shared(() => startTestService())
beforeAll(async () => {
  runner = createRunner(service)
  steps = {
    mail: { key: 'mail', type: 'send_email', config: { template: { id: await publishedTemplate(service) } } },
    rename: { key: 'rename', type: 'contact_update', config: { first_name: 'Acted' } },
  }
})

const stop = async (id: string) => expect((await service.call('POST', `/automations/${id}/stop`)).status).toBe(200)
const remove = async (id: string) => expect((await service.call('DELETE', `/automations/${id}`)).status).toBe(200)

/** Takes runs further. `meanwhile` happens once they are claimed and decided, and before anything of them is stored. */
async function runWith(meanwhile: () => Promise<unknown>): Promise<void> {
  const { context } = service.service
  const { automationAdvances, automationContactActs } = context.repositories
  let hasHappened = false
  const once = async (isActing: boolean) => {
    if (isActing && !hasHappened) await meanwhile()
    hasHappened ||= isActing
  }
  const store: typeof automationAdvances.store = async (workerId, advances) => {
    await once(advances.some(({ emails }) => emails.length > 0))
    return automationAdvances.store(workerId, advances)
  }
  const act: typeof automationContactActs.do = async (...given) => {
    await once(true)
    return automationContactActs.do(...given)
  }
  const repositories = {
    ...context.repositories,
    automationAdvances: { ...automationAdvances, store },
    automationContactActs: { ...automationContactActs, do: act },
  }
  while ((await runAutomations({ ...context, repositories }, runner.work)).hasMore);
  expect(hasHappened).toBe(true)
}

const nameOf = async (email: string) => {
  const [contact] = await service.database.execute<{ name: string | null }>(
    'select first_name as name from contacts where team_id = $1 and email = $2',
    [service.teamId, email],
  )
  return contact?.name
}

describe('a run that was claimed before', () => {
  it.each([
    ['mail', 'stopped', stop],
    ['mail', 'deleted', remove],
    ['rename', 'stopped', stop],
    ['rename', 'deleted', remove],
  ] as const)('does not act in its step `%s` once its automation is %s', async (step, how, end) => {
    const [event, email] = [`${step}.${how}`, `${step}.${how}@example.org`]
    const id = await addAutomation(service, graphOf([steps[step]], event))
    await sendEvent(service, event, { email })
    await runWith(() => end(id))
    expect(await mailsTo(service, email)).toEqual([])
    expect(await nameOf(email)).toBeNull()
    expect(await runsOf(service, id)).toMatchObject([{ status: 'cancelled', reason: `The automation was ${how}.`, leasedBy: null }])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('does not act once its automation is stopped, and the one that was claimed with it acts once', async () => {
    const [stopped, other] = [
      await addAutomation(service, graphOf([steps.mail], 'beside.stopped')),
      await addAutomation(service, graphOf([steps.mail], 'beside.stopped')),
    ]
    await sendEvent(service, 'beside.stopped', { email: 'beside@example.org' })
    await runWith(() => stop(stopped))
    expect(await mailsTo(service, 'beside@example.org')).toHaveLength(1)
    expect([await runsOf(service, stopped), await runsOf(service, other)]).toMatchObject([
      [{ status: 'cancelled', leasedBy: null }],
      [{ status: 'completed', leasedBy: null }],
    ])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('waits for a stop that is being stored, and does not act after it', async () => {
    const id = await addAutomation(service, graphOf([steps.mail], 'racing.stop'))
    await sendEvent(service, 'racing.stop', { email: 'racing@example.org' })
    const client = await service.database.connect()
    try {
      const running = runWith(async () => {
        await client.query('begin')
        await client.query('select from automations where id = $1 for update', [id])
        await client.query(`update automations set status = 'disabled', stopped_at = clock_timestamp() where id = $1`, [id])
      })
      await until(async () => {
        const waiting = await service.database.execute(
          `select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`,
        )
        expect(waiting).toHaveLength(1)
      })
      await client.query('commit')
      await running
    } finally {
      client.release()
    }
    expect(await mailsTo(service, 'racing@example.org')).toEqual([])
    expect(await runsOf(service, id)).toMatchObject([{ status: 'cancelled' }])
  })
})

it.each<[string, AutomationSettings, boolean[]]>([
  ['`always`, as often as the event comes', { reentry: 'always' }, [false, true, true]],
  ['`not_while_running`, once while that one runs', { reentry: 'not_while_running' }, [false, true]],
  ['`once`, never again', { reentry: 'once' }, [false]],
  ['two runs for a contact, as often as is left', { maxRunsPerContact: 2 }, [false, true]],
])('a contact whose run was stopped starts another one with %s', async (_what, settings, started) => {
  const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 day' } }
  const event = `started.again.${Object.values(settings).join()}`
  const id = await addAutomation(service, graphOf([pause], event), settings)
  const send = async () => {
    await sendEvent(service, event)
    await runner.runAll()
  }
  await send()
  await stop(id)
  expect((await service.call('PATCH', `/automations/${id}`, { body: { status: 'enabled' } })).status).toBe(200)
  await send()
  await send()
  const runs = await service.database.execute<{ isNew: boolean }>(
    `select r.stop_seen is not distinct from a.stopped_at as "isNew" from automation_runs r join automations a on a.id = r.automation_id
      where a.id = $1 order by r.id`,
    [id],
  )
  expect(runs.map(({ isNew }) => isNew)).toEqual(started)
})
