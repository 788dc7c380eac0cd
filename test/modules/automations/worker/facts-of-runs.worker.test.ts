import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createId, LOWEST_ID } from '../../../../src/lib/ids.ts'
import type { Step } from '../../../../src/modules/automations/graph/graph.ts'
import { runAutomations } from '../../../../src/modules/automations/steps/run-automations.worker.ts'
import { findOrphans } from '../../../../src/server/orphan-cleanup.ts'
import {
  addAutomation,
  createRunner,
  graphOf,
  leftRows,
  NOTHING_LEFT,
  runsOf,
  sendEvent,
  stopAutomation,
} from '../../../support/builders/automations.ts'
import { until } from '../../../support/clocks/until.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../../support/servers/statements.ts'

let runner: ReturnType<typeof createRunner>

const service = shared(() => startTestService())
beforeAll(() => {
  runner = createRunner(service)
})
beforeEach(() =>
  service.database.execute('delete from automation_waits; delete from automations; delete from automation_runs').then(() => {}),
)

const wait: Step = {
  key: 'wait',
  type: 'wait_for_event',
  config: { event_name: 'paid', filter_rule: { type: 'rule', field: 'event.total', operator: 'gt', value: 5 } },
}

async function startRun(): Promise<{ automationId: string; runId: string }> {
  const automationId = await addAutomation(service, graphOf([wait]))
  await sendEvent(service, 'signed.up')
  await runner.runAll()
  const [run] = await runsOf(service, automationId)
  if (!run) throw new Error('There is no run')
  return { automationId, runId: run.id }
}

/** Holds the run as a worker does, lets `work` wait for it, and then changes what belongs to the run. */
async function whileHeld(runId: string, work: () => Promise<unknown>, change: string): Promise<void> {
  const client = await service.database.connect()
  try {
    await client.query('begin')
    await client.query('select from automation_runs where id = $1 for update', [runId])
    const working = work()
    await until(async () => {
      const [row] = await service.database.execute<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`,
      )
      expect(row?.waiting).toBe(1)
    })
    await client.query(change)
    await client.query('commit')
    await working
  } finally {
    client.release()
  }
}

describe('a run', () => {
  it('keeps an event that it is told of after it was looked at, even if an older one', async () => {
    const { automationId, runId } = await startRun()
    const { context } = service.service
    const { automationAdvances } = context.repositories
    await sendEvent(service, 'paid', { email: 'ada@example.org', payload: { total: 1 } })
    const store: typeof automationAdvances.store = async (...given) => {
      await service.database.execute(
        `insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload) values ($1, 0, 'wait', $2, 'paid', '{"total": 9}')`,
        [runId, createId()],
      )
      return automationAdvances.store(...given)
    }
    const repositories = { ...context.repositories, automationAdvances: { ...automationAdvances, store } }
    await runAutomations({ ...context, repositories }, runner.work)
    expect(await runsOf(service, automationId)).toMatchObject([{ status: 'running' }])
    await runner.runAll()
    expect(await runsOf(service, automationId)).toMatchObject([{ status: 'completed' }])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('is not written as a whole when what it was told has changed nothing', async () => {
    const { automationId, runId } = await startRun()
    const { context } = service.service
    const { automationAdvances } = context.repositories
    const markAfter = async (total: number) => {
      const store: typeof automationAdvances.store = async (...given) => {
        await service.database.execute(`update automation_runs set state = state || jsonb_build_object('mark', $2::int) where id = $1`, [
          runId,
          total,
        ])
        return automationAdvances.store(...given)
      }
      const repositories = { ...context.repositories, automationAdvances: { ...automationAdvances, store } }
      await sendEvent(service, 'paid', { email: 'ada@example.org', payload: { total } })
      await runAutomations({ ...context, repositories }, runner.work)
      return runsOf(service, automationId)
    }
    expect(await markAfter(1)).toMatchObject([{ status: 'running', leasedBy: null, state: { mark: 1 } }])
    expect(await markAfter(9)).toMatchObject([{ status: 'completed', leasedBy: null, state: { mark: 1 } }])
  })

  it('that ends while it is told of an event leaves nothing', async () => {
    const { runId } = await startRun()
    await sendEvent(service, 'paid', { email: 'ada@example.org', payload: { total: 9 } })
    await whileHeld(
      runId,
      () => runner.runAll(),
      `update automation_runs set status = 'completed', wake_at = null where id = '${runId}'; delete from automation_waits where run_id = '${runId}'`,
    )
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('that begins a wait while it is cancelled leaves nothing', async () => {
    const { automationId, runId } = await startRun()
    await stopAutomation(service, automationId)
    await whileHeld(
      runId,
      () => service.service.context.repositories.automationRuns.clearAcrossTeams(automationId, LOWEST_ID),
      `insert into automation_waits (team_id, contact_id, event_name, run_id, step_key) select team_id, contact_id, 'other', id, 'other' from automation_runs where id = '${runId}'`,
    )
    expect(await runsOf(service, automationId)).toMatchObject([{ status: 'cancelled' }])
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })
})

describe('a wait', () => {
  const paidWith = (total: number) => sendEvent(service, 'paid', { email: 'ada@example.org', payload: { total } })
  const eventsOf = async () =>
    ((await service.call('GET', '/contacts/ada@example.org/events')).body as { data: { event: string; created_at: string }[] }).data.filter(
      ({ event }) => event === 'paid',
    )
  async function stepOf({ automationId, runId }: { automationId: string; runId: string }) {
    const { body } = await service.call('GET', `/automations/${automationId}/runs/${runId}`)
    const { steps } = body as { steps: { key: string; status: string; started_at: string; completed_at: string | null }[] }
    const step = steps.find(({ key }) => key === 'wait')
    if (!step) throw new Error('There is no such step')
    return step
  }

  it('begins when it is stored: an event that comes between the decision and that is older, also by what is shown', async () => {
    const automationId = await addAutomation(service, graphOf([wait]))
    await sendEvent(service, 'signed.up')
    const { context } = service.service
    const { automationAdvances } = context.repositories
    const store: typeof automationAdvances.store = async (...given) => {
      await paidWith(9)
      return automationAdvances.store(...given)
    }
    await runAutomations(
      { ...context, repositories: { ...context.repositories, automationAdvances: { ...automationAdvances, store } } },
      runner.work,
    )
    await runner.runAll()
    const [run] = await runsOf(service, automationId)
    const step = await stepOf({ automationId, runId: run?.id ?? '' })
    const [paid] = await eventsOf()
    expect(step).toMatchObject({ status: 'waiting', completed_at: null })
    expect(Date.parse(step.started_at)).toBeGreaterThanOrEqual(Date.parse(paid?.created_at ?? ''))
    await paidWith(9)
    await runner.runAll()
    expect(await stepOf({ automationId, runId: run?.id ?? '' })).toMatchObject({ status: 'completed' })
  })

  it('hears an event that another worker tells while the wait is being stored', async () => {
    const automationId = await addAutomation(service, graphOf([wait]))
    await sendEvent(service, 'signed.up')
    const other = createRunner(service)
    const waiting = async (count: number) => {
      const [row] = await service.database.execute<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`,
      )
      expect(row?.count).toBe(count)
    }
    const client = await service.database.connect()
    try {
      await client.query('begin')
      // The run is stored after its waits, and then needs this table.
      await client.query('lock table automation_emails in share mode')
      const storing = runner.runAll()
      await until(() => waiting(1))
      await paidWith(9)
      const telling = other.runAll()
      await until(() => waiting(2))
      await client.query('commit')
      await Promise.all([storing, telling])
    } finally {
      client.release()
    }
    await runner.runAll()
    expect(await runsOf(service, automationId)).toMatchObject([{ status: 'completed' }])
  })

  it('lasts as long as it says from then on', async () => {
    const automationId = await addAutomation(service, graphOf([{ ...wait, config: { ...wait.config, timeout: '1 hour' } } as Step]))
    await sendEvent(service, 'signed.up')
    await runner.runAll()
    const [run] = await runsOf(service, automationId)
    const { startedAt, until: ends } = run?.state.steps.wait ?? { startedAt: '', until: null }
    expect(Date.parse(ends ?? '') - Date.parse(startedAt)).toBe(3_600_000)
    expect(run?.wakeAt?.toISOString()).toBe(ends)
  })
})

describe('the daily check', () => {
  it('removes what belongs to no run that is running, and only that', async () => {
    const { runId } = await startRun()
    const add = (id: string) =>
      service.database.execute(
        `with waits as (insert into automation_waits (team_id, contact_id, event_name, run_id, step_key) values ($1, $1, 'other', $1, 'other')),
           facts as (insert into automation_facts (run_id, seq, step_key, event_id, event_name, payload) values ($1, 0, 'other', $1, 'other', '{}'))
         insert into automation_emails (email_id, run_id) values ($1, $1)`,
        [id],
      )
    await add(createId())
    await add(runId)
    await findOrphans(service.service.context, { signal: new AbortController().signal })
    expect(await leftRows(service)).toEqual({ occurrences: 0, facts: 1, waits: 2, emails: 1 })
  })
})
