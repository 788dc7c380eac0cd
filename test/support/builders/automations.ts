// Automations for tests: a graph to change, and how to make one.
import type { Connection, Step } from '../../../src/lib/automations/graph.ts'
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
  held_at: null,
  held_contact_id: null,
  ...chain([trigger(), delay('wait')]),
  ...changes,
})

export const createAutomation = (service: TestService, changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> =>
  create(service, '/automations', automationInput(changes), options)
