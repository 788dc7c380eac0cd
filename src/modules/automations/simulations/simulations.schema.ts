import { type Static, Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named, Nullable, OptionalNullable, Timestamp } from '../../../lib/validation/common.schema.ts'
import { PAYLOAD_BYTES_MAX } from '../../events/events.schema.ts'
import { AUTOMATIONS, connections, steps, TOGETHER } from '../automations.schema.ts'

/** The limit of one simulation. */
export const SIMULATED_EVENTS_MAX = 100
/** More than the longest address, so that the error can say what is wrong with it. */
const ADDRESS_TEXT_LENGTH_MAX = 998

const payload = Type.Record(Type.String(), Type.Unknown(), {
  description: `What the event says: at most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON. If the event has a schema, it is checked against it.`,
  examples: [{ total: 49.9 }],
})

const event = Type.Object(
  {
    event: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the event.', examples: ['order.paid'] }),
    after: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'When the event happens, counted from the start of the run: a duration of up to 365 days.',
      examples: ['2 hours'],
    }),
    payload: OptionalNullable(payload),
  },
  { description: 'An event of the contact.' },
)

export const AutomationSimulate = Named(
  'AutomationSimulate',
  Type.Object(
    {
      contact_id: OptionalNullable(Id('Id of the contact. Give either this or `email`.')),
      email: OptionalNullable(
        Type.String({
          maxLength: ADDRESS_TEXT_LENGTH_MAX,
          description: 'Address of the contact. An address without a contact is simulated as a new contact.',
          examples: ['ada@example.com'],
        }),
      ),
      payload: OptionalNullable(payload),
      steps: OptionalNullable(steps, {
        description: `Steps to simulate in place of those of the automation, before they are saved. ${steps.description} ${TOGETHER}`,
      }),
      connections: OptionalNullable(connections, { description: `${connections.description} ${TOGETHER}` }),
      events: OptionalNullable(
        Type.Array(event, { maxItems: SIMULATED_EVENTS_MAX, description: 'What happens after the event that starts it.' }),
      ),
    },
    { description: 'The contact to simulate, and the events that happen meanwhile.' },
  ),
)
export type AutomationSimulate = Static<typeof AutomationSimulate>

const step = Type.Object(
  {
    key: Type.String({ description: 'Key of the step.', examples: ['welcome'] }),
    type: Type.String({ description: 'Type of the step.', examples: ['send_email'] }),
    status: Enum(['running', 'waiting', 'completed', 'failed', 'skipped'], {
      description: 'State of the step at the end. `waiting`: it would still be waiting for its event.',
      examples: ['completed'],
    }),
    started_at: Timestamp('When it would begin.'),
    completed_at: Nullable(Timestamp('When it would end; null if it would still be waiting.')),
    waits_until: Nullable(Timestamp('When its delay ends, or its timeout; null if it has none.')),
    output: Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'Output of the step.', examples: [{ met: true }] })),
    error: Nullable(Type.String({ description: 'Why it would fail.', examples: ['Its template was deleted.'] })),
  },
  { description: 'A step that the contact would go through.' },
)

const email = Type.Object(
  {
    step: Type.String({ description: 'Key of the step that would send it.', examples: ['welcome'] }),
    sent_at: Timestamp('When it would be sent.'),
    to: Type.String({ description: 'Address of the contact.', examples: ['ada@example.com'] }),
    from: Type.String({ description: 'Sender.', examples: ['Acme <hello@example.com>'] }),
    reply_to: Type.Array(Type.String({ examples: ['help@example.com'] }), { description: 'Addresses for replies.' }),
    subject: Type.String({ description: 'Subject, filled in.', examples: ['Welcome'] }),
    html: Nullable(Type.String({ description: 'HTML, filled in.', examples: ['<p>Welcome</p>'] })),
    text: Nullable(Type.String({ description: 'Text, filled in.', examples: ['Welcome'] })),
  },
  { description: 'An email that would be sent.' },
)

export const AutomationSimulation = Named(
  'AutomationSimulation',
  Type.Object(
    {
      object: Kind('automation_simulation'),
      automation_id: Id('Id of the automation.'),
      status: Enum(['running', 'completed', 'failed', 'cancelled'], {
        description: 'State of the run at the end. `running`: it would still be waiting for an event.',
        examples: ['completed'],
      }),
      reason: Nullable(Type.String({ description: 'Why it would fail.', examples: ['Step `welcome`: Its template was deleted.'] })),
      steps: Type.Array(step, { description: 'The steps that the contact would go through, in their order.' }),
      emails: Type.Array(email, { description: 'The emails that would be sent, in their order.' }),
    },
    { description: 'What an automation would do. Nothing is stored or sent.' },
  ),
)
export type AutomationSimulation = Static<typeof AutomationSimulation>

export const SIMULATION_EXAMPLE: AutomationSimulation = {
  object: 'automation_simulation',
  automation_id: AUTOMATIONS.example.id,
  status: 'completed',
  reason: null,
  steps: [
    {
      key: 'start',
      type: 'trigger',
      status: 'completed',
      started_at: AUTOMATIONS.example.created_at,
      completed_at: AUTOMATIONS.example.created_at,
      waits_until: null,
      output: { event: 'user.created', event_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cb1' },
      error: null,
    },
  ],
  emails: [],
}
