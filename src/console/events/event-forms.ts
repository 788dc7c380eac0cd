// The forms of an event. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { jsonPlace } from '../../http/validation/form-body.ts'
import { invalid } from '../../lib/failure.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { EventCreate, type EventSchema, EventUpdate } from '../../modules/events/events.schema.ts'

const text = Type.Optional(Type.String())

/** `schema`: the JSON that the API takes, as a text. */
export const EventForm = Type.Object({ name: text, schema: text })
export type EventForm = Static<typeof EventForm>

export const schemaText = (schema: EventSchema | null): string => (schema === null ? '' : JSON.stringify(schema, null, 2))

/** @throws Failure with the sentence of the API. */
export const eventCreateOf = (form: EventForm): Static<typeof EventCreate> =>
  readCreate({ name: (form.name ?? '').trim(), schema: schemaOf(form) })

/** @throws Failure with the sentence of the API. */
export const eventUpdateOf = (form: EventForm): Static<typeof EventUpdate> => readUpdate({ schema: schemaOf(form) })

const readCreate = createBodyReader(EventCreate)
const readUpdate = createBodyReader(EventUpdate)

/** Nothing typed means that payloads are not checked. */
function schemaOf({ schema = '' }: EventForm): unknown {
  if (schema.trim() === '') return null
  try {
    return JSON.parse(schema)
  } catch {
    throw invalid(`The \`schema\` field is not valid JSON${jsonPlace(schema)}.`)
  }
}
