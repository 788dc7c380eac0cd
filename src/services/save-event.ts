// Creating and changing the events of a team, as a client or a person in the console asks for it.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import type { EventReference } from '../lib/event-references.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { EVENTS, EVENTS_MAX, type EventCreate, type EventSchema, SCHEMA_KEY_LENGTH_MAX } from '../schemas/events.ts'

type Needs = Pick<Context, 'repositories'>

export async function createEvent(
  { repositories }: Needs,
  teamId: string,
  { name, schema = null }: Static<typeof EventCreate>,
): Promise<{ id: string }> {
  checkKeys(schema)
  const created = await repositories.events.create(teamId, { name, schema }, EVENTS_MAX)
  if (created === 'full') throw invalid(`A team can have at most ${EVENTS_MAX.toLocaleString('en')} events. Delete one first.`)
  if (created === 'taken') throw invalid('The `name` field is the name of another event of yours.')
  return created
}

/** @throws Failure `notFound` if the team has no such event. */
export async function updateEvent(
  { repositories }: Needs,
  teamId: string,
  { reference, schema }: { reference: EventReference; schema: EventSchema | null },
): Promise<{ id: string }> {
  checkKeys(schema)
  const updated = await repositories.events.update(teamId, reference, schema)
  if (updated === null) throw notFound(EVENTS.noun)
  return updated
}

/** @throws Failure if the name of a field is empty or too long, which the form of an object cannot say */
function checkKeys(schema: EventSchema | null): void {
  if (Object.keys(schema ?? {}).some((key) => key.length === 0 || key.length > SCHEMA_KEY_LENGTH_MAX))
    throw invalid(`The \`schema\` field must have field names of 1 to ${SCHEMA_KEY_LENGTH_MAX} characters.`)
}
