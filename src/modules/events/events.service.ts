// Creating and changing the events of a team, as a client or a person in the console asks for it.
import type { Static } from '@sinclair/typebox'
import { invalid, notFound } from '../../lib/failure.ts'
import type { EventsContext } from './events.context.ts'
import { EVENTS, type EventCreate, type EventReference, type EventSchema, SCHEMA_KEY_LENGTH_MAX } from './events.schema.ts'

type Context = EventsContext

type Needs = Pick<Context, 'repositories'>

export async function createEvent(
  { repositories }: Needs,
  teamId: string,
  { name, schema = null }: Static<typeof EventCreate>,
): Promise<{ id: string }> {
  checkKeys(schema)
  const created = await repositories.events.create(teamId, { name, schema })
  if (created === 'taken') throw invalid('Another of your events already has this `name`. Choose another one.')
  return created
}

/** @throws Failure `notFound` if the team has no such event. */
export async function updateEvent(
  { repositories }: Needs,
  teamId: string,
  { reference, schema }: { reference: EventReference; schema: EventSchema | null },
): Promise<{ id: string }> {
  checkKeys(schema)
  const updated = await repositories.events.updateEvent(teamId, reference, schema)
  if (updated === null) throw notFound(EVENTS.noun)
  return updated
}

/** @throws Failure if the name of a field is empty or too long, which the form of an object cannot say */
function checkKeys(schema: EventSchema | null): void {
  if (Object.keys(schema ?? {}).some((key) => key.length === 0 || key.length > SCHEMA_KEY_LENGTH_MAX))
    throw invalid(`The \`schema\` field must have field names of 1 to ${SCHEMA_KEY_LENGTH_MAX} characters.`)
}
