// What a step does, as a sentence that people read on it.
import { SENTENCES as TEXTS } from '../../texts/automation-editor'
import { CONTACT_CREATED, type Rule, type Step } from '../graph'
import { type Known, templateNamed } from './known'

const SHOWN_MAX = 2

/** Where the names of records are shown as links beside it. */
export const stepWords = (step: Step): string => stepSentence(step, UNKNOWN)
const UNKNOWN: Pick<Known, 'templates' | 'segments'> = { templates: [], segments: [] }

/** Empty configurations say what is to be chosen. */
export function stepSentence(step: Step, known: Pick<Known, 'templates' | 'segments'>): string {
  switch (step.type) {
    case 'trigger':
      if (step.config.event_name === CONTACT_CREATED) return TEXTS.contactCreated
      return step.config.event_name ? TEXTS.trigger(step.config.event_name) : TEXTS.noTrigger
    case 'send_email': {
      const { id } = step.config.template
      return id ? TEXTS.email(templateNamed(known, id)?.name || id) : TEXTS.noEmail
    }
    case 'delay':
      return step.config.duration ? TEXTS.delay(step.config.duration) : TEXTS.noDelay
    case 'wait_for_event': {
      const { event_name, timeout } = step.config
      return event_name ? TEXTS.waitFor(TEXTS.mail[event_name] ?? TEXTS.eventNamed(event_name), timeout ?? '') : TEXTS.noWaitFor
    }
    case 'condition':
      return conditionSentence(step.config)
    case 'contact_update':
      return updateSentence(step.config)
    case 'contact_delete':
      return TEXTS.remove
    case 'add_to_segment': {
      const { segment_id } = step.config
      return segment_id ? TEXTS.segment(known.segments.find(({ id }) => id === segment_id)?.name ?? segment_id) : TEXTS.noSegment
    }
  }
}

function conditionSentence(rule: Rule): string {
  if (rule.type === 'rule') return TEXTS.condition(ruleWords(rule))
  const { rules, type } = rule
  if (rules.length === 0) return TEXTS.noCondition
  const words = rules.flatMap((one) => (one.type === 'rule' ? [ruleWords(one)] : []))
  if (words.length < rules.length || words.length > SHOWN_MAX) return TEXTS.conditionOf[type](rules.length)
  return TEXTS.condition(words.join(TEXTS[type]))
}

const ruleWords = ({ field, operator, value }: Extract<Rule, { type: 'rule' }>): string =>
  [fieldWords(field), TEXTS.operators[operator] ?? operator, value === undefined || value === null ? '' : valueWords(value)]
    .filter(Boolean)
    .join(' ')

/** "first name", "plan", "total of the event" */
function fieldWords(field: string): string {
  if (field.startsWith('event.')) return TEXTS.ofEvent(field.slice('event.'.length))
  return TEXTS.fields[field] ?? field.replace(/^contact\.(?:properties\.)?/, '')
}

function updateSentence({ properties, ...fields }: Extract<Step, { type: 'contact_update' }>['config']): string {
  const changes = Object.entries({ ...fields, ...properties }).filter(([, value]) => value !== undefined)
  const [first] = changes
  if (!first) return TEXTS.noUpdate
  const words = ([key, value]: [string, unknown]): string => TEXTS.to(TEXTS.fields[key] ?? key, valueWords(value))
  return TEXTS.update(changes.length === 1 ? words(first) : changes.map(([key]) => TEXTS.fields[key] ?? key).join(', '))
}

function valueWords(value: unknown): string {
  if (value === null) return TEXTS.nothing
  if (typeof value === 'boolean') return TEXTS.truths[`${value}`]
  return typeof value === 'object' ? fieldWords((value as { var?: string }).var ?? '') : String(value)
}
