import { type Static, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  ListQuery,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { LANE_CLASSES } from '../emails/new-delivery.ts'
import { EVENTS } from '../events/events.schema.ts'
import { EXPECTED_VERSION_LENGTH_MAX } from '../templates/content-document.ts'
import { TEMPLATES } from '../templates/templates.schema.ts'
import type { Graph } from './graph/graph.ts'
import {
  AutomationConnection,
  AutomationConnectionInput,
  AutomationStep,
  CONNECTIONS_MAX,
  GRAPH_BYTES_MAX,
  STEPS_MAX,
} from './graph/steps.schema.ts'

/** The limit of one team. */
export const AUTOMATIONS_MAX = 500
export const AUTOMATION_LIMIT = teamLimit(AUTOMATIONS_MAX, 'automations')
export const AUTOMATION_NAME_LENGTH_MAX = 100
/** The limit to which runs are counted before one starts. */
export const RUNS_PER_CONTACT_MAX = 1_000

/** Beyond that, stopping only says that it cancelled more. */
export const CANCELLED_COUNTED_MAX = 10_000

export const AUTOMATION_STATUSES = ['enabled', 'disabled'] as const
export const REENTRIES = ['always', 'once', 'not_while_running'] as const

const name = Name({
  lengthMax: AUTOMATION_NAME_LENGTH_MAX,
  description: `Name of the automation: at most ${AUTOMATION_NAME_LENGTH_MAX} characters.`,
  examples: ['Welcome'],
})
const status = Enum([...AUTOMATION_STATUSES], {
  description: 'Only an enabled automation starts runs. Disabling it lets running ones continue; `POST /stop` cancels them.',
})
const emailClass = Enum([...LANE_CLASSES], {
  description: 'Class of its emails. `bulk` emails leave room for transactional ones.',
})
const reentry = Enum([...REENTRIES], {
  description:
    'Whether an event starts another run for a contact who has had one. `once`: never. `not_while_running`: only if the contact has no run that is still running.',
})
const maxRuns = Type.Integer({
  minimum: 1,
  maximum: RUNS_PER_CONTACT_MAX,
  description: 'How many runs a contact can have in all. By default there is no limit.',
  examples: [3],
})
export const TOGETHER = 'Give `steps` and `connections` together.'
const LIMIT = `At most ${GRAPH_BYTES_MAX / 1024} KB as JSON with the connections.`
export const steps = Type.Array(Ref(AutomationStep), {
  minItems: 1,
  maxItems: STEPS_MAX,
  description: `The steps: 1 to ${STEPS_MAX}, exactly one of which is a trigger. ${LIMIT}`,
})
export const connections = Type.Array(Ref(AutomationConnectionInput), {
  maxItems: CONNECTIONS_MAX,
  description: 'Which step follows which. Every step must be reachable from the trigger, without cycles. Branches may join in one step.',
})

export const AutomationCreate = Named(
  'AutomationCreate',
  Type.Object(
    {
      name,
      status: OptionalNullable(status, { description: `${status.description} By default \`disabled\`.` }),
      class: OptionalNullable(emailClass, { description: `${emailClass.description} By default \`transactional\`.` }),
      reentry: OptionalNullable(reentry, { description: `${reentry.description} By default \`always\`.` }),
      max_runs_per_contact: OptionalNullable(maxRuns),
      steps,
      connections,
    },
    { description: 'An automation to create.' },
  ),
)

export const AutomationUpdate = Named(
  'AutomationUpdate',
  Type.Object(
    {
      name: OptionalNotNull(name),
      status: OptionalNotNull(status),
      class: OptionalNotNull(emailClass),
      reentry: OptionalNotNull(reentry),
      max_runs_per_contact: OptionalNullable(maxRuns, { description: `${maxRuns.description} Null removes the limit.` }),
      steps: OptionalNotNull({ ...steps, description: `${steps.description} ${TOGETHER}` }),
      connections: OptionalNotNull({ ...connections, description: `${connections.description} ${TOGETHER}` }),
      expected_version: OptionalNullable(Type.String({ maxLength: EXPECTED_VERSION_LENGTH_MAX }), {
        description:
          'The `version` that was read before this change was made. If someone has changed the steps since, this change is refused with a 409 that says who. By default, the last one to save wins.',
      }),
    },
    { description: 'Fields of an automation to change: at least one. Fields that are left out stay as they are.' },
  ),
)

const summaryFields = {
  id: Id('Id of the automation.'),
  name: Type.String({ description: 'Name of the automation.', examples: ['Welcome'] }),
  status,
  created_at: Timestamp('When the automation was created.'),
  updated_at: Timestamp('When it was last changed.'),
  disabled_reason: Nullable(
    Type.String({
      description:
        'Why it was disabled, if something that it needs was deleted; null otherwise. Changing the status clears it, and stopping.',
    }),
  ),
  held_at: Nullable(
    Timestamp(
      'When a contact last reached the limit of runs within an hour, so that further runs were not started; null if that has not happened since its status was last changed, or it was stopped.',
    ),
  ),
}

export const AutomationSummary = Named('AutomationSummary', Type.Object(summaryFields, { description: 'An automation, as lists show it.' }))

export const Automation = Named(
  'Automation',
  Type.Object(
    {
      object: Kind('automation'),
      ...summaryFields,
      class: emailClass,
      reentry,
      max_runs_per_contact: Nullable(Type.Integer({ description: 'How many runs a contact can have in all; null if there is no limit.' })),
      stopped_at: Nullable(Timestamp('When it was last stopped with its running runs; null if it never was.')),
      held_contact_id: Nullable(Id('Id of that contact; null if there was none.')),
      steps: Type.Array(Ref(AutomationStep), { description: 'The steps of runs that start from now on.' }),
      connections: Type.Array(Ref(AutomationConnection), { description: 'How steps are connected.' }),
      version: Id('Id of these steps and connections, for `expected_version`: a change of them gives another one.'),
    },
    { description: "An automation: a graph of steps. Each contact for whom the trigger's event is sent runs through it." },
  ),
)

export const AUTOMATIONS = Resource({
  tag: SECTIONS.automations,
  noun: 'Automation',
  parameter: 'automation_id',
  item: AutomationSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cc1',
    name: 'Welcome',
    status: 'enabled',
    created_at: EXAMPLE_TIME,
    updated_at: EXAMPLE_TIME,
    disabled_reason: null,
    held_at: null,
  },
})

export const EXAMPLE_GRAPH: Graph = {
  steps: [
    { key: 'start', type: 'trigger', config: { event_name: EVENTS.example.name } },
    { key: 'pause', type: 'delay', config: { duration: '3 days' } },
    { key: 'ask', type: 'send_email', config: { template: { id: TEMPLATES.example.id } } },
  ],
  connections: [
    { from: 'start', to: 'pause', type: 'default' },
    { from: 'pause', to: 'ask', type: 'default' },
  ],
}

export const AutomationListQuery = Type.Object({
  status: Type.Optional(Enum([...AUTOMATION_STATUSES], { description: 'Return only automations with this status.' })),
  ...ListQuery.properties,
})

export const AutomationParams = IdParams(AUTOMATIONS)
export const AutomationList = List('AutomationList', 'automations', AutomationSummary)
export const AutomationReference = Reference('AutomationReference', 'automation')
export const AutomationDeletion = Deletion('AutomationDeletion', 'automation')
export const AutomationStopped = Named(
  'AutomationStopped',
  Type.Object(
    {
      object: Kind('automation'),
      id: Id('Id of the automation.'),
      status,
      cancelled_runs: Type.Integer({
        description: `How many running runs were cancelled; ${(CANCELLED_COUNTED_MAX + 1).toLocaleString('en')} stands for more than ${CANCELLED_COUNTED_MAX.toLocaleString('en')}.`,
        examples: [12],
      }),
    },
    { description: 'The automation that was stopped, with its status.' },
  ),
)

export type AutomationCreate = Static<typeof AutomationCreate>
export type AutomationUpdate = Static<typeof AutomationUpdate>
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]
export type Reentry = (typeof REENTRIES)[number]

/** The automation at the time of the notification. */
export const AUTOMATION_NOTIFICATIONS = {
  'automation.disabled': Type.Object({
    id: Id('Id of the automation.'),
    name: Type.String({ description: 'Name of the automation.' }),
    reason: Type.String({ description: 'Why it was disabled, in a sentence.' }),
  }),
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof AUTOMATION_NOTIFICATIONS> {}
}
