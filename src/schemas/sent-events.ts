import { type Static, Type } from '@sinclair/typebox'
import { EXAMPLE_TIME, Given, Id, Kind, List, Named, Ref, Timestamp } from './common.ts'
import { EVENTS, eventName } from './events.ts'

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
      contact_id: Given(Id('Id of the contact who did it. Give either `contact_id` or `email`.')),
      email: Given(
        Type.String({
          maxLength: ADDRESS_TEXT_LENGTH_MAX,
          description: 'Email address of the person who did it, who need not be a contact yet.',
          examples: ['ada@example.com'],
        }),
      ),
      payload: Given(payload, {
        description: `${payload.description} At most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON. If the event has a schema, the payload is checked against it. Whole numbers beyond 2^53 are refused, because JSON readers change them.`,
      }),
    },
    { description: 'An event that was sent for a contact.' },
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
