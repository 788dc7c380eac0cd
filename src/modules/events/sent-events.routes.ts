// Stores what contacts did: all events of a request in one commit, or none.

import { bodyHash } from '../../http/headers.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { Failure, idempotencyConflict, invalid, notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { explainProblem } from '../../lib/problem.ts'
import { ListQuery } from '../../lib/validation/common.schema.ts'
import { fieldName } from '../../lib/validation/field-tree.ts'
import { contactAddress, contactOfPath } from '../../mail/address-forms.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CONTACTS, ContactParams } from '../audience/contacts/contacts.schema.ts'
import type { EventsContext } from './events.context.ts'
import { toContactEvent } from './events.routes.ts'
import {
  ContactEventList,
  checkPayload,
  EVENT_BATCH_MAX,
  EVENTS,
  EventBatch,
  EventBatchSent,
  type EventSchema,
  EventSend,
  EventSent,
  EXAMPLE_CONTACT_EVENT,
} from './events.schema.ts'
import type { NewSentEvent } from './sent-events.repository.ts'

type Context = PlatformContext & AudienceContext & EventsContext

const contactsOperation = declareOperations(CONTACTS)
const eventsOperation = declareOperations(EVENTS)

export const contactEventRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  const { contacts, sentEvents } = repositories

  app.get(
    '/contacts/:contact_id/events',
    contactsOperation({
      id: 'contacts.events.list',
      summary: 'List the events of a contact',
      description:
        'Returns what was sent for a contact with `POST /events/send`, newest first, 20 by default. This includes what was sent for its address before there was a contact. Events are kept as long as request logs.',
      access: 'full',
      audit: 'never',
      shows: ['events'],
      params: ContactParams,
      query: ListQuery,
      reply: { 200: ContactEventList },
      example: { reply: { object: 'list', has_more: false, data: [EXAMPLE_CONTACT_EVENT] } },
    }),
    async ({ teamId, params, query }) => {
      const contact = await contacts.find(teamId, contactOfPath(params))
      if (!contact) throw notFound(CONTACTS.noun)
      return toList(await sentEvents.listOf(teamId, contact, pageRequest(query, 'always')), toContactEvent)
    },
  )
}

type Dependencies = Pick<Context, 'clock' | 'repositories' | 'gateways' | 'wakeWorkers'>

type SendRequest<Reply> = {
  teamId: string
  events: EventSend[]
  /** What the client calls an event of the request; empty for a body that is one event. */
  nameOf(index: number): string
  idempotency: { operation: string; key: string; body: unknown } | null
  reply: Reply
}

/**
 * A repetition of an idempotent request gets the first answer and stores nothing.
 *
 * @throws Failure about the first event that is wrong; `idempotencyConflict` when the key was used with another body.
 */
export async function sendEvents<Reply extends object>(
  { clock, repositories: { events, sentEvents }, gateways, wakeWorkers }: Dependencies,
  { teamId, events: given, nameOf, idempotency: promise, reply }: SendRequest<Reply>,
): Promise<Reply> {
  const idempotency = promise && { operation: promise.operation, key: promise.key, bodyHash: bodyHash(promise.body) }
  const acceptedAt = clock.now()
  try {
    const schemas = await events.schemasOf(teamId, [...new Set(given.map(({ event }) => event))])
    const drafts = given.map((event, index) => {
      const draft = toDraft(event, { parent: nameOf(index), schema: schemas.get(event.event) ?? null })
      return { id: createId(clock), ...draft }
    })
    if (await gateways.diskSpace.isLow())
      throw new Failure('unavailable', 'The server is almost out of disk space and accepts no new events. Please try again later.', {
        retryAfterSeconds: 60,
      })
    const result = await sentEvents.send({ teamId, acceptedAt, idempotency, response: reply, events: drafts })
    if (result.kind === 'accepted') {
      wakeWorkers('automations')
      return reply
    }
    if (result.kind === 'repeated') return result.response as Reply
    throw result.kind === 'conflict' ? idempotencyConflict() : unknownContact(nameOf(result.index))
  } catch (error) {
    // A repetition may be refused although the first request was accepted: the schema may have changed.
    const answer = error instanceof Failure && idempotency ? await sentEvents.findEarlierAnswer(teamId, idempotency, acceptedAt) : null
    if (answer === null) throw error
    return answer as Reply
  }
}

const unknownContact = (event: string): Failure =>
  invalid(`The \`${fieldName(event, 'contact_id')}\` field is not the id of one of your contacts.`)

type Draft = Omit<NewSentEvent, 'id'>

/** @throws Failure about the first thing that is wrong with it */
function toDraft(input: EventSend, { parent, schema }: { parent: string; schema: EventSchema | null }): Draft {
  const { event: name, contact_id: contactId = null, email = null, payload: given } = input
  const payload = given ?? {}
  const field = (key: string) => fieldName(parent, key)
  const address = email === null ? null : contactAddress(email)
  if (address !== null && typeof address !== 'string') throw invalid(explainProblem(field('email'), address, email ?? ''))
  const payloadBytes = checkPayload(payload, { field: field('payload'), event: name, schema })
  return { name, contactId: contactId?.toLowerCase() ?? null, email: address, payload, payloadBytes }
}

export const sentEventRoutes: Routes<Context> = async (app, { context }) => {
  const { event, payload } = EXAMPLE_CONTACT_EVENT

  const example = { event, contact_id: CONTACTS.example.id, payload }

  const sent = { object: 'event' as const, event }

  app.post(
    '/events/send',
    eventsOperation({
      id: 'events.send',
      summary: 'Send an event',
      description: 'Stores what a contact did, under the name of an event or any other name. The 202 is sent once the event is stored.',
      access: 'full',
      audit: 'people',
      sends: true,
      isIdempotent: true,
      body: EventSend,
      reply: { 202: EventSent },
      example: { body: example, reply: sent },
    }),
    async ({ teamId, body, idempotencyKey: key }) => {
      return sendEvents(context, {
        teamId,
        events: [body],
        nameOf: () => '',
        idempotency: key === null ? null : { operation: 'events.send', key, body },
        reply: toSent(body),
      })
    },
  )

  app.post(
    '/events/send/batch',
    eventsOperation({
      id: 'events.send-batch',
      summary: `Send up to ${EVENT_BATCH_MAX} events`,
      description: `Stores up to ${EVENT_BATCH_MAX} events in one request, each in the form that \`POST /events/send\` accepts. Either all events are stored or none.`,
      access: 'full',
      audit: 'people',
      sends: true,
      isIdempotent: true,
      body: EventBatch,
      reply: { 202: EventBatchSent },
      example: { body: [example, { event, email: 'grace@example.com' }], reply: { data: [sent, sent] } },
    }),
    async ({ teamId, body, idempotencyKey: key }) => {
      return sendEvents(context, {
        teamId,
        events: body,
        nameOf: (index) => `[${index}]`,
        idempotency: key === null ? null : { operation: 'events.send-batch', key, body },
        reply: { data: body.map(toSent) },
      })
    },
  )
}

const toSent = ({ event }: EventSend) => ({ object: 'event' as const, event })
