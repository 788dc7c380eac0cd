// The forms of an API key. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { invalid } from '../../lib/failure.ts'
import { idTime, isId } from '../../lib/ids.ts'
import { ApiKeyCreate, ApiKeyUpdate } from '../../schemas/api-keys.ts'
import { createBodyReader } from '../../schemas/bodies/body-validator.ts'

const text = Type.Optional(Type.String())

/** `id`: that of the key to make, so that a form that is sent twice makes one. `domain`: a name, in place of an id. */
export const KeyForm = Type.Object({ id: text, name: text, permission: text, domain: text })
export type KeyForm = Static<typeof KeyForm>

export const newKeyForm = (id: string): KeyForm => ({ id, permission: 'full_access' })

/** For how long a form that was opened can be sent. */
const FORM_MS_MAX = 24 * 60 * 60 * 1_000
/** Between the clocks of two processes. */
const AHEAD_MS_MAX = 10_000

/**
 * The id that the form has for its key.
 *
 * @throws Failure if it has none of now: keys are listed in the order of their ids, and the newest ones act for who signs in.
 */
export function idOf({ id = '' }: KeyForm, now: Date): string {
  const ageMs = isId(id) ? now.getTime() - idTime(id).getTime() : Number.POSITIVE_INFINITY
  if (ageMs > FORM_MS_MAX || ageMs < -AHEAD_MS_MAX) throw invalid('This form is too old. Please send it again.')
  return id.toLowerCase()
}

/** @throws Failure with the sentence of the API. */
export const keyCreateOf = ({ name = '', permission }: KeyForm, domainId: string | null): Static<typeof ApiKeyCreate> =>
  readCreate({ name: name.trim(), ...(permission !== undefined && { permission }), domain_id: domainId })

/** @throws Failure with the sentence of the API. */
export const keyUpdateOf = ({ name = '' }: KeyForm): Static<typeof ApiKeyUpdate> => readUpdate({ name: name.trim() })

const readCreate = createBodyReader(ApiKeyCreate)
const readUpdate = createBodyReader(ApiKeyUpdate)
