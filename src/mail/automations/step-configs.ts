// Reads the configuration of a step: what a client wrote becomes what is stored, in which only a null that says something is left.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { assertNever } from '../../lib/assert-never.ts'
import { STEP_DAYS_MAX, stepDurationMs } from '../../lib/automations/durations.ts'
import type { ContactUpdateConfig, SendEmailConfig, Step, StepType, WaitForEventConfig } from '../../lib/automations/graph.ts'
import { invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { explainProblem, isProblem, type Problem } from '../../lib/problem.ts'
import { quoted, quotedValue } from '../../lib/quotation.ts'
import { STEP_CONFIGS, SYSTEM_EVENTS } from '../../schemas/automation-steps.ts'
import { createBodyReader } from '../../schemas/bodies/body-validator.ts'
import { refuseInexact } from '../../schemas/bodies/exact-numbers.ts'
import { fieldTree, isRecord, unknownFields } from '../../schemas/bodies/field-tree.ts'
import { parseMailbox } from '../addresses.ts'
import { checkSubject } from '../email-draft.ts'
import { isReserved, RESERVED_REASON } from '../templates/template-fields.ts'
import { readRuleTree } from './rule-trees.ts'

/** @throws Failure about the first thing that is wrong, with its place: `config.duration` */
export function readStep(given: { key: string; type: StepType; config: unknown }): Step {
  const step = readByType(given)
  refuseInexact(step.config, 'config')
  return step
}

function readByType({ key, type, config }: { key: string; type: StepType; config: unknown }): Step {
  refuseUnknown(type, config)
  switch (type) {
    case 'trigger':
      return { key, type, config: READERS.trigger(config) }
    case 'send_email':
      return { key, type, config: sendEmail(READERS.send_email(config)) }
    case 'delay':
      return { key, type, config: { duration: duration('config.duration', READERS.delay(config).duration) } }
    case 'wait_for_event':
      return { key, type, config: waitForEvent(READERS.wait_for_event(config)) }
    case 'condition':
      return { key, type, config: readRuleTree(config, { path: 'config', roots: ['event', 'contact'] }) }
    case 'contact_update':
      return { key, type, config: contactUpdate(READERS.contact_update(config)) }
    case 'contact_delete':
      return { key, type, config: {} }
    case 'add_to_segment':
      return { key, type, config: { segment_id: READERS.add_to_segment(config).segment_id.toLowerCase() } }
    default:
      return assertNever(type)
  }
}

/** Within an object, so that the sentences about it name `config`. */
function reader<Config extends TSchema>(config: Config): (given: unknown) => Static<Config> {
  const read = createBodyReader(Type.Unsafe<{ config: Static<Config> }>(Type.Object({ config })))
  return (given) => read({ config: given }).config
}

const READERS = {
  trigger: reader(STEP_CONFIGS.trigger),
  send_email: reader(STEP_CONFIGS.send_email),
  delay: reader(STEP_CONFIGS.delay),
  wait_for_event: reader(STEP_CONFIGS.wait_for_event),
  contact_update: reader(STEP_CONFIGS.contact_update),
  add_to_segment: reader(STEP_CONFIGS.add_to_segment),
}

/** Unlike elsewhere, unknown fields are refused: a run that lacks what they ask for would go on, and no one would see why. */
function refuseUnknown(type: StepType, config: unknown): void {
  const tree = fieldTree(STEP_CONFIGS[type])
  const [unknown] = unknownFields(tree, config, 1)
  if (unknown === undefined) return
  const known = [...tree.properties.keys()].map((name) => `\`${name}\``)
  const has = known.length === 0 ? 'must be empty' : `has ${known.join(', ')}`
  throw invalid(
    `The \`config\` field holds ${quoted(unknown)}, which does not belong there: the configuration of a \`${type}\` step ${has}.`,
  )
}

function sendEmail({ template, from, subject, reply_to: given, topic_id }: Static<typeof STEP_CONFIGS.send_email>): SendEmailConfig {
  for (const [key, value] of Object.entries(template.variables ?? {})) {
    const field = `config.template.variables.${key}`
    if (isReserved(key)) throw invalid(`The \`${field}\` field must be left out: ${RESERVED_REASON}.`)
    if (isRecord(value) && 'var' in value && !(typeof value.var === 'string' && Object.keys(value).length === 1))
      throw invalid(`The \`${field}\` field must be a literal value, or a reference with nothing but \`var\`.`)
  }
  const reply_to = given != null && given.trim() === '' ? null : given
  if (from != null) refuse('config.from', parseMailbox(from), from)
  if (subject != null) refuse('config.subject', checkSubject(subject), subject)
  if (reply_to != null) refuse('config.reply_to', parseMailbox(reply_to), reply_to)
  return {
    template: {
      id: isId(template.id) ? template.id.toLowerCase() : template.id,
      ...(template.variables != null && { variables: template.variables }),
    },
    ...(from != null && { from }),
    ...(subject != null && { subject }),
    ...(reply_to != null && { reply_to }),
    ...(topic_id != null && { topic_id: topic_id.toLowerCase() }),
  }
}

function waitForEvent({ event_name, timeout, filter_rule }: Static<typeof STEP_CONFIGS.wait_for_event>): WaitForEventConfig {
  // The names that events of the team can have are those that a trigger can name.
  if (!event_name.startsWith(SYSTEM_PREFIX)) READERS.trigger({ event_name })
  else if (!SYSTEM_EVENTS.includes(event_name))
    throw invalid(
      `The \`config.event_name\` field must be an event of yours, or one of: ${SYSTEM_EVENTS.map((name) => `\`${name}\``).join(', ')}.${quotedValue(event_name)}`,
    )
  return {
    event_name,
    ...(timeout != null && { timeout: duration('config.timeout', timeout) }),
    ...(filter_rule != null && { filter_rule: readRuleTree(filter_rule, { path: 'config.filter_rule', roots: ['event'] }) }),
  }
}

const SYSTEM_PREFIX = 'resend:'

function contactUpdate({
  first_name,
  last_name,
  unsubscribed,
  properties,
}: Static<typeof STEP_CONFIGS.contact_update>): ContactUpdateConfig {
  const config = {
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
    ...(unsubscribed != null && { unsubscribed }),
    ...(properties != null && Object.keys(properties).length > 0 && { properties }),
  }
  if (Object.keys(config).length === 0) throw invalid('The `config` field must say what to change.')
  return config
}

/** @throws Failure unless it is a duration within the limits */
function duration(field: string, text: string): string {
  if (stepDurationMs(text) === null)
    throw invalid(
      `The \`${field}\` field must be a duration of 1 second to ${STEP_DAYS_MAX} days, such as \`30 minutes\` or \`3 days\`.${quotedValue(text)}`,
    )
  return text
}

function refuse(field: string, result: object | Problem | null, text: string): void {
  if (result !== null && isProblem(result)) throw invalid(explainProblem(field, result, text))
}
