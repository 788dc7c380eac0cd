// What is left of a contact who had very many runs: nothing is shown from the moment of the deletion on, and nothing is stored once a job has ended.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Step } from '../../../src/modules/automations/graph/graph.ts'
import { createEventDispatcher } from '../../../src/modules/automations/pending-events/dispatch-events.worker.ts'
import { findOrphans, forgetContact } from '../../../src/server/orphan-cleanup.ts'
import {
  addAutomation,
  createRunner,
  graphOf,
  leftRows,
  mailsTo,
  NOTHING_LEFT,
  runsOf,
  sendEvent,
} from '../../support/builders/automations.ts'
import { createContact } from '../../support/builders/contacts.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ADDRESS = 'marked-address@example.org'
const MARKS = ['marked-address', 'marked-payload']
/** More than two batches. */
const RUNS = 1_100
/** Documented in docs/privacy.md: they have a retention of their own. */
const KEPT = ['deliveries', 'emails', 'notifications', 'recipients', 'request_logs']

const wait: Step = { key: 'wait', type: 'wait_for_event', config: { event_name: 'paid' } }
let template: string
let automationId: string
let contactId: string
const service = shared(() => startTestService())
beforeAll(async () => {
  template = await publishedTemplate(service)
})
beforeEach(async () => {
  await service.database.execute(
    'truncate automations, automation_versions, automation_runs, automation_waits, automation_facts, automation_emails, automation_occurrences, sent_events, graphile_worker._private_jobs',
  )
  contactId = await createContact(service, { email: ADDRESS })
  const mail: Step = {
    key: 'mail',
    type: 'send_email',
    config: { template: { id: template, variables: { PRODUCT: { var: 'event.name' } } } },
  }
  automationId = await addAutomation(service, graphOf([mail, wait]))
  await sendEvent(service, 'signed.up', { contact_id: contactId, payload: { name: 'marked-payload' } })
  await createRunner(service).runAll()
  // A contact starts an automation no more often than 100 times an hour: the others are copies.
  await service.database.execute(
    `with run as (
       insert into automation_runs select (jsonb_populate_record(r, jsonb_build_object('id', uuidv7(), 'event_id', gen_random_uuid()))).*
       from automation_runs r, generate_series(2, ${RUNS}) returning *
     ), wait as (
       insert into automation_waits (team_id, contact_id, event_name, run_id, step_key) select team_id, contact_id, 'paid', id, 'wait' from run
     )
     insert into sent_events (id, team_id, name, contact_id, payload, created_at) select uuidv7(), team_id, event_name, contact_id, payload, now() from run`,
  )
  await sendEvent(service, 'paid', { contact_id: contactId, payload: { name: 'marked-payload' } })
  const eventDispatcher = createEventDispatcher(service.service.context)
  while (await eventDispatcher.dispatch());
  await sendEvent(service, 'paid', { contact_id: contactId, payload: { name: 'marked-payload' } })
})

const deleteContact = () => service.call('DELETE', `/contacts/${ADDRESS}`)

/** Tables that hold a mark. */
async function markedTables(): Promise<string[]> {
  const tables = await service.database.execute<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema') order by 1`,
  )
  const marked: string[] = []
  for (const { name } of tables) {
    const rows = await service.database.execute(`select 1 as one from ${name} t where t::text like any($1::text[]) limit 1`, [
      MARKS.map((mark) => `%${mark}%`),
    ])
    if (rows.length > 0) marked.push(name)
  }
  return marked
}

const forget = (signal: AbortSignal = new AbortController().signal) =>
  forgetContact(service.service.context, { teamId: service.teamId, contactId }, { signal })

const jobs = () =>
  service.database.execute<{ task: string; payload: object }>(
    `select t.identifier as task, j.payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`,
  )

async function expectForgotten(): Promise<void> {
  expect((await markedTables()).filter((table) => !KEPT.includes(table))).toEqual([])
  expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  const runs = await runsOf(service, automationId)
  expect(runs).toHaveLength(RUNS)
  for (const run of runs)
    expect(run).toMatchObject({
      email: null,
      status: 'cancelled',
      reason: 'The contact was deleted.',
      payload: {},
      wakeAt: null,
      leasedBy: null,
    })
}

describe('a contact with very many runs that is deleted', () => {
  it('is known to all these tables before', async () => {
    expect((await markedTables()).filter((table) => !KEPT.includes(table))).toEqual([
      'automation_facts',
      'automation_occurrences',
      'automation_runs',
      'contacts',
      'sent_events',
    ])
    await deleteContact()
  })

  it('is gone from sight at once, and from the tables after a job', async () => {
    const [first] = await runsOf(service, automationId)
    expect((await deleteContact()).status).toBe(200)
    const waiting = (await runsOf(service, automationId)).filter(({ email }) => email !== null)
    expect(waiting.length).toBeGreaterThan(0)
    const path = `/automations/${automationId}/runs`
    for (const id of [first?.id, waiting.at(-1)?.id]) {
      const { body, text } = await service.call('GET', `${path}/${id}`)
      expect(body).toMatchObject({ status: 'cancelled', reason: 'The contact was deleted.' })
      expect(MARKS.filter((mark) => text.includes(mark))).toEqual([])
    }
    const { body } = await service.call('GET', `${path}?limit=100`)
    const { data } = body as { data: { status: string }[] }
    expect(new Set(data.map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect((await service.call('GET', `/contacts/${contactId}/events`)).status).toBe(404)
    expect(await jobs()).toEqual([{ task: 'forget-contact', payload: { teamId: service.teamId, contactId } }])
    await forget()
    await expectForgotten()
  })

  it('is forgotten although the job is stopped, and fails in the middle', async () => {
    await deleteContact()
    await expect(forget(AbortSignal.abort())).rejects.toThrow()
    const last = (await runsOf(service, automationId)).at(-1)
    await service.database.execute(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create trigger fail before update on automation_runs for each row when (new.id = '${last?.id}') execute function fail()`)
    await expect(forget()).rejects.toThrow('killed')
    await service.database.execute('drop function fail cascade')
    const counts = (await runsOf(service, automationId)).filter(({ email }) => email === null).length
    expect([counts > 0, counts < RUNS]).toEqual([true, true])
    await forget()
    await expectForgotten()
  })

  it('is found by the daily check when the job was lost', async () => {
    await deleteContact()
    await service.database.execute('truncate graphile_worker._private_jobs')
    await findOrphans(service.service.context, { signal: new AbortController().signal, rowsMax: 100 })
    expect(await jobs()).toEqual([{ task: 'forget-contact', payload: { teamId: service.teamId, contactId } }])
    await forget()
    await service.database.execute('truncate graphile_worker._private_jobs')
    await findOrphans(service.service.context, { signal: new AbortController().signal, rowsMax: 100 })
    expect(await jobs()).toEqual([])
  })

  it('gets no mail from a run that a worker took before', async () => {
    const { context } = service.service
    await service.database.execute(`update automation_runs set state = jsonb_set(state, '{at}', '"mail"'), wake_at = now()`)
    const { workerId, runAll } = createRunner(service)
    const runs = await context.repositories.dueRuns.claim(workerId, new Date(Date.now() + 1_000), 10)
    expect(runs).toHaveLength(10)
    const before = await mailsTo(service, ADDRESS)
    await service.database.execute('delete from contacts where id = $1', [contactId])
    await context.repositories.automationAdvances.store(
      workerId,
      runs.map(({ id, teamId, state }) => ({
        id,
        teamId,
        contactId,
        state,
        stateBefore: state,
        wakeAt: null,
        noted: [],
        waits: [{ stepKey: 'x', eventName: 'x' }],
        left: [],
        emails: [],
      })),
    )
    const waits = await service.database.execute(`select 1 as one from automation_waits where event_name = 'x'`)
    expect(waits).toEqual([])
    await runAll()
    expect(await mailsTo(service, ADDRESS)).toEqual(before)
    await forget()
    await expectForgotten()
  })
})
