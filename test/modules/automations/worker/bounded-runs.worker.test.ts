// What runs keep, and what workers hold of them at a time: bounded by bytes, whatever clients send.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { CLAIMED_BYTES_MAX, FACTS_BYTES_MAX, FACTS_PER_RUN_MAX } from '../../../../src/modules/automations/runs/due-runs.repository.ts'
import { MADE_BYTES_MAX } from '../../../../src/modules/automations/steps/email-steps.ts'
import { runAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import type { NewEmail } from '../../../../src/modules/emails/accept-emails.repository.ts'
import { UUID } from '../../../support/builders/answers.ts'
import { addAutomation, createRunner, graphOf, mailsTo, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const clock = createShiftingClock()
const HOUR_MS = 3_600_000
const MB = 1024 * 1024
let runner: ReturnType<typeof createRunner>

const service = shared(() => startTestService({ clock }))
beforeAll(() => {
  runner = createRunner(service)
})
beforeEach(() =>
  service.database.execute('delete from automation_waits; delete from automations; delete from automation_runs').then(() => {}),
)

const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }
const wait = (config: object = {}): Step => ({ key: 'wait', type: 'wait_for_event', config: { event_name: 'paid', ...config } })

async function startRuns(graph: Parameters<typeof addAutomation>[1], count = 1) {
  const automationId = await addAutomation(service, graph)
  const events = Array.from({ length: count }, (_, index) => ({ event: 'signed.up', email: `person${index}@example.org` }))
  expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
  await runner.runAll()
  return { automationId, runs: await runsOf(service, automationId) }
}

describe('what a run keeps', () => {
  it('of the values in an email is cut, and the API says so', async () => {
    const template = await publishedTemplate(service, {
      html: '<p>{{{PRODUCT}}} {{{NOTE}}}</p>',
      variables: [
        { key: 'PRODUCT', type: 'string' },
        { key: 'NOTE', type: 'string' },
      ],
    })
    const variables = { PRODUCT: { var: 'event.product' }, NOTE: { var: 'event.note' } }
    const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template, variables } } }
    const id = await addAutomation(service, graphOf([mail]))
    const note = 'x'.repeat(60_000)
    await sendEvent(service, 'signed.up', { email: 'cut@example.org', payload: { product: 'Lamp', note } })
    await runner.runAll()
    const [run] = await runsOf(service, id)
    const { body } = await service.call('GET', `/automations/${id}/runs/${run?.id}`)
    expect(body).toMatchObject({ status: 'completed' })
    const { steps } = body as { steps: { key: string; output: object }[] }
    expect(steps.find(({ key }) => key === 'mail')?.output).toEqual({
      to: ['cut@example.org'],
      email_id: UUID,
      template: { id: template, variables: { PRODUCT: 'Lamp', NOTE: `${'x'.repeat(199)}…` } },
      is_cut: true,
    })
    // The email itself is whole.
    expect((await mailsTo(service, 'cut@example.org'))[0]?.html).toBe(`<p>Lamp ${note}</p>`)
  })

  it('of events that it waited for is bounded: it fails, and the API says why', async () => {
    const names = ['one', 'two', 'three']
    const waits = names.map((name): Step => ({ key: name, type: 'wait_for_event', config: { event_name: name } }))
    const variables = Object.fromEntries(names.map((name) => [name.toUpperCase(), { var: `wait_events.${name}.text` }]))
    const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: 'welcome', variables } } }
    const { automationId, runs } = await startRuns(graphOf([...waits, mail]))
    for (const name of names) {
      await sendEvent(service, name, { email: 'person0@example.org', payload: { text: 'x'.repeat(60_000) } })
      await runner.runAll()
    }
    const { body } = await service.call('GET', `/automations/${automationId}/runs/${runs[0]?.id}`)
    expect(body).toMatchObject({
      status: 'failed',
      reason:
        'Step `three`: The run would keep more than 128 KB of the events that it waited for. Send less in the event fields that later steps use.',
    })
  })
})

describe('a worker', () => {
  it('claims no more runs than it may hold at a time, and at least one', async () => {
    const { runs } = await startRuns(graphOf([pause]), 12)
    clock.shift(HOUR_MS)
    const { dueRuns } = service.service.context.repositories
    const widen = (bytes: number) =>
      service.database.execute(
        `update automation_runs set state = state || jsonb_build_object('heard', jsonb_build_object('x', repeat('x', $1)))`,
        [bytes],
      )
    const claimedOf = async () => {
      const claimed = await dueRuns.claim(runner.workerId, clock.now(), 100)
      await dueRuns.release(runner.workerId, { runIds: null, at: null, counts: false })
      return claimed.length
    }
    expect(await claimedOf()).toBe(runs.length)
    await widen(MB)
    expect(await claimedOf()).toBe(CLAIMED_BYTES_MAX / MB - 1)
    await widen(CLAIMED_BYTES_MAX)
    expect(await claimedOf()).toBe(1)
    await service.database.execute(`update automation_runs set state = state || '{"heard": {}}'`)
    await runner.runAll()
  })

  it('reads no more of what runs were told than it may hold at a time, and at least one fact', async () => {
    const ids = [createId(), createId(), createId()]
    const add = (id: string | undefined, count: number, bytes: number) =>
      service.database.execute(
        `insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload)
         select $1, n, 'wait', gen_random_uuid(), 'paid', jsonb_build_object('x', repeat('x', $3)) from generate_series(1, $2::int) n`,
        [id, count, bytes],
      )
    await add(ids[0], FACTS_PER_RUN_MAX + 1, 1)
    await add(ids[1], FACTS_PER_RUN_MAX, 1)
    await add(ids[2], 3, FACTS_BYTES_MAX / 2)
    const { dueRuns } = service.service.context.repositories
    const { facts, unread } = await dueRuns.readFacts(ids)
    expect(ids.map((id) => facts.filter(({ runId }) => runId === id).length)).toEqual([FACTS_PER_RUN_MAX, FACTS_PER_RUN_MAX, 1])
    expect(unread).toEqual(new Set([ids[0], ids[2]]))
    await service.database.execute('delete from automation_facts')
    await add(ids[0], 2, FACTS_BYTES_MAX)
    expect((await dueRuns.readFacts(ids)).facts).toHaveLength(1)
    await service.database.execute('delete from automation_facts')
  })

  it('lets no time pass for a run that was told more than was read', async () => {
    const steps = [wait({ timeout: '1 hour', filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } })]
    const { automationId } = await startRuns(graphOf(steps))
    const events = Array.from({ length: FACTS_PER_RUN_MAX + 5 }, (_, index) => ({
      event: 'paid',
      email: 'person0@example.org',
      payload: { total: index === FACTS_PER_RUN_MAX + 4 ? 9 : 1 },
    }))
    expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
    clock.shift(HOUR_MS)
    await runner.runAll()
    const [run] = await runsOf(service, automationId)
    expect(run).toMatchObject({ status: 'completed', state: { steps: { wait: { output: { timed_out: false } } } } })
  })

  it('makes and stores large emails a few at a time, each once', async () => {
    const SIZE = 900_000
    const template = await publishedTemplate(service, { html: `<p>${'x'.repeat(SIZE)}</p>` })
    const mail: Step = { key: 'mail', type: 'send_email', config: { template: { id: template } } }
    const { automationId, runs } = await startRuns(graphOf([pause, mail]), 12)
    clock.shift(HOUR_MS)
    const stored = (await commitsOfRunning()).map((emails) => emails.reduce((sum, { html }) => sum + (html?.length ?? 0), 0))
    expect(stored.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(runs.length * SIZE)
    expect(Math.max(...stored)).toBeLessThanOrEqual(MADE_BYTES_MAX + SIZE + 100)
    expect((await runsOf(service, automationId)).map(({ status }) => status)).toEqual(runs.map(() => 'completed'))
    const [mails] = await service.database.execute(
      `select count(*)::int as count, count(distinct "to")::int as addresses from emails where template_id = $1`,
      [template],
    )
    expect(mails).toEqual({ count: 12, addresses: 12 })
  })

  it('stores the emails of steps that follow each other together, ten of a run at most and each once', async () => {
    const template = await publishedTemplate(service)
    const subjects = Array.from({ length: 12 }, (_, index) => `Mail ${index}`)
    const mails = subjects.map(
      (subject, index): Step => ({ key: `mail${index}`, type: 'send_email', config: { template: { id: template }, subject } }),
    )
    const { automationId } = await startRuns(graphOf([pause, ...mails]), 2)
    clock.shift(HOUR_MS)
    const stored = await commitsOfRunning()
    expect(stored.map((emails) => emails.length).filter((count) => count > 0)).toEqual([20, 4])
    expect((await runsOf(service, automationId)).map(({ status }) => status)).toEqual(['completed', 'completed'])
    const rows = await service.database.execute<{ to: string[]; subject: string }>(
      'select "to", subject from emails where template_id = $1 order by "to", id',
      [template],
    )
    for (const address of ['person0@example.org', 'person1@example.org'])
      expect(rows.filter(({ to }) => to.includes(address)).map(({ subject }) => subject)).toEqual(subjects)
  })

  it('stores as many emails of many runs together as one commit may have, each once', async () => {
    const template = await publishedTemplate(service)
    const mails = Array.from(
      { length: 5 },
      (_, index): Step => ({ key: `mail${index}`, type: 'send_email', config: { template: { id: template }, subject: `Mail ${index}` } }),
    )
    await startRuns(graphOf([pause, ...mails]), 80)
    clock.shift(HOUR_MS)
    const stored = await commitsOfRunning()
    expect(stored.map((emails) => emails.length).filter((count) => count > 0)).toEqual([300, 100])
    const [made] = await service.database.execute(
      `select count(*)::int as count, count(distinct ("to", subject))::int as different from emails where template_id = $1`,
      [template],
    )
    expect(made).toEqual({ count: 400, different: 400 })
  })
})

/** Takes runs further until nothing is due. Returns the emails of each commit. */
async function commitsOfRunning(): Promise<{ html: NewEmail['html'] }[][]> {
  const { context } = service.service
  const { automationAdvances } = context.repositories
  const commits: { html: NewEmail['html'] }[][] = []
  const repositories = {
    ...context.repositories,
    automationAdvances: {
      ...automationAdvances,
      store(...given: Parameters<typeof automationAdvances.store>) {
        const [, advances] = given
        commits.push(advances.flatMap(({ emails }) => emails.flatMap(({ acceptance }) => acceptance.emails)))
        return automationAdvances.store(...given)
      },
    },
  }
  while ((await runAutomations({ ...context, repositories }, runner.work)).hasMore);
  return commits
}
