// What an email of a broadcast stores of its contact: the values that the placeholders of its content need, and nothing else.
import {
  type ContactField,
  type ContactPlaceholder,
  type ContactPlaceholders,
  contactPlaceholders,
  FILLED_SUBJECT_LENGTH_MAX,
  type MergeValues,
  type PropertyOfContacts,
  type RenderedContact,
  type SubjectPart,
  UNSAFE_IN_SUBJECT,
} from '../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import type { Renderable } from '../../mail/rendering/rendering.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../audience/contacts/contacts.schema.ts'
import { PROPERTY_VALUE_LENGTH_MAX } from '../audience/properties/properties.schema.ts'

// How long the emails of a broadcast can become: workers count with it, and no contact's values may change that.

/** Characters of all parts of an email together, with the longest values. Newsletters have some hundred thousand. */
export const FILLED_LENGTH_MAX = 4_000_000
/** The most that a character of a value may become: three encoded bytes in a URL, such as `%E2%82%AC`. */
const ESCAPED_LENGTH_MAX = 9
const ADDRESS_LENGTH_MAX = 320
/** Longer than the links that we make. */
const LINK_LENGTH_MAX = 500

const fields = contactPlaceholders([])

/** The sum for all parts, for any recipient, in characters. */
export function filledLengthMax(sources: (string | null)[]): number {
  let length = 0
  for (const source of sources)
    for (const part of readPlaceholders(source ?? ''))
      length +=
        typeof part === 'string'
          ? part.length
          : ESCAPED_LENGTH_MAX * Math.max(part.fallback?.length ?? 0, valueLengthMax(fields(part.name)))
  return length
}

/** What is no field of contacts can only be a property. */
function valueLengthMax(field: ContactPlaceholder | null): number {
  if (field === 'email') return ADDRESS_LENGTH_MAX
  if (field === 'firstName' || field === 'lastName') return CONTACT_NAME_LENGTH_MAX
  if (field === 'unsubscribeUrl' || field === 'viewUrl') return LINK_LENGTH_MAX
  return PROPERTY_VALUE_LENGTH_MAX
}

/** What must be stored for the bodies. The address stands with the email, and the subject is written when the email is made. */
export function storedFields(bodies: Pick<Renderable, 'names'>[], placeholders: ContactPlaceholders): ContactField[] {
  const fields = bodies.flatMap(({ names }) => names).flatMap((name) => findField(placeholders(name)) ?? [])
  return [...new Set(fields)].filter((field) => field !== 'email')
}

export function subjectParts({ parts }: Pick<Renderable, 'parts'>, placeholders: ContactPlaceholders): SubjectPart[] {
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const placeholder = placeholders(part.name)
    const field = findField(placeholder)
    const same = findSame(placeholder)
    if (same !== null) return same
    const fallback = part.fallback ?? String(ownFallback(placeholder) ?? '')
    return field === null ? fallback : { field, fallback }
  })
}

/** What the database writes when it makes the email of the contact. */
export function filledSubject(parts: readonly SubjectPart[], contact: RenderedContact): string {
  const text = parts.map((part) =>
    typeof part === 'string' ? part : (shownValue(part.field, contact) || part.fallback).replace(UNSAFE, ' '),
  )
  // Characters as the database counts them.
  return [...text.join('')].slice(0, FILLED_SUBJECT_LENGTH_MAX).join('')
}

const UNSAFE = new RegExp(UNSAFE_IN_SUBJECT, 'g')

function shownValue(field: ContactField, contact: RenderedContact): string {
  const value = typeof field === 'number' ? contact.properties[field] : contact[field]
  return typeof value === 'number' ? DIGITS.format(value) : (value ?? '')
}

/** Without an exponent, as the database writes numbers. */
const DIGITS = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 21 })

/** The contact as far as it was stored. */
export const toRenderedContact = (email: string, { firstName, lastName, ...properties }: MergeValues): RenderedContact => ({
  email,
  firstName: firstName === undefined ? null : String(firstName),
  lastName: lastName === undefined ? null : String(lastName),
  properties,
})

function findField(placeholder: ContactPlaceholder | null): ContactField | null {
  if (placeholder === null || placeholder === 'unsubscribeUrl' || placeholder === 'viewUrl') return null
  if (typeof placeholder === 'string') return placeholder
  // What is the same for all contacts stands with the broadcast, and not with each of them.
  return placeholder.property.sameForAll === undefined ? placeholder.property.number : null
}

const findSame = (placeholder: ContactPlaceholder | null): string | null =>
  placeholder !== null && typeof placeholder === 'object' ? (placeholder.property.sameForAll ?? null) : null

const ownFallback = (placeholder: ContactPlaceholder | null): string | number | null =>
  placeholder !== null && typeof placeholder === 'object' ? placeholder.property.fallbackValue : null

// Placeholders of a broadcast that stand for nothing. It can still be saved, because a property may be created later, but not sent.

/** The limit of one answer. */
const SENTENCES_MAX = 20

/** A sentence about each name, in the order of the texts: the first ones. */
export function unknownPlaceholders(texts: readonly (string | null)[], properties: readonly PropertyOfContacts[]): string[] {
  const known = contactPlaceholders(properties)
  const names = new Set<string>()
  for (const text of texts)
    for (const part of readPlaceholders(text ?? '')) {
      if (names.size === SENTENCES_MAX) break
      if (typeof part !== 'string' && known(part.name) === null) names.add(part.name)
    }
  return [...names].map(
    (name) =>
      `\`{{{${name}}}}\` is not a field or a property of your contacts: create the property with POST /contact-properties, or correct the name.`,
  )
}
