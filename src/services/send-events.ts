// Stores what contacts did: all events of a request in one commit, or none.
import type { Context } from '../context.ts'
import { bodyHash } from '../lib/body-hash.ts'
import { Failure, idempotencyConflict, invalid } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import { explainProblem, isProblem } from '../lib/problem.ts'
import { contactAddress } from '../mail/audience/contact-addresses.ts'
import { parseIsoTime } from '../mail/times/iso-times.ts'
import type { NewSentEvent } from '../repositories/events/sent-events.ts'
import { fieldName, isRecord } from '../schemas/bodies/field-tree.ts'
import type { EventSchema } from '../schemas/events.ts'
import { type EventSend, PAYLOAD_BYTES_MAX } from '../schemas/sent-events.ts'

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
  const payloadBytes = Buffer.byteLength(JSON.stringify(payload))
  if (payloadBytes > PAYLOAD_BYTES_MAX)
    throw new Failure('bodyTooLarge', `The \`${field('payload')}\` field must have at most ${PAYLOAD_BYTES_MAX / 1024} KB as JSON.`)
  refuseInexact(payload, field('payload'))
  if (schema) checkAgainst(schema, payload, { parent: field('payload'), event: name })
  return { name, contactId: contactId?.toLowerCase() ?? null, email: address, payload, payloadBytes }
}

/** JSON readers round whole numbers beyond 2^53, and those beyond 10^308 are no numbers at all. */
function refuseInexact(value: unknown, name: string): void {
  if (typeof value === 'number' && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value)))
    throw invalid(`The \`${shown(name)}\` field holds a number beyond 2^53, which would be rounded. Send it as a string.`)
  if (Array.isArray(value)) for (const [index, entry] of value.entries()) refuseInexact(entry, fieldName(name, index))
  else if (isRecord(value)) for (const [key, entry] of Object.entries(value)) refuseInexact(entry, fieldName(name, key))
}

function checkAgainst(schema: EventSchema, payload: Record<string, unknown>, { parent, event }: { parent: string; event: string }): void {
  for (const [key, type] of Object.entries(schema)) {
    if (Object.hasOwn(payload, key) && !TYPES[type].holds(payload[key]))
      throw invalid(`The \`${shown(fieldName(parent, key))}\` field must be ${TYPES[type].words}: the schema of \`${event}\` says so.`)
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

/** Clients choose the names of fields, which may be long. */
const shown = (name: string): string => (name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}...` : name)
const NAME_LENGTH_MAX = 200
