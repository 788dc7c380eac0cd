// Automations for tests: a graph to change, and how to make one.
import type { Connection, Step } from '../../../src/lib/automations/graph.ts'
import { createId } from '../../../src/lib/ids.ts'
import { create } from '../records/record-builder.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
import { TIMESTAMP } from './answers.ts'

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
  held_contact_id: null,
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
