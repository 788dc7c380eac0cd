// The forms of a contact property. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'
import { ContactPropertyCreate, ContactPropertyUpdate } from '../../modules/audience/properties/properties.schema.ts'

const text = Type.Optional(Type.String())

/** As a browser sends it, by the names of the API's fields. */
export const PropertyForm = Type.Object({ key: text, type: text, fallback_value: text })
export type PropertyForm = Static<typeof PropertyForm>

export const NEW_PROPERTY: PropertyForm = { type: 'string' }

export const formOf = ({ fallbackValue }: PropertyRow): PropertyForm => ({ fallback_value: String(fallbackValue ?? '') })

/** @throws Failure with the sentence of the API. */
export const propertyCreateOf = (form: PropertyForm): Static<typeof ContactPropertyCreate> =>
  readCreate({ key: (form.key ?? '').trim(), type: form.type ?? null, fallback_value: fallbackOf(form, form.type) ?? undefined })

/** @throws Failure with the sentence of the API. */
export const propertyUpdateOf = (form: PropertyForm, { type }: Pick<PropertyRow, 'type'>): Static<typeof ContactPropertyUpdate> =>
  readUpdate({ fallback_value: fallbackOf(form, type) })

const readCreate = createBodyReader(ContactPropertyCreate)
const readUpdate = createBodyReader(ContactPropertyUpdate)

/** Nothing typed means none. What is no number stays as it is typed, and is refused. */
function fallbackOf({ fallback_value: typed = '' }: PropertyForm, type: string | undefined): string | number | null {
  const value = typed.trim()
  if (value === '') return null
  const number = Number(value)
  return type === 'number' && Number.isFinite(number) ? number : value
}
