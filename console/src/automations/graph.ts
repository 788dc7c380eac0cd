// The steps of an automation and which follows which.
import type { RecordOf } from '../api/queries'
import { OPERATOR_NAMES } from '../texts/automations'

type Automation = RecordOf<'/automations/{automation_id}'>
export type Step = Automation['steps'][number]
export type Connection = Automation['connections'][number]
export type Graph = Pick<Automation, 'steps' | 'connections'>

export type StepCounts = { entered: number; waiting: number; done: number; failed: number }

/** What a step does, in a few words; empty if its type says it all. */
export function stepDetail(step: Step): string {
  switch (step.type) {
    case 'trigger':
      return step.config.event_name
    case 'delay':
      return step.config.duration
    case 'wait_for_event':
      return [step.config.event_name, step.config.timeout].filter(Boolean).join(', ')
    case 'condition':
      return step.config.type === 'rule'
        ? [step.config.field, OPERATOR_NAMES[step.config.operator], valueText(step.config.value)].filter(Boolean).join(' ')
        : `${step.config.rules.length} rules`
    case 'contact_update':
      return Object.keys(step.config).join(', ')
    case 'send_email':
      return step.config.subject ?? ''
    default:
      return ''
  }
}

const valueText = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** Each after all that lead to it. */
export function stepsInOrder({ steps, connections }: Graph): Step[] {
  const order: Step[] = []
  const seen = new Set<string>()
  const visit = (step: Step): void => {
    seen.add(step.key)
    const following = connections.filter(({ from }) => from === step.key)
    // A step enters after all that follow it; so the last branch is visited first, and the whole is turned around.
    for (const { to } of following.toReversed()) {
      const next = steps.find(({ key }) => key === to)
      if (next && !seen.has(to)) visit(next)
    }
    order.push(step)
  }
  const trigger = steps.find(({ type }) => type === 'trigger')
  if (trigger) visit(trigger)
  return order.toReversed()
}
