// Stores what contacts did: all events of a request in one commit, or none.
import type { Context } from '../context.ts'
import { bodyHash } from '../lib/body-hash.ts'
import { Failure, idempotencyConflict, invalid } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import { explainProblem } from '../lib/problem.ts'
import { contactAddress } from '../mail/audience/contact-addresses.ts'
import { checkPayload } from '../mail/automations/event-payloads.ts'
import type { NewSentEvent } from '../repositories/events/sent-events.ts'
import { fieldName } from '../schemas/bodies/field-tree.ts'
import type { EventSchema } from '../schemas/events.ts'
import type { EventSend } from '../schemas/sent-events.ts'

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
      const draft = draftOf(event, { parent: nameOf(index), schema: schemas.get(event.event) ?? null })
      return { id: createId(clock), ...draft }
    })
    if (await gateways.diskSpace.isLow())
      throw new Failure('unavailable', 'The server is almost out of disk space and takes no new events.', { retryAfterSeconds: 60 })
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
  invalid(`The \`${fieldName(event, 'contact_id')}\` field is not the id of a contact of yours.`)

type Draft = Omit<NewSentEvent, 'id'>

/** @throws Failure about the first thing that is wrong with it */
function draftOf(input: EventSend, { parent, schema }: { parent: string; schema: EventSchema | null }): Draft {
  const { event: name, contact_id: contactId = null, email = null, payload: given } = input
  const payload = given ?? {}
  const field = (key: string) => fieldName(parent, key)
  if (contactId === null && email === null) throw invalid(`Missing \`${field('contact_id')}\` or \`${field('email')}\` field.`)
  if (contactId !== null && email !== null) throw invalid(`Give either \`${field('contact_id')}\` or \`${field('email')}\`, not both.`)
  const address = email === null ? null : contactAddress(email)
  if (address !== null && typeof address !== 'string') throw invalid(explainProblem(field('email'), address, email ?? ''))
  const payloadBytes = checkPayload(payload, { field: field('payload'), event: name, schema })
  return { name, contactId: contactId?.toLowerCase() ?? null, email: address, payload, payloadBytes }
}
