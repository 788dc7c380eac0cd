import { eventReference } from '../lib/event-references.ts'
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { ListQuery } from '../schemas/common.ts'
import {
  EVENTS,
  EVENTS_MAX,
  Event,
  EventCreate,
  EventDeletion,
  EventList,
  EventParams,
  EventReference,
  EventUpdate,
} from '../schemas/events.ts'
import { toEvent, toEventSummary } from '../serializers/events.ts'
import { toList } from '../serializers/list.ts'
import { createEvent, updateEvent } from '../services/save-event.ts'
import { type Call, operation, routes } from './operation.ts'

export const eventRoutes = routes(EVENTS, (context) => {
  const { events } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof EventCreate }>) {
    const { id } = await createEvent(context, teamId, body)
    return { object: 'event' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await events.list(teamId, pageRequest(query, 'always')), toEventSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof EventParams }>) {
    return toEvent(found(await events.find(teamId, eventReference(params.event_id))))
  }

  async function update({ teamId, params, body: { schema } }: Call<{ params: typeof EventParams; body: typeof EventUpdate }>) {
    const { id } = await updateEvent(context, teamId, { reference: eventReference(params.event_id), schema })
    return { object: 'event' as const, id }
  }

  async function remove({ teamId, params }: Call<{ params: typeof EventParams }>) {
    const { id } = found(await events.remove(teamId, eventReference(params.event_id)))
    return { object: 'event' as const, id, deleted: true }
  }

  return [
    operation({
      id: 'events.create',
      method: 'POST',
      path: '/events',
      summary: 'Create an event',
      description: `Creates an event: a name for something that contacts do. With a schema, payloads are checked against it. A team can have at most ${EVENTS_MAX.toLocaleString('en')} events.`,
      access: 'full',
      status: 201,
      body: EventCreate,
      reply: EventReference,
      example: {
        body: { name: EVENTS.example.name, schema: { order_id: 'string', total: 'number' } },
        reply: { object: 'event', id: EVENTS.example.id },
      },
      handle: create,
    }),
    operation({
      id: 'events.list',
      method: 'GET',
      path: '/events',
      summary: 'List events',
      description: 'Returns the events of the team, newest first, 20 by default.',
      access: 'full',
      query: ListQuery,
      reply: EventList,
      example: { reply: { object: 'list', has_more: false, data: [EVENTS.example] } },
      handle: list,
    }),
    operation({
      id: 'events.retrieve',
      method: 'GET',
      path: '/events/:event_id',
      summary: 'Retrieve an event',
      description: 'Returns an event, by its id or its name. A name in a path is URL-encoded: `/` is `%2F`.',
      access: 'full',
      params: EventParams,
      reply: Event,
      example: { reply: { object: 'event', ...EVENTS.example } },
      handle: retrieve,
    }),
    operation({
      id: 'events.update',
      method: 'PATCH',
      path: '/events/:event_id',
      summary: 'Update an event',
      description: 'Replaces the schema of an event, by its id or its name. It applies to payloads that are sent from now on.',
      access: 'full',
      params: EventParams,
      body: EventUpdate,
      reply: EventReference,
      example: { body: { schema: { order_id: 'string' } }, reply: { object: 'event', id: EVENTS.example.id } },
      handle: update,
    }),
    operation({
      id: 'events.delete',
      method: 'DELETE',
      path: '/events/:event_id',
      summary: 'Delete an event',
      description: 'Deletes an event, by its id or its name. What was sent under its name is kept.',
      access: 'full',
      params: EventParams,
      reply: EventDeletion,
      example: { reply: { object: 'event', id: EVENTS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})

function found<T>(event: T | null): T {
  if (event === null) throw notFound(EVENTS.noun)
  return event
}
