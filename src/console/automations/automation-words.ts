// How automations, their runs and steps are called.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { AutomationStatus } from '../../modules/automations/automations.schema.ts'
import type { RunStatus } from '../../modules/automations/engine/run-state.ts'
import type { ConnectionType, Step, StepType } from '../../modules/automations/graph/graph.ts'
import type { ShownStatus } from '../../modules/automations/runs/run-steps.ts'

export const ADDRESS = '/console/automations'

export const automationAddress = ({ id }: { id: string }): string => `${ADDRESS}/${id}`
export const runAddress = (automation: { id: string }, run: { id: string }): string => `${automationAddress(automation)}/runs/${run.id}`

export const automationMark = (status: AutomationStatus): SafeHtml =>
  html`<span class="state ${status === 'enabled' ? 'delivered' : 'canceled'}">${status}</span>`

/** The colors are those of states of emails. */
export const stateMark = (status: RunStatus | ShownStatus): SafeHtml => html`<span class="state ${COLORS[status]}">${status}</span>`

const COLORS: Record<RunStatus | ShownStatus, string> = {
  running: 'sent',
  waiting: 'scheduled',
  pending: 'pending',
  completed: 'delivered',
  failed: 'failed',
  cancelled: 'canceled',
  skipped: 'canceled',
}

export const STEP_NAMES: Record<StepType, string> = {
  trigger: 'Trigger',
  send_email: 'Send an email',
  delay: 'Delay',
  wait_for_event: 'Wait for an event',
  condition: 'Condition',
  contact_update: 'Update the contact',
  contact_delete: 'Delete the contact',
  add_to_segment: 'Add to a segment',
}

export const CONNECTION_NAMES: Record<ConnectionType, string> = {
  default: '',
  condition_met: 'met',
  condition_not_met: 'not met',
  event_received: 'event',
  timeout: 'timeout',
}

/** What a step does, in a few words; empty if its type says it all. */
export function stepDetail(step: Step): string {
  switch (step.type) {
    case 'trigger':
      return step.config.event_name
    case 'delay':
      return step.config.duration
    case 'wait_for_event':
      return step.config.timeout === undefined ? step.config.event_name : `${step.config.event_name}, ${step.config.timeout}`
    case 'condition':
      return step.config.type === 'rule' ? `${step.config.field} ${step.config.operator}` : `${step.config.rules.length} rules`
    case 'contact_update':
      return Object.keys(step.config).join(', ')
    default:
      return ''
  }
}
