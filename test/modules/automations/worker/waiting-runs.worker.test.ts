// Runs at a delay or a wait: what takes them further, and what ends them.
import { describe, expect, it } from 'vitest'
import { LOWEST_ID } from '../../../../src/lib/ids.ts'
import { clearAutomation } from '../../../../src/server/orphan-cleanup.ts'
import { UUID } from '../../../support/builders/answers.ts'
import {
  addAutomation,
  createRunner,
  graphOf,
  leftRows,
  mailsTo,
  pathOf,
  pause,
  runsOf,
  sendEvent,
  stopAutomation,
  useAutomationScene,
  wait,
} from '../../../support/builders/automations.ts'

const HOUR_MS = 3_600_000
const scene = useAutomationScene()
const { clock, service, runAll, send, mail, add, onlyRun } = scene

describe('a delay', () => {
  it('lasts as long as it says, and what follows it comes once', async () => {
    const id = await add([pause, mail()])
    await send()
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', pause: 'waiting' })
    clock.shift(HOUR_MS - 60_000)
    await runAll()
    expect(await mailsTo(service, scene.address)).toEqual([])
    clock.shift(60_000)
    await runAll()
    await runAll()
    expect(await mailsTo(service, scene.address)).toHaveLength(1)
    expect((await onlyRun(id)).status).toBe('completed')
  })
})

describe('a wait', () => {
  it('hears an event of its contact, and neither those of others nor the one that started the run', async () => {
    const id = await add([wait(scene.event)])
    await send()
    await runAll()
    await sendEvent(service, scene.event, { email: `other.${scene.address}` })
    await runAll()
    const [run] = await runsOf(service, id)
    expect(run && pathOf(run)).toEqual({ start: 'completed', wait: 'waiting' })
    await send()
    await runAll()
    expect((await runsOf(service, id))[0]?.state.steps.wait?.output).toEqual({ timed_out: false, event: scene.event, event_id: UUID })
  })

  it('hears an event that was stored before its address became a contact', async () => {
    const id = await add([wait('paid')])
    await send()
    await runAll()
    await sendEvent(service, 'paid', { email: scene.address })
    // A transaction that did not see the contact stores it like this.
    await service.database.execute('update automation_occurrences set contact_id = null, email = $1 where contact_id is not null', [
      scene.address,
    ])
    const { id: runId, contactId } = await onlyRun(id)
    // A timeout would have to wait for it.
    const { dueRuns } = service.service.context.repositories
    expect(await dueRuns.expecting([{ runId, contactId, eventName: 'paid' }])).toEqual(new Set([runId]))
    expect(await dueRuns.expecting([{ runId, contactId, eventName: 'other' }])).toEqual(new Set())
    await runAll()
    const run = await onlyRun(id)
    expect(run.status).toBe('completed')
    expect(run.state.steps.wait?.output).toMatchObject({ timed_out: false, event: 'paid' })
    expect(await service.database.execute('select from automation_occurrences')).toEqual([])
  })

  it('is older than an event that was sent before the step began', async () => {
    const id = await add([pause, wait('paid')])
    await send()
    await runAll()
    clock.shift(HOUR_MS)
    // Stored before the wait begins, and told after it has begun.
    await send('paid')
    await service.database.execute(
      `create table kept_occurrences as select * from automation_occurrences; delete from automation_occurrences`,
    )
    await runAll()
    await service.database.execute(
      `insert into automation_occurrences overriding system value select * from kept_occurrences; drop table kept_occurrences`,
    )
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', pause: 'completed', wait: 'waiting' })
    await send('paid')
    await runAll()
    expect((await onlyRun(id)).status).toBe('completed')
  })

  it('lets an event win that came while nothing ran, although its time is over by then', async () => {
    const id = await add([wait('paid'), mail()])
    await send()
    await runAll()
    clock.shift(HOUR_MS / 2)
    await send('paid')
    clock.shift(HOUR_MS)
    await runAll()
    const run = await onlyRun(id)
    expect(run.state.steps.wait?.output).toMatchObject({ timed_out: false, late_timeout: expect.any(String) })
    expect(await mailsTo(service, scene.address)).toHaveLength(1)
  })

  it('continues by its timeout, and notes that the event came late', async () => {
    const graph = graphOf([wait('paid'), pause], scene.event)
    const id = await addAutomation(service, {
      ...graph,
      connections: [...graph.connections, { from: 'wait', to: 'pause', type: 'timeout' }],
    })
    await send()
    await runAll()
    clock.shift(HOUR_MS)
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', wait: 'completed', pause: 'waiting' })
    await send('paid')
    await runAll()
    expect((await onlyRun(id)).state.steps.wait?.output).toEqual({
      timed_out: true,
      late_event: { event: 'paid', event_id: UUID, at: expect.any(String) },
    })
    clock.shift(HOUR_MS)
    await runAll()
    expect((await onlyRun(id)).status).toBe('completed')
  })

  it('hears only events that its filter finds, and later steps know what they said', async () => {
    const id = await add([
      wait('paid', { filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } }),
      mail({ template: { id: scene.template, variables: { PRODUCT: { var: 'wait_events.paid.product' } } } }),
    ])
    await send()
    await runAll()
    await send('paid', { payload: { total: 5, product: 'Cup' } })
    await send('paid', { payload: { total: 6, product: 'Lamp' } })
    await runAll()
    expect((await onlyRun(id)).status).toBe('completed')
    expect(await mailsTo(service, scene.address)).toEqual([{ id: UUID, subject: 'Lamp is on its way', html: '<p>Thank you for Lamp.</p>' }])
  })

  const notify = (type: string, subjectId: string | undefined, detail: object = {}) =>
    service.database.execute(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       values (uuidv7_at(now(), 1), $1, $2, $3, jsonb_build_object('to', '[]'::jsonb, 'detail', $4::jsonb), now())`,
      [service.teamId, type, subjectId, JSON.stringify(detail)],
    )

  it('hears what became of an email of its run', async () => {
    const id = await add([mail(), wait('resend:email.delivered')])
    await send()
    await runAll()
    const [email] = await mailsTo(service, scene.address)
    expect(await leftRows(service)).toMatchObject({ waits: 1, emails: 1 })
    await notify('email.delivered', '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76')
    await runAll()
    expect((await onlyRun(id)).status).toBe('running')
    await notify('email.delivered', email?.id)
    await runAll()
    expect((await onlyRun(id)).status).toBe('completed')
    expect(await leftRows(service)).toMatchObject({ occurrences: 0, facts: 0, emails: 0 })
  })

  it.each<[string, string, unknown, object, object]>([
    ['opened', 'event.is_machine', false, { is_machine: true }, { is_machine: false }],
    ['bounced', 'event.bounce.type', 'Permanent', { bounce: { type: 'Transient' } }, { bounce: { type: 'Permanent' } }],
  ])('filters what became of an email by its details: email.%s by %s', async (happening, field, value, other, matching) => {
    const type = `email.${happening}`
    const rules = [
      { type: 'rule', field, operator: 'eq', value },
      { type: 'rule', field: 'event.email_id', operator: 'exists' },
    ]
    const id = await add([
      mail(),
      wait(`resend:${type}`, { filter_rule: { type: 'and', rules } }),
      mail({ template: { id: scene.template, variables: { PRODUCT: { var: `wait_events.resend:${type}.email_id` } } } }, 'next'),
    ])
    await send()
    await runAll()
    const [email] = await mailsTo(service, scene.address)
    await notify(type, email?.id, other)
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', mail: 'completed', wait: 'waiting' })
    await notify(type, email?.id, matching)
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', mail: 'completed', wait: 'completed', next: 'completed' })
    expect((await mailsTo(service, scene.address)).map(({ subject }) => subject)).toEqual([
      'your order is on its way',
      `${email?.id} is on its way`,
    ])
  })
})

describe('a run that waits', () => {
  it('is cancelled at once when its contact is deleted, and knows nothing of it any longer', async () => {
    const id = await add([mail(), wait('paid')])
    await send(scene.event, { payload: { secret: 1 } })
    await runAll()
    await send('paid')
    await service.call('DELETE', `/contacts/${scene.address}`)
    const run = await onlyRun(id)
    expect(run).toMatchObject({ status: 'cancelled', reason: 'The contact was deleted.', email: null, payload: {}, wakeAt: null })
    expect(run.state).toMatchObject({ status: 'cancelled', at: null, heard: {} })
    expect(pathOf(run)).toEqual({ start: 'completed', mail: 'completed', wait: 'skipped' })
    expect(Object.values(run.state.steps).map(({ output }) => output)).toEqual([null, null, null])
    const [left] = await service.database.execute(
      `select (select count(*)::int from automation_waits where contact_id = $1) as waits, (select count(*)::int from automation_facts where run_id = $2) as facts,
        (select count(*)::int from automation_occurrences where contact_id = $1) as occurrences`,
      [run.contactId, run.id],
    )
    expect(left).toEqual({ waits: 0, facts: 0, occurrences: 0 })
    await runAll()
    expect(await onlyRun(id)).toEqual(run)
  })

  it('continues when its automation is disabled, and does nothing more when it is stopped; neither starts another', async () => {
    const [disabled, stopped] = [await add([pause, mail({}, 'first')]), await add([pause, mail({}, 'second')])]
    await send()
    await runAll()
    expect((await service.call('PATCH', `/automations/${disabled}`, { body: { status: 'disabled' } })).status).toBe(200)
    await stopAutomation(service, stopped)
    await send()
    clock.shift(HOUR_MS)
    await runAll()
    expect([pathOf(await onlyRun(disabled)).first, await onlyRun(stopped)]).toMatchObject([
      'completed',
      { status: 'cancelled', reason: 'The automation was stopped.', state: { steps: { pause: { status: 'skipped' } } } },
    ])
  })

  it('of a stopped or deleted automation is cleared in batches', async () => {
    const id = await add([wait('never', { timeout: undefined })])
    const events = Array.from({ length: 100 }, (_, index) => ({ event: scene.event, email: `many${index}.${scene.address}` }))
    for (let times = 0; times < 6; times += 1) await service.call('POST', '/events/send/batch', { body: events })
    await runAll()
    await stopAutomation(service, id)
    const { repositories } = service.service.context
    const { automationRuns } = repositories
    /** The batches of clearing: after which run each began, and how many it cleared. */
    async function clear(): Promise<[string, number][]> {
      const batches: [string, number][] = []
      const clearAcrossTeams: typeof automationRuns.clearAcrossTeams = async (automationId, after) => {
        const batch = await automationRuns.clearAcrossTeams(automationId, after)
        batches.push([after, batch.cleared])
        return batch
      }
      const context = { repositories: { ...repositories, automationRuns: { ...automationRuns, clearAcrossTeams } } }
      await clearAutomation(context, { automationId: id }, { signal: new AbortController().signal })
      return batches
    }
    const ids = (await runsOf(service, id)).map((run) => run.id)
    const batchesOfAll = [
      [LOWEST_ID, 500],
      [ids[499], 100],
      [ids[599], 0],
      [LOWEST_ID, 0],
    ]
    expect(await clear()).toEqual(batchesOfAll)
    const runs = await runsOf(service, id)
    expect(new Set(runs.map(({ status, reason, state }) => `${status} ${reason} ${state.status} ${state.steps.wait?.status}`))).toEqual(
      new Set(['cancelled The automation was stopped. cancelled skipped']),
    )
    await service.database.execute('update automations set deleted_at = now() where id = $1', [id])
    expect(await automationRuns.uncleared()).toEqual([id])
    expect(await clear()).toEqual(batchesOfAll)
    const [left] = await service.database.execute(
      `select (select count(*)::int from automation_runs where automation_id = $1) as runs, (select count(*)::int from automations where id = $1) as automations,
        (select count(*)::int from automation_versions where automation_id = $1) as versions, (select count(*)::int from automation_waits where event_name = 'never') as waits`,
      [id],
    )
    expect(left).toEqual({ runs: 0, automations: 0, versions: 0, waits: 0 })
  })

  it('that kills its worker five times is failed, and does not take others with it', async () => {
    const [poison, other] = [await add([pause]), await add([pause])]
    await send()
    await runAll()
    const { runId } = { runId: (await onlyRun(poison)).id }
    const { dueRuns, workerLeases } = service.service.context.repositories
    clock.shift(HOUR_MS)
    await service.database.execute('update automation_runs set wake_at = null where automation_id <> all($1::uuid[])', [[poison, other]])
    for (let kills = 1; kills <= 5; kills += 1) {
      const dead = createRunner(service).workerId
      await workerLeases.register(dead)
      const claimed = await dueRuns.claim(dead, clock.now(), 100)
      const suspects = claimed.length > 0 ? claimed : await dueRuns.claimSuspect(dead, clock.now())
      expect(suspects.map(({ id }) => id)).toContain(runId)
      // It is claimed alone from the third time on.
      if (kills > 3) expect(suspects).toHaveLength(1)
      expect(await workerLeases.free(dead, '0', clock.now())).toBe(true)
      if (kills === 3) await service.database.execute('update automation_runs set wake_at = null where id <> $1', [runId])
    }
    await service.database.execute('update automation_runs set wake_at = now() where automation_id = $1', [other])
    await runAll()
    expect(await onlyRun(poison)).toMatchObject({ status: 'failed', reason: 'The run could not be processed.' })
    expect(await onlyRun(other)).toMatchObject({ status: 'completed' })
  })
})
