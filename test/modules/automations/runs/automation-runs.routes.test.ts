import { Resend } from 'resend'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { invalid, missing, outcome, TIMESTAMP } from '../../../support/builders/answers.ts'
import { addRun, condition, connection, createAutomation, delay, reached, trigger } from '../../../support/builders/automations.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let resend: Resend
let automationId: string

const CONTACT_ID = createId()

// No worker, so that the rows stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

beforeEach(async () => {
  automationId = await createAutomation(service, {
    status: 'enabled',
    steps: [trigger(), condition('big'), delay('yes'), delay('no')],
    connections: [connection('start', 'big'), connection('big', 'yes', 'condition_met'), connection('big', 'no', 'condition_not_met')],
  })
})

const item = (id: string, changes: object = {}) => ({
  ...{ id, status: 'running', reason: null, contact_id: CONTACT_ID, started_at: TIMESTAMP, completed_at: null, created_at: TIMESTAMP },
  ...changes,
})
const list = (data: object[], has_more = false) => ({ object: 'list', has_more, data })
const add = (columns: Parameters<typeof addRun>[2] = {}) => addRun(service, automationId, { contactId: CONTACT_ID, ...columns })
const call = async (path: string) => outcome(await service.call('GET', `/automations/${automationId}${path}`))

const ENDED = { completedAt: '2026-11-20T09:00:00.123Z' }
const COMPLETED_AT = '2026-11-20 09:00:00.123000+00'

describe('GET /automations/{automation_id}/runs', () => {
  it('lists runs newest first, by status and in pages, as the official client reads them', async () => {
    const running = await add()
    const completed = await add({ status: 'completed', ...ENDED })
    const failed = await add({ status: 'failed', reason: 'Step `a`: no.', ...ENDED })
    const cancelled = await add({ status: 'cancelled', reason: 'The contact was deleted.', ...ENDED })
    const items = {
      running: item(running),
      completed: item(completed, { status: 'completed', completed_at: COMPLETED_AT }),
      failed: item(failed, { status: 'failed', reason: 'Step `a`: no.', completed_at: COMPLETED_AT }),
      cancelled: item(cancelled, { status: 'cancelled', reason: 'The contact was deleted.', completed_at: COMPLETED_AT }),
    }
    const runs = async (options: object) => (await resend.automations.runs.list({ automationId, ...options })).data
    expect(await runs({})).toEqual(list([items.cancelled, items.failed, items.completed, items.running]))
    expect(await runs({ status: 'failed' })).toEqual(list([items.failed]))
    expect(await runs({ status: ['running', 'cancelled'] })).toEqual(list([items.cancelled, items.running]))
    expect(await runs({ limit: 1, after: cancelled })).toEqual(list([items.failed], true))
    expect(await runs({ limit: 2, before: running, status: ['completed', 'failed'] })).toEqual(list([items.failed, items.completed]))
  })

  it('returns the newest 1,000 without a limit', async () => {
    await add()
    await service.database.execute(
      `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
       select gen_random_uuid(), team_id, automation_id, version_id, contact_id, gen_random_uuid(), 'x', '{}', status, state, now(), now()
       from automation_runs, generate_series(1, 1000) where automation_id = $1`,
      [automationId],
    )
    const { body } = await call('/runs')
    const { data, has_more } = body as { data: unknown[]; has_more: boolean }
    expect({ length: data.length, has_more }).toEqual({ length: 1_000, has_more: true })
  })

  it.each(['active', 'running,active', 'canceled'])('refuses the status %s', async (status) =>
    expect(await call(`/runs?status=${status}`)).toEqual(
      invalid(
        `The \`status\` parameter must hold only \`running\`, \`completed\`, \`failed\`, \`cancelled\`. It is "${status.split(',').at(-1)}".`,
      ),
    ),
  )

  it('counts runs that had begun when the automation was stopped as cancelled at once, and no later ones', async () => {
    const before = await add()
    const done = await add({ status: 'completed', ...ENDED })
    await resend.automations.stop(automationId)
    const between = await add()
    await resend.automations.stop(automationId)
    const after = await add()
    const stopped = { status: 'cancelled', reason: 'The automation was stopped.', completed_at: TIMESTAMP }
    const completed = item(done, { status: 'completed', completed_at: COMPLETED_AT })
    expect(await call('/runs')).toEqual({
      status: 200,
      body: list([item(after), item(between, stopped), completed, item(before, stopped)]),
    })
    expect(await call('/runs?status=running')).toEqual({ status: 200, body: list([item(after)]) })
    expect(await call('/runs?status=cancelled')).toEqual({ status: 200, body: list([item(between, stopped), item(before, stopped)]) })
    expect(await call('/runs?status=cancelled,completed')).toEqual({
      status: 200,
      body: list([item(between, stopped), completed, item(before, stopped)]),
    })
  })
})

describe('GET /automations/{automation_id}/runs/{run_id}', () => {
  const STARTED_AT = '2026-11-20 09:00:00.000000+00'
  const step = (key: string, type: string, changes: object = {}) => ({
    ...{
      key,
      type,
      status: 'completed',
      started_at: STARTED_AT,
      completed_at: STARTED_AT,
      waits_until: null,
      output: {},
      error: null,
      created_at: STARTED_AT,
    },
    ...changes,
  })
  const notReached = { started_at: null, completed_at: null, waits_until: null, output: null, created_at: TIMESTAMP }
  const waiting = {
    start: reached(),
    big: reached({ output: { met: true } }),
    yes: reached({ status: 'waiting', completedAt: null, output: null, until: '2026-11-27T09:00:00Z' }),
  }
  const read = async (runId: string) => (await resend.automations.runs.get({ automationId, runId })).data
  const run = (id: string, steps: object[], changes: object = {}) => ({
    object: 'automation_run',
    ...item(id),
    event: 'user.created',
    steps,
    ...changes,
  })

  it('returns the steps in graph order, as the official client reads them', async () => {
    const id = await add({ at: 'yes', steps: waiting })
    expect(await read(id)).toEqual(
      run(id, [
        step('start', 'trigger'),
        step('big', 'condition', { output: { met: true } }),
        step('yes', 'delay', { status: 'waiting', completed_at: null, waits_until: '2026-11-27 09:00:00.000000+00', output: null }),
        step('no', 'delay', { status: 'skipped', ...notReached }),
      ]),
    )
  })

  it('shows a step that failed', async () => {
    const failed = { status: 'failed', error: 'The template was deleted.', output: null }
    const id = await add({ status: 'failed', reason: 'It failed.', steps: { start: reached(), big: reached(failed) }, ...ENDED })
    expect(await read(id)).toEqual(
      run(
        id,
        [
          step('start', 'trigger'),
          step('big', 'condition', { status: 'failed', output: null, error: { message: 'The template was deleted.' } }),
          step('yes', 'delay', { status: 'skipped', ...notReached }),
          step('no', 'delay', { status: 'skipped', ...notReached }),
        ],
        { status: 'failed', reason: 'It failed.', completed_at: COMPLETED_AT },
      ),
    )
  })

  it('keeps the graph with which it started', async () => {
    const id = await add({ at: 'yes', steps: waiting })
    await service.call('PATCH', `/automations/${automationId}`, { body: { steps: [trigger()], connections: [] } })
    expect((await read(id))?.steps.map(({ key }) => key)).toEqual(['start', 'big', 'yes', 'no'])
  })

  it('shows a run that was stopped as cancelled at once, with its steps', async () => {
    const id = await add({ at: 'yes', steps: waiting })
    await resend.automations.stop(automationId)
    expect(await read(id)).toEqual(
      run(
        id,
        [
          step('start', 'trigger'),
          step('big', 'condition', { output: { met: true } }),
          step('yes', 'delay', { status: 'skipped', completed_at: TIMESTAMP, output: null }),
          step('no', 'delay', { status: 'skipped', ...notReached }),
        ],
        { status: 'cancelled', reason: 'The automation was stopped.', completed_at: TIMESTAMP },
      ),
    )
  })

  it('answers 404 for a run of another automation, an unknown one, and one of a deleted automation', async () => {
    const id = await add()
    const other = await createAutomation(service)
    expect(outcome(await service.call('GET', `/automations/${other}/runs/${id}`))).toEqual(missing('Automation run'))
    expect(await call(`/runs/${UNKNOWN_ID}`)).toEqual(missing('Automation run'))
    await resend.automations.remove(automationId)
    expect(await call(`/runs/${id}`)).toEqual(missing('Automation run'))
    expect(await call('/runs')).toEqual(missing('Automation'))
  })
})
