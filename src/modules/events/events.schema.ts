import { type Static, Type } from '@sinclair/typebox'
import { Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { Failure, invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import { isProblem } from '../../lib/problem.ts'
import { parseIsoTime } from '../../lib/times/iso-times.ts'
import { refuseInexact, shownName } from '../../lib/validation/body-shape.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNullable,
  oneGiven,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { fieldName } from '../../lib/validation/field-tree.ts'

/** The limit of a team. */
export const EVENTS_MAX = 1_000
export const EVENT_LIMIT = teamLimit(EVENTS_MAX, 'events')
export const EVENT_NAME_LENGTH_MAX = 100
/** The limit of each event. */
export const SCHEMA_FIELDS_MAX = 100
export const SCHEMA_KEY_LENGTH_MAX = 100

export const FIELD_TYPES = ['string', 'number', 'boolean', 'date'] as const

const HEX = (length: number) => `[0-9a-fA-F]{${length}}`

/** A path names an event by its id or its name, so a name is never like an id. */
export const eventName = Name({
  lengthMax: EVENT_NAME_LENGTH_MAX,
  description: `Name of the event: at most ${EVENT_NAME_LENGTH_MAX} characters, such as \`order.shipped\`. It is case-sensitive. It may not begin with \`resend:\`, nor have the form of an id.`,
  examples: ['order.shipped'],
  'x-refused': `^(resend:|${HEX(8)}(-${HEX(4)}){3}-${HEX(12)}$)`,
  'x-rule': 'may not begin with `resend:`, which is reserved, and may not have the form of an id',
})

const schemaSentence =
  'The fields of the payload with their types. A payload may lack some of them and may have others, but a field that it has must be of its type. A date is a string in ISO 8601.'
const type = Enum([...FIELD_TYPES], { description: 'Type of the field.' })
const schema = Type.Record(Type.String(), type, {
  description: schemaSentence,
  examples: [{ order_id: 'string', total: 'number' }],
})
const schemaInput = Type.Record(Type.String(), type, {
  maxProperties: SCHEMA_FIELDS_MAX,
  description: `${schemaSentence} At most ${SCHEMA_FIELDS_MAX} fields, whose names have 1 to ${SCHEMA_KEY_LENGTH_MAX} characters.`,
  examples: schema.examples,
})

export const EventCreate = Named(
  'EventCreate',
  Type.Object({ name: eventName, schema: OptionalNullable(schemaInput) }, { description: 'An event to create.' }),
)

export const EventUpdate = Named(
  'EventUpdate',
  Type.Object(
    { schema: Nullable(schemaInput, { description: `${schemaInput.description} It replaces the one before; null removes it.` }) },
    { description: 'The new schema of an event.' },
  ),
)

const fields = {
  id: Id('Id of the event.'),
  name: Type.String({ description: 'Name of the event.', examples: ['order.shipped'] }),
  schema: Nullable(schema, { description: `${schemaSentence} Null if payloads are not checked.` }),
  created_at: Timestamp('When the event was created.'),
  updated_at: Nullable(Timestamp('When its schema was last changed; null if it never was.')),
}

export const EventSummary = Named('EventSummary', Type.Object(fields, { description: 'An event, as lists show it.' }))
export const Event = Named(
  'Event',
  Type.Object({ object: Kind('event'), ...fields }, { description: 'An event that can be sent for contacts, with its schema.' }),
)

export const EVENTS = Resource({
  tag: SECTIONS.events,
  noun: 'Event',
  parameter: 'event_id',
  item: EventSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cb1',
    name: 'order.shipped',
    schema: { order_id: 'string', total: 'number' },
    created_at: EXAMPLE_TIME,
    updated_at: null,
  },
})

export const EventParams = Type.Object({ event_id: Type.String({ description: 'Id or name of the event.', examples: ['order.shipped'] }) })
export const EventList = List('EventList', 'events', EventSummary)
export const EventReference = Reference('EventReference', 'event')
export const EventDeletion = Deletion('EventDeletion', 'event')

export type EventSchema = Static<typeof schemaInput>

/** The limit of one request. */
export const EVENT_BATCH_MAX = 100
/** The limit of one payload, as JSON in UTF-8. It is kept with each event, and shown in lists of a hundred. */
export const PAYLOAD_BYTES_MAX = 64 * 1024
/** More than the longest address, so that the error can say what is wrong with it. */
const ADDRESS_TEXT_LENGTH_MAX = 998

const payload = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What happened, as fields with values.',
  examples: [{ order_id: 'A-1024', total: 49.9 }],
})

export const EventSend = Named(
  'EventSend',
  Type.Object(
    {
      event: { ...eventName, description: `${eventName.description} No event of that name need exist.` },
      contact_id: OptionalNullable(Id('Id of the contact who did it. Give either `contact_id` or `email`.')),
      email: OptionalNullable(
        Type.String({
          maxLength: ADDRESS_TEXT_LENGTH_MAX,
          description: 'Email address of the person who did it, who need not be a contact yet.',
          examples: ['ada@example.com'],
        }),
      ),
      payload: OptionalNullable(payload, {
        description: `${payload.description} At most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON. If the event has a schema, the payload is checked against it. Whole numbers beyond 2^53 are refused, because JSON readers change them.`,
      }),
    },
    { description: 'An event that was sent for a contact.', ...oneGiven('contact_id', 'email') },
  ),
)

export const EventBatch = Named(
  'EventBatch',
  Type.Array(Ref(EventSend), { minItems: 1, maxItems: EVENT_BATCH_MAX, description: `Events to send: 1 to ${EVENT_BATCH_MAX}.` }),
)

export const EventSent = Named(
  'EventSent',
  Type.Object(
    { object: Kind('event'), event: Type.String({ description: 'Name of the event that was sent.', examples: ['order.shipped'] }) },
    { description: 'Confirms that the event was stored.' },
  ),
)

export const EventBatchSent = Named(
  'EventBatchSent',
  Type.Object(
    { data: Type.Array(Ref(EventSent), { description: 'The events that were sent, in the order of the request.' }) },
    { description: 'Confirms that the events were stored.' },
  ),
)

export const ContactEvent = Named(
  'ContactEvent',
  Type.Object(
    {
      id: Id('Id of the sent event.'),
      event: Type.String({ description: 'Name under which the event was sent.', examples: ['order.shipped'] }),
      payload,
      created_at: Timestamp('When the event was sent.'),
    },
    { description: 'An event that was sent for a contact.' },
  ),
)

export const ContactEventList = List('ContactEventList', 'events that were sent for the contact', ContactEvent)

export const EXAMPLE_CONTACT_EVENT: Static<typeof ContactEvent> = {
  id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4cb2',
  event: EVENTS.example.name,
  payload: { order_id: 'A-1024', total: 49.9 },
  created_at: EXAMPLE_TIME,
}

export type EventSend = Static<typeof EventSend>

// What an event may say: its payload is bounded, its numbers are exact, and it fits the schema of the event.

/**
 * Returns its bytes.
 *
 * @throws Failure about the first thing that is wrong with it
 */
export function checkPayload(
  payload: Record<string, unknown>,
  { field, event, schema }: { field: string; event: string; schema: EventSchema | null },
): number {
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  if (bytes > PAYLOAD_BYTES_MAX)
    throw new Failure('bodyTooLarge', `The \`${field}\` field must have at most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON.`)
  refuseInexact(payload, field)
  if (schema) checkAgainst(schema, payload, { parent: field, event })
  return bytes
}

function checkAgainst(schema: EventSchema, payload: Record<string, unknown>, { parent, event }: { parent: string; event: string }): void {
  for (const [key, type] of Object.entries(schema)) {
    if (Object.hasOwn(payload, key) && !TYPES[type].holds(payload[key]))
      throw invalid(`The \`${shownName(fieldName(parent, key))}\` field must be ${TYPES[type].words}: the schema of \`${event}\` says so.`)
  }
}

const TYPES: Record<EventSchema[string], { words: string; holds(value: unknown): boolean }> = {
  string: { words: 'a string', holds: (value) => typeof value === 'string' },
  number: { words: 'a number', holds: (value) => typeof value === 'number' },
  boolean: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  date: { words: 'a date or a time in ISO 8601 (`YYYY-MM-DD`)', holds: isDate },
}

function isDate(value: unknown): boolean {
  const time = typeof value === 'string' ? parseIsoTime(value) : null
  return time !== null && !isProblem(time)
}

/** How a path names an event. A name never has the form of an id. */
export type EventReference = { id: string } | { name: string }

export const eventReference = (text: string): EventReference => (isId(text) ? { id: text.toLowerCase() } : { name: text })
