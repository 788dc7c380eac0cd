// Automations to begin with, made only of steps that there are. What only the team knows, such as its templates, is left to be chosen.
import type { RecordOf } from '../../api/queries'
import { EXAMPLE_TEXTS } from '../../texts/automation-editor'
import type { Graph } from '../graph'
import { EMPTY_GRAPH } from './draft'

const { keys } = EXAMPLE_TEXTS
const TRIGGER = EMPTY_GRAPH.steps[0]?.key ?? ''
const email = (key: string) => ({ key, type: 'send_email', config: { template: { id: '' } } }) as const
const trigger = (event_name: string) => ({ key: TRIGGER, type: 'trigger', config: { event_name } }) as const

const WELCOME: Graph = {
  steps: [
    trigger('user.created'),
    email(keys.first),
    { key: keys.wait, type: 'delay', config: { duration: '2 days' } },
    { key: keys.condition, type: 'condition', config: { type: 'and', rules: [] } },
    email(keys.met),
    email(keys.notMet),
  ],
  connections: [
    { from: TRIGGER, to: keys.first, type: 'default' },
    { from: keys.first, to: keys.wait, type: 'default' },
    { from: keys.wait, to: keys.condition, type: 'default' },
    { from: keys.condition, to: keys.met, type: 'condition_met' },
    { from: keys.condition, to: keys.notMet, type: 'condition_not_met' },
  ],
}

const WIN_BACK: Graph = {
  steps: [
    trigger('user.inactive'),
    email(keys.away),
    { key: keys.clicked, type: 'wait_for_event', config: { event_name: 'resend:email.clicked', timeout: '7 days' } },
    { key: keys.back, type: 'add_to_segment', config: { segment_id: '' } },
    email(keys.last),
  ],
  connections: [
    { from: TRIGGER, to: keys.away, type: 'default' },
    { from: keys.away, to: keys.clicked, type: 'default' },
    { from: keys.clicked, to: keys.back, type: 'event_received' },
    { from: keys.clicked, to: keys.last, type: 'timeout' },
  ],
}

const REMINDER: Graph = {
  steps: [
    trigger('cart.started'),
    { key: keys.finished, type: 'wait_for_event', config: { event_name: 'order.placed', timeout: '1 day' } },
    email(keys.remind),
  ],
  connections: [
    { from: TRIGGER, to: keys.finished, type: 'default' },
    { from: keys.finished, to: keys.remind, type: 'timeout' },
  ],
}

export const EXAMPLES = {
  empty: { ...EXAMPLE_TEXTS.empty, graph: EMPTY_GRAPH, reentry: 'always' },
  welcome: { ...EXAMPLE_TEXTS.welcome, graph: WELCOME, reentry: 'once' },
  'win-back': { ...EXAMPLE_TEXTS.winBack, graph: WIN_BACK, reentry: 'not_while_running' },
  reminder: { ...EXAMPLE_TEXTS.reminder, graph: REMINDER, reentry: 'not_while_running' },
} as const satisfies Record<
  string,
  { name: string; about: string; graph: Graph; reentry: RecordOf<'/automations/{automation_id}'>['reentry'] }
>

/** The graph with the events that there are, and without the names of others. */
export const withEventsOf = (graph: Graph, events: readonly string[]): Graph => ({
  ...graph,
  steps: graph.steps.map((step) =>
    (step.type === 'trigger' || step.type === 'wait_for_event') && !isThere(step.config.event_name, events)
      ? ({ ...step, config: { ...step.config, event_name: '' } } as typeof step)
      : step,
  ),
})

const isThere = (name: string, events: readonly string[]): boolean => name.startsWith('resend:') || events.includes(name)
