// The placeholders of messages to contacts: who gets the message, and the links that only they have.
import { isBlank } from '../../lib/text.ts'
import type { PlaceholderValue, ValueOf } from './placeholders.ts'

/**
 * A property that the team gives to its contacts. `number`: under which a contact has its value. `sameForAll`: what stands there for every contact;
 * absent for what is theirs.
 */
export type PropertyOfContacts = {
  number: number
  key: string
  fallbackValue: string | number | null
  sameForAll?: string | null
}

export type RenderedContact = {
  email: string
  firstName: string | null
  lastName: string | null
  /** Keyed by the number of the property. */
  properties: Readonly<Record<string, string | number>>
}

/** Null where the message has no such link. */
export type RecipientLinks = { unsubscribeUrl: string | null; viewUrl: string | null }

/** What a placeholder stands for; null if the team has no such property. */
export type ContactPlaceholders = (name: string) => ContactPlaceholder | null

export type ContactPlaceholder = 'email' | 'firstName' | 'lastName' | 'unsubscribeUrl' | 'viewUrl' | { property: PropertyOfContacts }

const FIELDS = new Map<string, ContactPlaceholder>([
  ['contact.email', 'email'],
  ['contact.first_name', 'firstName'],
  ['contact.last_name', 'lastName'],
  ['EMAIL', 'email'],
  ['FIRST_NAME', 'firstName'],
  ['LAST_NAME', 'lastName'],
  ['UNSUBSCRIBE_URL', 'unsubscribeUrl'],
  ['RESEND_UNSUBSCRIBE_URL', 'unsubscribeUrl'],
  ['SERVICE_UNSUBSCRIBE_URL', 'unsubscribeUrl'],
  ['VIEW_URL', 'viewUrl'],
])

/** They always stand for this, so no variable of a template can have such a name. `contact` and `this` are what other programs call a contact. */
export const RESERVED_NAMES: readonly string[] = [...FIELDS.keys(), 'contact', 'this'].filter((name) => !name.includes('.'))
export const RESERVED_REASON = 'this name is reserved for a field of contacts'

export const isReserved = (key: string): boolean => RESERVED_NAMES.includes(key)

/** The words before the key of a property. */
const PREFIX = /^contact\.(?:properties\.)?/

/** Whether the name can only stand for something of a contact: for a variable it is not free. */
export const isOfContact = (name: string): boolean => FIELDS.has(name) || name.startsWith('contact.')

/** The link that the name stands for, which only some messages have; null if it stands for something else. */
export function linkOfContact(name: string): 'unsubscribeUrl' | 'viewUrl' | null {
  const field = FIELDS.get(name)
  return field === 'unsubscribeUrl' || field === 'viewUrl' ? field : null
}

/**
 * A property is called `contact.company`, `contact.properties.company`, or as older templates have it, `company` or `COMPANY`.
 *
 * @param properties of the team, oldest first: the older of two has the name in upper case
 */
export function contactPlaceholders(properties: readonly PropertyOfContacts[]): ContactPlaceholders {
  const byKey = new Map<string, ContactPlaceholder>(properties.map((property) => [property.key, { property }]))
  const upper = new Map<string, ContactPlaceholder>()
  for (const property of properties) {
    const name = property.key.toUpperCase()
    if (!upper.has(name)) upper.set(name, { property })
  }
  return (name) => {
    const field = FIELDS.get(name)
    if (field) return field
    if (name.startsWith('contact.')) return byKey.get(name.replace(PREFIX, '')) ?? null
    return byKey.get(name) ?? upper.get(name) ?? null
  }
}

/** The properties that the names stand for, so that these keep their meaning whatever becomes of the properties of the team. */
export function propertiesNamed(names: Iterable<string>, properties: readonly PropertyOfContacts[]): PropertyOfContacts[] {
  const placeholders = contactPlaceholders(properties)
  const used = new Set<number>()
  for (const name of names) {
    const placeholder = placeholders(name)
    if (placeholder !== null && typeof placeholder === 'object') used.add(placeholder.property.number)
  }
  return properties.filter(({ number }) => used.has(number)).map(toPropertyOfContacts)
}

/** Without anything else that a row of a property has. */
export const toPropertyOfContacts = ({ number, key, fallbackValue, sameForAll }: PropertyOfContacts): PropertyOfContacts => ({
  ...{ number, key, fallbackValue },
  ...(sameForAll !== undefined && { sameForAll }),
})

/** The values for one contact. A field or a property that it does not have is empty, unless the placeholder or the property has a fallback. */
export function contactValues(placeholders: ContactPlaceholders, contact: RenderedContact, links: RecipientLinks): ValueOf {
  return (name) => {
    const placeholder = placeholders(name)
    if (placeholder === null) return null
    if (typeof placeholder !== 'string') return propertyValue(placeholder.property, contact)
    if (placeholder === 'unsubscribeUrl' || placeholder === 'viewUrl') return escaped(links[placeholder], null)
    return escaped(isBlank(contact[placeholder]) ? null : contact[placeholder], '')
  }
}

function propertyValue({ number, fallbackValue, sameForAll }: PropertyOfContacts, { properties }: RenderedContact): PlaceholderValue {
  if (sameForAll !== undefined) return escaped(sameForAll, '')
  const value = properties[number]
  return escaped(isBlank(value) ? null : String(value), String(fallbackValue ?? ''))
}

const escaped = (text: string | null, fallback: string | null): PlaceholderValue => ({ text, fallback, isRaw: false })

/** Something that a contact has; a number is that of a property. */
export type ContactField = 'email' | 'firstName' | 'lastName' | number

/** The values that are not empty: names as they are called here, properties by their numbers. */
export type MergeValues = Record<string, string | number>

/** Characters of a contact's values that would end the line, show nothing, or change the direction of writing. For PostgreSQL and for us. */
export const UNSAFE_IN_SUBJECT = String.raw`[\u0001-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+`

/** Characters of a subject with the values of a contact: one line (RFC 5322, section 2.1.1). */
export const FILLED_SUBJECT_LENGTH_MAX = 998

/** A part of a subject: text, or a field of the contact with what stands in its place if it is empty. */
export type SubjectPart = string | { field: ContactField; fallback: string }
