// Automations for tests, and what workers do with them.

import type { RunState } from '../../../src/lib/automations/engine/run-state.ts'
import type { Connection, Graph, Step } from '../../../src/lib/automations/graph.ts'
import { createId } from '../../../src/lib/ids.ts'
import { createAutomationWork, runAutomations, runSuspect } from '../../../src/workers/automations/run-automations.ts'
import type { TestService } from '../servers/service.ts'

export type AutomationSettings = {
  class?: 'transactional' | 'bulk'
  reentry?: 'always' | 'once' | 'not_while_running'
  maxRunsPerContact?: number
  status?: 'enabled' | 'disabled'
  event?: string
}

/** A trigger, and steps that follow each other; a wait leads on by its event. */
export function chain(steps: Step[], eventName = 'signed.up'): Graph {
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
