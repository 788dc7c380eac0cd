// The steps of an automation and what connects them, as they are on the wire.
import { type TSchema, Type } from '@sinclair/typebox'
import { STEP_DAYS_MAX } from '../lib/automations/durations.ts'
import { CONNECTION_TYPES, STEP_TYPES, type StepType } from '../lib/automations/graph.ts'
import { AutomationRule } from './automation-rules.ts'
import { choiceOf, Enum, Given, Kind, Name, Named, Ref } from './common.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from './contact-properties.ts'
import { CONTACT_NAME_LENGTH_MAX } from './contacts.ts'
import { SUBJECT_LENGTH_MAX } from './emails.ts'
import { EVENT_NAME_LENGTH_MAX, eventName } from './events.ts'
import { ALIAS_LENGTH_MAX, FALLBACK_LENGTH_MAX, VARIABLES_MAX } from './template-variables.ts'

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
  trigger: Type.Object({ event_name: { ...eventName, description: 'Name of the event that starts a run for its contact.' } }),
  send_email: Type.Object({
    template: Type.Object(
      {
        id: Type.String({ minLength: 1, maxLength: ALIAS_LENGTH_MAX, description: 'Id or alias of a published template.' }),
        variables: Given(
          Type.Record(Type.String(), variable, {
            maxProperties: VARIABLES_MAX,
            description: 'Values of its variables: literals, or references such as `{"var": "event.total"}`.',
            examples: [{ TOTAL: { var: 'event.total' } }],
          }),
        ),
      },
      { description: 'The template of the email. Its newest published version is sent when the step acts.' },
    ),
    from: Given(Type.String({ maxLength: ADDRESS_TEXT_LENGTH_MAX, description: 'Sender. By default, the sender of the template.' })),
    subject: Given(Type.String({ maxLength: SUBJECT_LENGTH_MAX, description: 'Subject line. By default, the subject of the template.' })),
    reply_to: Given(
      Type.String({ maxLength: ADDRESS_TEXT_LENGTH_MAX, description: 'Where replies are sent. By default, the address of the template.' }),
    ),
    topic_id: Given(
      Type.String({ format: 'uuid', description: 'Id of a topic. Contacts who are not subscribed to it do not get the email.' }),
    ),
  }),
  delay: Type.Object({ duration }),
  wait_for_event: Type.Object({
    event_name: event(
      `Name of the event to wait for, for the same contact: one of yours, or ${SYSTEM_EVENTS.map((name) => `\`${name}\``).join(', ')}.`,
    ),
    timeout: Given(duration, { description: `How long to wait. ${duration.description}` }),
    filter_rule: Given(Ref(AutomationRule), { description: 'Rule that an event must meet to count. By default, every event counts.' }),
  }),
  condition: Ref(AutomationRule),
  contact_update: Type.Object({
    first_name: Type.Optional(Type.Union([name, Type.Null(), reference], { description: 'First name; null removes it.' })),
    last_name: Type.Optional(Type.Union([name, Type.Null(), reference], { description: 'Last name; null removes it.' })),
    unsubscribed: Given(Type.Union([Type.Boolean(), reference]), {
      description: 'Whether the contact has unsubscribed from all bulk email.',
    }),
    properties: Given(
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

/** mail/automations/ checks the configuration, because a union of all types could not say what is wrong with one. */
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
export const DOCUMENTED_STEP = choiceOf(AutomationStep.description ?? '', STEP_TYPES.map(step), { kind: 'type' })

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
    { ...connectionFields, type: Given(connectionType, { description: `${connectionType.description} By default \`default\`.` }) },
    { description: 'A connection from one step to the next.' },
  ),
)

export const AutomationConnection = Named(
  'AutomationConnection',
  Type.Object({ ...connectionFields, type: connectionType }, { description: 'A connection from one step to the next.' }),
)
