// The steps of an automation and what connects them: as they are on the wire, and how the configuration of a step is read.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { invalid } from '../../../lib/failure.ts'
import { isId } from '../../../lib/ids.ts'
import { assertNever, explainProblem, isProblem, type Problem, quoted, quotedValue } from '../../../lib/problem.ts'
import { refuseInexact } from '../../../lib/validation/body-shape.ts'
import { createBodyReader } from '../../../lib/validation/body-validator.ts'
import { Choice, Enum, Kind, Name, Named, OptionalNullable, Ref } from '../../../lib/validation/common.schema.ts'
import { fieldTree, isRecord, unknownFields } from '../../../lib/validation/field-tree.ts'
import { parseMailbox } from '../../../mail/addresses.ts'
import { checkSubject, SUBJECT_LENGTH_MAX } from '../../../mail/headers.ts'
import { isReserved, RESERVED_REASON } from '../../../mail/rendering/contact-placeholders.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../../audience/contacts/contacts.schema.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from '../../audience/properties/properties.schema.ts'
import { EVENT_NAME_LENGTH_MAX, eventName } from '../../events/events.schema.ts'
import { ALIAS_LENGTH_MAX, FALLBACK_LENGTH_MAX, VARIABLES_MAX } from '../../templates/template-variables.schema.ts'
import {
  CONNECTION_TYPES,
  type ContactUpdateConfig,
  type SendEmailConfig,
  STEP_DAYS_MAX,
  STEP_TYPES,
  type Step,
  type StepType,
  stepDurationMs,
  type WaitForEventConfig,
} from './graph.ts'
import { AutomationRule, readRuleTree } from './rules.schema.ts'

export const STEPS_MAX = 150
/** Two for each step, which no step can exceed. */
export const CONNECTIONS_MAX = 2 * STEPS_MAX
export const STEP_KEY_LENGTH_MAX = 100
/** The limit for all steps and connections, as JSON. Each run reads them. */
export const GRAPH_BYTES_MAX = 256 * 1024
/** The limit of one step that updates a contact. */
export const PROPERTIES_PER_STEP_MAX = 100
/** `wait_events.`, the name of an event, and the name of a field. */
const REFERENCE_LENGTH_MAX = 300
/** More than any duration has. The parser says what is wrong with it. */
const DURATION_LENGTH_MAX = 100
/** More than the longest address, so that the error can say what is wrong with it. */
const ADDRESS_TEXT_LENGTH_MAX = 998

/** What happens to emails, and what only steps can wait for. */
export const SYSTEM_EVENTS = ['opened', 'clicked', 'bounced', 'delivered', 'complained', 'failed', 'suppressed'].map(
  (name) => `resend:email.${name}`,
)

const reference = Type.Object(
  {
    var: Type.String({
      minLength: 1,
      maxLength: REFERENCE_LENGTH_MAX,
      description:
        'What it stands for when the step acts: a field of the event that started the run (`event.total`), of the contact (`contact.first_name`, `contact.properties.plan`), or of an event for which the run waited (`wait_events.order.paid.total`).',
      examples: ['event.total'],
    }),
  },
  { title: 'Reference', description: 'A value that is known only when the step acts.' },
)

const name = Type.String({ maxLength: CONTACT_NAME_LENGTH_MAX })
const propertyText = Type.String({ maxLength: PROPERTY_VALUE_LENGTH_MAX })
const templateText = Type.String({ maxLength: FALLBACK_LENGTH_MAX })
const scalar = Type.Union([templateText, Type.Number(), Type.Boolean()])
const scalars = Type.Record(Type.String(), scalar)
const entry = Type.Union([...scalar.anyOf, scalars])
const variable = Type.Union([...scalar.anyOf, scalars, Type.Array(entry)])

const duration = Type.String({
  maxLength: DURATION_LENGTH_MAX,
  description: `A duration of 1 second to ${STEP_DAYS_MAX} days, such as \`30 minutes\`, \`1 hour\`, \`3 days\` or \`1h 30m\`.`,
  examples: ['30 minutes'],
})

const event = (description: string) => Type.String({ minLength: 1, maxLength: EVENT_NAME_LENGTH_MAX, description })

/** The configuration of each type of step. */
export const STEP_CONFIGS = {
  trigger: Type.Object({
    event_name: {
      ...eventName,
      description:
        'Name of the event that starts a run for its contact. `contact.created` also starts one for each contact that is created through the API, except by an import.',
    },
  }),
  send_email: Type.Object({
    template: Type.Object(
      {
        id: Type.String({ minLength: 1, maxLength: ALIAS_LENGTH_MAX, description: 'Id or alias of a published template.' }),
        variables: OptionalNullable(
          Type.Record(Type.String(), variable, {
            maxProperties: VARIABLES_MAX,
            description: 'Values of its variables: literals, or references such as `{"var": "event.total"}`.',
            examples: [{ TOTAL: { var: 'event.total' } }],
          }),
        ),
      },
      { description: 'The template of the email. Its newest published version is sent when the step acts.' },
    ),
    from: OptionalNullable(
      Type.String({ maxLength: ADDRESS_TEXT_LENGTH_MAX, description: 'Sender. By default, the sender of the template.' }),
    ),
    subject: OptionalNullable(
      Type.String({ maxLength: SUBJECT_LENGTH_MAX, description: 'Subject line. By default, the subject of the template.' }),
    ),
    reply_to: OptionalNullable(
      Type.String({ maxLength: ADDRESS_TEXT_LENGTH_MAX, description: 'Where replies are sent. By default, the address of the template.' }),
    ),
    topic_id: OptionalNullable(
      Type.String({ format: 'uuid', description: 'Id of a topic. Contacts who are not subscribed to it do not get the email.' }),
    ),
  }),
  delay: Type.Object({ duration }),
  wait_for_event: Type.Object({
    event_name: event(
      `Name of the event to wait for, for the same contact: one of yours, or ${SYSTEM_EVENTS.map((name) => `\`${name}\``).join(', ')}.`,
    ),
    timeout: OptionalNullable(duration, { description: `How long to wait. ${duration.description}` }),
    filter_rule: OptionalNullable(Ref(AutomationRule), {
      description: 'Rule that an event must meet to count. By default, every event counts.',
    }),
  }),
  condition: Ref(AutomationRule),
  contact_update: Type.Object({
    first_name: Type.Optional(Type.Union([name, Type.Null(), reference], { description: 'First name; null removes it.' })),
    last_name: Type.Optional(Type.Union([name, Type.Null(), reference], { description: 'Last name; null removes it.' })),
    unsubscribed: OptionalNullable(Type.Union([Type.Boolean(), reference]), {
      description: 'Whether the contact has unsubscribed from all bulk email.',
    }),
    properties: OptionalNullable(
      Type.Record(Type.String(), Type.Union([propertyText, Type.Number(), Type.Boolean(), Type.Null(), reference]), {
        maxProperties: PROPERTIES_PER_STEP_MAX,
        description: 'Values of contact properties, by their keys; null removes a value.',
      }),
    ),
  }),
  contact_delete: Type.Object({}),
  add_to_segment: Type.Object({
    segment_id: Type.String({ format: 'uuid', description: 'Id of a segment without a filter, to which the contact is added.' }),
  }),
} satisfies Record<StepType, TSchema>

const key = Name({
  lengthMax: STEP_KEY_LENGTH_MAX,
  description: `Key by which connections name the step: at most ${STEP_KEY_LENGTH_MAX} characters, unique in the automation.`,
  examples: ['welcome'],
})
const type = Enum([...STEP_TYPES], { description: 'What the step does. It decides what `config` holds.', examples: ['send_email'] })
const SETTINGS = 'Settings of the step, by its type.'
const config = Type.Record(Type.String(), Type.Unknown(), { description: SETTINGS })

/** `readStep` checks the configuration, because a union of all types could not say what is wrong with one. */
export const AutomationStep = Named('AutomationStep', Type.Object({ key, type, config }, { description: 'A step of an automation.' }))

const ABOUT: Record<StepType, string> = {
  trigger: 'Begins every run, when the event is sent for a contact.',
  send_email: 'Sends an email to the contact. A contact who unsubscribed or is suppressed does not get it, and the run continues.',
  delay: 'Waits.',
  wait_for_event: 'Waits for an event. The run continues along `event_received`, or along `timeout`.',
  condition: 'Tests a rule. The run continues along `condition_met` or `condition_not_met`.',
  contact_update: 'Changes the contact.',
  contact_delete: 'Deletes the contact.',
  add_to_segment: 'Adds the contact to a segment.',
}

const pascal = (type: StepType): string => type.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())

const step = (each: StepType) => {
  const schema: TSchema = STEP_CONFIGS[each]
  return Named(
    `AutomationStep${pascal(each)}`,
    Type.Object(
      { key, type: Kind(each), config: schema.$id ? Ref(schema) : { description: SETTINGS, ...schema } },
      { description: ABOUT[each] },
    ),
  )
}

/** What the document shows, with the configuration of each type. */
export const DOCUMENTED_STEP = Choice(AutomationStep.description ?? '', STEP_TYPES.map(step), { kind: 'type' })

const end = (description: string) => Type.String({ maxLength: STEP_KEY_LENGTH_MAX, description })

const connectionFields = {
  from: end('Key of the step that the connection leaves.'),
  to: end('Key of the step that the connection leads to.'),
}
const connectionType = Enum([...CONNECTION_TYPES], {
  description:
    'When the connection is followed. A condition has `condition_met` and `condition_not_met`, a wait has `event_received` and `timeout`, every other step has `default`.',
})

export const AutomationConnectionInput = Named(
  'AutomationConnectionInput',
  Type.Object(
    {
      ...connectionFields,
      type: OptionalNullable(connectionType, { description: `${connectionType.description} By default \`default\`.` }),
    },
    { description: 'A connection from one step to the next.' },
  ),
)

export const AutomationConnection = Named(
  'AutomationConnection',
  Type.Object({ ...connectionFields, type: connectionType }, { description: 'A connection from one step to the next.' }),
)

/**
 * Reads the configuration of a step: what a client wrote becomes what is stored, in which only a null that says something is left.
 *
 * @throws Failure about the first thing that is wrong, with its place: `config.duration`
 */
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
      return { key, type, config: { duration: readDuration('config.duration', READERS.delay(config).duration) } }
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
  throw invalid(`The \`config\` field has the unknown field ${quoted(unknown)}: the configuration of a \`${type}\` step ${has}.`)
}

function sendEmail({ template, from, subject, reply_to: given, topic_id }: Static<typeof STEP_CONFIGS.send_email>): SendEmailConfig {
  for (const [key, value] of Object.entries(template.variables ?? {})) {
    const field = `config.template.variables.${key}`
    if (isReserved(key)) throw invalid(`The \`${field}\` field must be left out: ${RESERVED_REASON}.`)
    if (isRecord(value) && 'var' in value && !(typeof value.var === 'string' && Object.keys(value).length === 1))
      throw invalid(`The \`${field}\` field must be a literal value, or a reference that has only \`var\`.`)
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
      `The \`config.event_name\` field must be one of your events, or one of: ${SYSTEM_EVENTS.map((name) => `\`${name}\``).join(', ')}.${quotedValue(event_name)}`,
    )
  return {
    event_name,
    ...(timeout != null && { timeout: readDuration('config.timeout', timeout) }),
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
  if (Object.keys(config).length === 0) throw invalid('The `config` field must have at least one field to change.')
  return config
}

/** @throws Failure unless it is a duration within the limits */
function readDuration(field: string, text: string): string {
  if (stepDurationMs(text) === null)
    throw invalid(
      `The \`${field}\` field must be a duration of 1 second to ${STEP_DAYS_MAX} days, such as \`30 minutes\` or \`3 days\`.${quotedValue(text)}`,
    )
  return text
}

function refuse(field: string, result: object | Problem | null, text: string): void {
  if (result !== null && isProblem(result)) throw invalid(explainProblem(field, result, text))
}
