// The forms of an API key. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { ApiKeyCreate, ApiKeyUpdate } from '../../modules/accounts/api-keys.schema.ts'
import { recentId } from '../shell/form-ids.ts'

const text = Type.Optional(Type.String())

/** `id`: that of the key to make, so that a form that is sent twice makes one. `domain`: a name, in place of an id. */
export const KeyForm = Type.Object({ id: text, name: text, permission: text, domain: text })
export type KeyForm = Static<typeof KeyForm>

export const newKeyForm = (id: string): KeyForm => ({ id, permission: 'full_access' })

/**
 * The id that the form has for its key.
 *
 * @throws Failure unless the form was opened recently: keys are listed in the order of their ids, and a sign-in without a key uses the newest one.
 */
export const idOf = ({ id = '' }: KeyForm, now: Date): string => recentId(id, now)

/** @throws Failure with the sentence of the API. */
export const keyCreateOf = ({ name = '', permission }: KeyForm, domainId: string | null): Static<typeof ApiKeyCreate> =>
  readCreate({ name: name.trim(), ...(permission !== undefined && { permission }), domain_id: domainId })

/** @throws Failure with the sentence of the API. */
export const keyUpdateOf = ({ name = '' }: KeyForm): Static<typeof ApiKeyUpdate> => readUpdate({ name: name.trim() })

const readCreate = createBodyReader(ApiKeyCreate)
const readUpdate = createBodyReader(ApiKeyUpdate)
