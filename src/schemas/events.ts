import { type Static, Type } from '@sinclair/typebox'
import { Deletion, Enum, EXAMPLE_TIME, Given, Id, Kind, List, Name, Named, Nullable, Reference, Timestamp } from './common.ts'
import { Resource } from './resource.ts'

/** The limit of a team. */
export const EVENTS_MAX = 1_000
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
  pattern: `^(?!resend:)(?!${HEX(8)}(-${HEX(4)}){3}-${HEX(12)}$)`,
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
  Type.Object({ name: eventName, schema: Given(schemaInput) }, { description: 'An event to create.' }),
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
  tag: { name: 'Events', description: 'What contacts do elsewhere, such as placing an order, sent under names of your own.' },
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
