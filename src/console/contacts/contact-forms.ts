// The forms of a contact. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import { ContactCreate, ContactUpdate } from '../../modules/audience/contacts/contacts.schema.ts'
import type { PropertyRow } from '../../modules/audience/properties/properties.repository.ts'

/** As a browser sends it, by the names of the API's fields. */
export const ContactForm = Type.Record(Type.String(), Type.String())
export type ContactForm = Static<typeof ContactForm>

/** The field of the form that holds a property. A sentence about the property names it so too. */
export const propertyField = (key: string): string => `properties.${key}`

export const formOf = ({ email, firstName, lastName, properties }: ContactRow, known: PropertyRow[]): ContactForm => ({
  ...{ email, first_name: firstName ?? '', last_name: lastName ?? '' },
  ...Object.fromEntries(known.map(({ key, number }) => [propertyField(key), String(properties[number] ?? '')])),
})

/** @throws Failure with the sentence of the API. */
export const contactCreateOf = (form: ContactForm): ContactCreate =>
  readCreate({ email: typed(form, 'email'), first_name: orNull(form, 'first_name'), last_name: orNull(form, 'last_name') })

/**
 * What is empty is cleared. The subscription is not a part of it: a person may have unsubscribed since the form was opened.
 *
 * @throws Failure with the sentence of the API.
 */
export const contactUpdateOf = (form: ContactForm, known: PropertyRow[]): ContactUpdate =>
  readUpdate({
    ...{ email: typed(form, 'email'), first_name: orNull(form, 'first_name'), last_name: orNull(form, 'last_name') },
    properties: Object.fromEntries(
      known.filter(({ key }) => form[propertyField(key)] !== undefined).map((property) => [property.key, valueIn(form, property)]),
    ),
  })

const readCreate = createBodyReader(ContactCreate)
const readUpdate = createBodyReader(ContactUpdate)

const typed = (form: ContactForm, name: string): string => (form[name] ?? '').trim()
const orNull = (form: ContactForm, name: string): string | null => typed(form, name) || null

/** What is no number stays a text, about which the API has a sentence. */
function valueIn(form: ContactForm, { key, type }: PropertyRow): string | number | null {
  const text = orNull(form, propertyField(key))
  if (text === null || type === 'string') return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}
