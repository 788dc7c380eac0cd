import { CONTACTS } from '../schemas/contacts.ts'
import { EVENTS } from '../schemas/events.ts'
import { EVENT_BATCH_MAX, EventBatch, EventBatchSent, EventSend, EventSent, EXAMPLE_CONTACT_EVENT } from '../schemas/sent-events.ts'
import { sendEvents } from '../services/send-events.ts'
import { type Call, operation, routes } from './operation.ts'

export const sentEventRoutes = routes(EVENTS, (context) => {
  async function send({ teamId, body, idempotencyKey: key }: Call<{ body: typeof EventSend }>) {
    return sendEvents(context, {
      teamId,
      events: [body],
      nameOf: () => '',
      idempotency: key === null ? null : { operation: 'events.send', key, body },
      reply: toSent(body),
    })
  }

  async function sendBatch({ teamId, body, idempotencyKey: key }: Call<{ body: typeof EventBatch }>) {
    return sendEvents(context, {
      teamId,
      events: body,
      nameOf: (index) => `[${index}]`,
      idempotency: key === null ? null : { operation: 'events.send-batch', key, body },
      reply: { data: body.map(toSent) },
    })
  }

  const { event, payload } = EXAMPLE_CONTACT_EVENT
  const example = { event, contact_id: CONTACTS.example.id, payload }
  const sent = { object: 'event' as const, event }

  return [
    operation({
      id: 'events.send',
      method: 'POST',
      path: '/events/send',
      summary: 'Send an event',
      description: 'Stores what a contact did, under the name of an event or any other name. The 202 is sent once the event is stored.',
      access: 'full',
      sends: true,
      status: 202,
      isIdempotent: true,
      body: EventSend,
      reply: EventSent,
      example: { body: example, reply: sent },
      handle: send,
    }),
    operation({
      id: 'events.send-batch',
      method: 'POST',
      path: '/events/send/batch',
      summary: `Send up to ${EVENT_BATCH_MAX} events`,
      description: `Stores up to ${EVENT_BATCH_MAX} events in one request, each in the form that \`POST /events/send\` accepts. Either all events are stored or none.`,
      access: 'full',
      sends: true,
      status: 202,
      isIdempotent: true,
      body: EventBatch,
      reply: EventBatchSent,
      example: { body: [example, { event, email: 'grace@example.com' }], reply: { data: [sent, sent] } },
      handle: sendBatch,
    }),
  ]
})

const toSent = ({ event }: EventSend) => ({ object: 'event' as const, event })
