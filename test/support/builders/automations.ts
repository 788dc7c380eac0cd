// Automations for tests: a graph to change, and how to make one.

import { beforeAll, beforeEach } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import type { RunState } from '../../../src/modules/automations/engine/run-state.ts'
import type { Connection, Graph, Step } from '../../../src/modules/automations/graph/graph.ts'
import { createAutomationWork, runAutomations, runSuspect } from '../../../src/modules/automations/steps/run-automations.worker.ts'
import { createShiftingClock } from '../clocks/clocks.ts'
import { create } from '../records/record-builder.ts'
import { type CallOptions, shared, startTestService, type TestService } from '../servers/service.ts'
import { TIMESTAMP, UUID } from './answers.ts'
import { publishedTemplate } from './templates.ts'

export const trigger = (eventName = 'user.created', key = 'start'): Step => ({ key, type: 'trigger', config: { event_name: eventName } })
export const delay = (key: string, duration = '1 hour'): Step => ({ key, type: 'delay', config: { duration } })
export const condition = (key: string): Step => ({
  key,
  type: 'condition',
  config: { type: 'rule', field: 'event.total', operator: 'gte', value: 100 },
})
export const connection = (from: string, to: string, type: Connection['type'] = 'default'): Connection => ({ from, to, type })

/** Steps that follow each other. */
export const chain = (steps: Step[]): { steps: Step[]; connections: Connection[] } => ({
  steps,
  connections: steps.slice(1).map(({ key }, index) => connection(steps[index]?.key ?? '', key)),
})

/** The body of a valid POST /automations; a field that is set to undefined is left out. */
export const automationInput = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Welcome',
  ...chain([trigger(), delay('wait')]),
  ...changes,
})

/** The API's answer about the automation of `automationInput`. */
export const automationRecord = (id: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'automation',
  id,
  name: 'Welcome',
  status: 'disabled',
  created_at: TIMESTAMP,
  updated_at: TIMESTAMP,
  class: 'transactional',
  reentry: 'always',
  max_runs_per_contact: null,
  disabled_reason: null,
  held_at: null,
  stopped_at: null,
  held_contact_id: null,
  version: UUID,
  ...chain([trigger(), delay('wait')]),
  ...changes,
})

export const createAutomation = (service: TestService, changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> =>
  create(service, '/automations', automationInput(changes), options)

type RunColumns = {
  status?: string
  reason?: string | null
  at?: string | null
  steps?: Record<string, object>
  completedAt?: string | null
  stopSeen?: string | null
  contactId?: string
}

/** Stores a run of the automation as it is now, as a worker leaves it, and answers its id. */
export async function addRun(
  service: TestService,
  automationId: string,
  {
    status = 'running',
    reason = null,
    at = null,
    steps = {},
    completedAt = null,
    stopSeen = null,
    contactId = createId(),
  }: RunColumns = {},
): Promise<string> {
  const id = createId()
  await service.database.execute(
    `insert into automation_runs (id, team_id, automation_id, version_id, stop_seen, contact_id, event_id, event_name, payload, status, reason, state, started_at, completed_at, created_at)
     select $1, team_id, id, version_id, coalesce($2::timestamptz, stopped_at), $3, gen_random_uuid(), trigger_event, '{}', $4, $5, $6::jsonb, now(), $7::timestamptz, now()
     from automations where id = $8`,
    [id, stopSeen, contactId, status, reason, JSON.stringify({ status, reason, at, steps }), completedAt, automationId],
  )
  return id
}

/** What a run knows of a step that it has come to. */
export const reached = (changes: object = {}) => ({
  status: 'completed',
  startedAt: '2026-11-20T09:00:00.000Z',
  completedAt: '2026-11-20T09:00:00.000Z',
  until: null,
  output: {},
  error: null,
  ...changes,
})

// Automations for tests, and what workers do with them.

export type AutomationSettings = {
  class?: 'transactional' | 'bulk'
  reentry?: 'always' | 'once' | 'not_while_running'
  maxRunsPerContact?: number
  status?: 'enabled' | 'disabled'
  event?: string
}

/** A trigger, and steps that follow each other; a wait leads on by its event. */
export function graphOf(steps: Step[], eventName = 'signed.up'): Graph {
  const all: Step[] = [{ key: 'start', type: 'trigger', config: { event_name: eventName } }, ...steps]
  const connections = all.slice(0, -1).map(
    ({ key, type }, index): Connection => ({
      from: key,
      to: all[index + 1]?.key ?? '',
      type: type === 'wait_for_event' ? 'event_received' : type === 'condition' ? 'condition_met' : 'default',
    }),
  )
  return { steps: all, connections }
}

export const pause: Step = { key: 'pause', type: 'delay', config: { duration: '1 hour' } }

export const wait = (name: string, changes: object = {}): Step => ({
  key: 'wait',
  type: 'wait_for_event',
  config: { event_name: name, timeout: '1 hour', ...changes },
})

/** Stores an enabled automation. */
export async function addAutomation(service: TestService, graph: Graph, settings: AutomationSettings = {}): Promise<string> {
  const { class: kind = 'transactional', reentry = 'always', maxRunsPerContact = null, status = 'enabled' } = settings
  const [id, versionId] = [createId(), createId()]
  const trigger = graph.steps.find((step) => step.type === 'trigger')
  await service.database.execute(
    `with version as (
       insert into automation_versions (id, team_id, automation_id, steps, connections, created_at) values ($3, $2, $1, $4::jsonb, $5::jsonb, now())
     )
     insert into automations (id, team_id, name, status, class, reentry, max_runs_per_contact, trigger_event, version_id, created_at, updated_at)
     values ($1, $2, 'Automation', $6, $7, $8, $9, $10, $3, now(), now())`,
    [
      id,
      service.teamId,
      versionId,
      JSON.stringify(graph.steps),
      JSON.stringify(graph.connections),
      status,
      kind,
      reentry,
      maxRunsPerContact,
      settings.event ?? trigger?.config.event_name ?? '',
    ],
  )
  return id
}

/** Disables it, and cancels its runs. */
export const stopAutomation = (service: TestService, id: string) =>
  service.database.execute(`update automations set status = 'disabled', stopped_at = clock_timestamp() where id = $1`, [id])

export async function sendEvent(
  service: TestService,
  event: string,
  changes: Record<string, unknown> = { email: 'ada@example.org' },
): Promise<void> {
  const { status, text } = await service.call('POST', '/events/send', { body: { event, ...changes } })
  if (status !== 202) throw new Error(`The event was not sent: ${text}`)
}

/** A worker that does everything there is to do now. */
export function createRunner(service: TestService, runsMax = 100) {
  const workerId = createId()
  const { context } = service.service
  const work = createAutomationWork(context, { id: workerId, isHeld: () => true }, { runsMax })
  return {
    workerId,
    work,
    async runAll(): Promise<void> {
      for (let rounds = 0; (await runAutomations(context, work)).hasMore || (await runSuspect(context, work)); rounds += 1)
        if (rounds > 10_000) throw new Error('There is always more to do')
    },
  }
}

export type StoredRun = {
  id: string
  contactId: string
  email: string | null
  status: string
  reason: string | null
  state: RunState
  wakeAt: Date | null
  claims: number
  leasedBy: string | null
  payload: object
}

export const runsOf = (service: TestService, automationId: string): Promise<StoredRun[]> =>
  service.database.execute<StoredRun>(
    `select id, contact_id as "contactId", email, status, reason, state, wake_at as "wakeAt", claims, leased_by as "leasedBy", payload
       from automation_runs where automation_id = $1 order by id`,
    [automationId],
  )

/** The run of an automation that must have one. */
export async function onlyRunOf(service: TestService, automationId: string): Promise<StoredRun> {
  const [run, ...others] = await runsOf(service, automationId)
  if (!run || others.length > 0) throw new Error(`There are ${others.length + (run ? 1 : 0)} runs instead of one`)
  return run
}

/** The steps that a run has gone through or is at, with their states. */
export const pathOf = ({ state }: StoredRun): Record<string, string> =>
  Object.fromEntries(Object.entries(state.steps).map(([key, { status }]) => [key, status]))

export const mailsTo = async (service: TestService, address: string): Promise<{ id: string; subject: string; html: string }[]> =>
  service.database.execute(`select id, subject, html from emails where "to" = array[$1] order by id`, [address])

/** What is left that only runs which wait, or are told something, need. */
export async function leftRows(service: TestService): Promise<Record<string, number>> {
  const [row] = await service.database.execute<Record<string, number>>(
    `select (select count(*)::int from automation_occurrences) as occurrences, (select count(*)::int from automation_facts) as facts,
       (select count(*)::int from automation_waits) as waits, (select count(*)::int from automation_emails) as emails`,
  )
  return row ?? {}
}

export const NOTHING_LEFT = { occurrences: 0, facts: 0, waits: 0, emails: 0 }

// A service whose automations are started by an event, and the address that the event is about. Both differ in each test, so that no event starts what
// another test has stored.

/** Registers with the suite in which it is called. */
export function useAutomationScene() {
  const clock = createShiftingClock()
  const service = shared(() => startTestService({ clock }))
  let runner: ReturnType<typeof createRunner>
  const ofTest = { number: 0, event: '', address: '', template: '' }
  const scene = Object.assign(ofTest, {
    clock,
    service,
    runAll: () => runner.runAll(),
    send: (name = ofTest.event, changes: object = {}) => sendEvent(service, name, { email: ofTest.address, ...changes }),
    mail: (config: object = {}, key = 'mail'): Step => ({
      key,
      type: 'send_email',
      config: { template: { id: ofTest.template }, ...config },
    }),
    add: (steps: Step[], settings: AutomationSettings = {}) => addAutomation(service, graphOf(steps, ofTest.event), settings),
    onlyRun: (id: string) => onlyRunOf(service, id),
  })
  beforeAll(async () => {
    runner = createRunner(service)
    ofTest.template = await publishedTemplate(service)
  })
  beforeEach(() => {
    const number = ofTest.number + 1
    Object.assign(ofTest, { number, event: `event.${number}`, address: `person${number}@example.org` })
  })
  return scene
}

export const createEvent = (service: TestService, fields: Record<string, unknown>, token = service.token): Promise<string> =>
  create(service, '/events', fields, { token })
