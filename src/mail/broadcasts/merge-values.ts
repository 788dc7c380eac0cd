// What an email of a broadcast stores of its contact: the values that the placeholders of its content need, and nothing else.
import {
  type ContactField,
  FILLED_SUBJECT_LENGTH_MAX,
  type MergeValues,
  type SubjectPart,
  UNSAFE_IN_SUBJECT,
} from '../../lib/audience/merge-fields.ts'
import type { ContactPlaceholder, ContactPlaceholders, RenderedContact } from '../rendering/contact-placeholders.ts'
import type { Renderable } from '../rendering/rendering.ts'

/** What must be stored for the bodies. The address stands with the email, and the subject is written when the email is made. */
export function storedFields(bodies: Pick<Renderable, 'names'>[], placeholders: ContactPlaceholders): ContactField[] {
  const fields = bodies.flatMap(({ names }) => names).flatMap((name) => fieldOf(placeholders(name)) ?? [])
  return [...new Set(fields)].filter((field) => field !== 'email')
}

export function subjectParts({ parts }: Pick<Renderable, 'parts'>, placeholders: ContactPlaceholders): SubjectPart[] {
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const placeholder = placeholders(part.name)
    const field = fieldOf(placeholder)
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
export const contactOf = (email: string, { firstName, lastName, ...properties }: MergeValues): RenderedContact => ({
  email,
  firstName: firstName === undefined ? null : String(firstName),
  lastName: lastName === undefined ? null : String(lastName),
  properties,
})

function fieldOf(placeholder: ContactPlaceholder | null): ContactField | null {
  if (placeholder === null || placeholder === 'unsubscribeUrl' || placeholder === 'viewUrl') return null
  return typeof placeholder === 'string' ? placeholder : placeholder.property.number
}

const ownFallback = (placeholder: ContactPlaceholder | null): string | number | null =>
  placeholder !== null && typeof placeholder === 'object' ? placeholder.property.fallbackValue : null
