// Automations to begin with, made only of steps that there are. What only the team knows, such as its templates, is left to be chosen.
import type { RecordOf } from '../../api/queries'
import { EDITOR_TEXTS, EXAMPLE_TEXTS } from '../../texts/automation-editor'
import { CONTACT_CREATED, type Graph } from '../graph'
import { EMPTY_GRAPH } from './draft'

const { keys } = EXAMPLE_TEXTS
const { trigger: TRIGGER, send_email: EMAIL, delay: WAIT, condition: CONDITION } = EDITOR_TEXTS.keys
const SECOND = `${EMAIL} 2`
const email = (key: string) => ({ key, type: 'send_email', config: { template: { id: '' } } }) as const
const trigger = (event_name: string) => ({ key: TRIGGER, type: 'trigger', config: { event_name } }) as const

/** Whole but for its templates. The names of its steps are those that new steps get: what the steps do can be changed without telling lies. */
const WELCOME: Graph = {
  steps: [
    trigger(CONTACT_CREATED),
    email(EMAIL),
    { key: WAIT, type: 'delay', config: { duration: '2 days' } },
    { key: CONDITION, type: 'condition', config: { type: 'rule', field: 'contact.unsubscribed', operator: 'eq', value: false } },
    email(SECOND),
  ],
  connections: [
    { from: TRIGGER, to: EMAIL, type: 'default' },
    { from: EMAIL, to: WAIT, type: 'default' },
    { from: WAIT, to: CONDITION, type: 'default' },
    { from: CONDITION, to: SECOND, type: 'condition_met' },
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

/** The graph without the names of events that there are not. A team without events types their names, and begins with those of the example. */
export const withEventsOf = (graph: Graph, events: readonly string[]): Graph => ({
  ...graph,
  steps: graph.steps.map((step) => {
    if (step.type === 'trigger') return isThere(step.config.event_name, events) || events.length === 0 ? step : emptied(step)
    return step.type !== 'wait_for_event' || isThere(step.config.event_name, events) ? step : emptied(step)
  }),
})

const emptied = <Step extends { config: object }>(step: Step): Step => ({ ...step, config: { ...step.config, event_name: '' } })

const isThere = (name: string, events: readonly string[]): boolean =>
  name.startsWith('resend:') || name === CONTACT_CREATED || events.includes(name)
