import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { ListQuery } from '../../lib/validation/common.schema.ts'
import type { EventsContext } from './events.context.ts'
import type { EventRow } from './events.repository.ts'
import {
  type ContactEvent,
  EVENT_LIMIT,
  EVENTS,
  Event,
  EventCreate,
  EventDeletion,
  EventList,
  EventParams,
  EventReference,
  type EventSummary,
  EventUpdate,
  eventReference,
} from './events.schema.ts'
import { createEvent, updateEvent } from './events.service.ts'
import type { SentEventRow } from './sent-events.repository.ts'

type Context = EventsContext

export const toEventSummary = ({ id, name, schema, createdAt, updatedAt }: EventRow): Static<typeof EventSummary> => ({
  id,
  name,
  schema,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
})

export const toEvent = (row: EventRow): Static<typeof Event> => ({ object: 'event', ...toEventSummary(row) })

export const toContactEvent = ({ id, name, payload, createdAt }: SentEventRow): Static<typeof ContactEvent> => ({
  id,
  event: name,
  payload,
  created_at: toTimestamp(createdAt),
})

const operation = declareOperations(EVENTS)
const event = plainResource(EVENTS, 'event')

export const eventRoutes: Routes<Context> = async (app, { context }) => {
  const { events } = context.repositories

  app.post(
    '/events',
    operation({
      id: 'events.create',
      summary: 'Create an event',
      description: `Creates an event: a name for something that contacts do. With a schema, payloads are checked against it. ${EVENT_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      body: EventCreate,
      reply: { 201: EventReference },
      example: {
        body: { name: EVENTS.example.name, schema: { order_id: 'string', total: 'number' } },
        reply: event.examples.reference,
      },
    }),
    async ({ teamId, body }) => event.reference(await createEvent(context, teamId, body)),
  )

  app.get(
    '/events',
    operation({
      id: 'events.list',
      summary: 'List events',
      description: 'Returns the events of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: EventList },
      example: { reply: event.examples.list },
    }),
    event.list(events.list, toEventSummary, 'always'),
  )

  app.get(
    '/events/:event_id',
    operation({
      id: 'events.retrieve',
      summary: 'Retrieve an event',
      description: 'Returns an event, by its id or its name. A name in a path is URL-encoded: `/` is `%2F`.',
      access: 'full',
      audit: 'never',
      params: EventParams,
      reply: { 200: Event },
      example: { reply: { object: 'event', ...EVENTS.example } },
    }),
    event.retrieve((teamId, reference) => events.find(teamId, eventReference(reference)), toEvent),
  )

  app.patch(
    '/events/:event_id',
    operation({
      id: 'events.update',
      summary: 'Update an event',
      description: 'Replaces the schema of an event, by its id or its name. It applies to payloads that are sent from now on.',
      access: 'full',
      audit: 'always',
      params: EventParams,
      body: EventUpdate,
      reply: { 200: EventReference },
      example: { body: { schema: { order_id: 'string' } }, reply: event.examples.reference },
    }),
    async ({ teamId, params, body: { schema } }) =>
      event.reference(await updateEvent(context, teamId, { reference: eventReference(params.event_id), schema })),
  )

  app.delete(
    '/events/:event_id',
    operation({
      id: 'events.delete',
      summary: 'Delete an event',
      description: 'Deletes an event, by its id or its name. What was sent under its name is kept.',
      access: 'full',
      audit: 'always',
      params: EventParams,
      reply: { 200: EventDeletion },
      example: { reply: event.examples.deletion },
    }),
    async ({ teamId, params }) => event.deletion(await events.deleteEvent(teamId, eventReference(params.event_id))),
  )
}
