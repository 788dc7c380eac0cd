import { notFound } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { isProblem, type Problem } from '../lib/problem.ts'
import { isBlank } from '../lib/text.ts'
import { labelsToAscii, parseAddressAlone } from './addresses.ts'

/**
 * The only form of a contact's address: in lower case, the domain as an A-label, so that a person is one contact however the address is written.
 * RFC 5321 makes case significant before the `@` (section 2.4), but no common provider does.
 */
export function contactAddress(text: string): string | Problem {
  const parsed = parseAddressAlone(text)
  return isProblem(parsed) ? parsed : contactForm(parsed.address)
}

/** The form of a contact's address, made from an address that was parsed already, such as a recipient's, whose case is kept before the `@`. */
export const contactForm = (address: string): string => address.toLowerCase()

/**
 * A part of an address in the form of contacts, to search in their addresses. Characters beyond ASCII can only belong to a domain, and are taken
 * for whole labels: `@münchen.ex` finds `ada@xn--mnchen-3ya.example`.
 */
export function partOfContactAddress(text: string): string {
  const start = text.lastIndexOf('@') + 1
  return (text.slice(0, start) + labelsToAscii(text.slice(start))).toLowerCase()
}

/**
 * The contact that a path names, for operations that need one.
 * @throws Failure `notFound` if the text is neither an id nor an address.
 */
export function contactOfPath({ contact_id: text }: { contact_id: string }): { id: string } | { email: string } {
  const reference = contactReference(text)
  if (!reference) throw notFound('Contact')
  return reference
}

/** The contact that a path names; null if the text is neither an id nor an address, so that there is no such contact. */
export function contactReference(text: string): { id: string } | { email: string } | null {
  if (isId(text)) return { id: text.toLowerCase() }
  const email = contactAddress(text)
  return typeof email === 'string' ? { email } : null
}

/** One address, several or none, as clients may give them. */
export const asArray = (value: string | string[] | null | undefined): string[] =>
  value == null ? [] : typeof value === 'string' ? [value] : value

/** Programs send an empty text, alone or in an array, for an address that they do not have: it counts as not given. An empty array stays one. */
export function notEmpty(value: string | string[] | null | undefined): string | string[] | null | undefined {
  const isEmpty = typeof value === 'string' ? isBlank(value) : value != null && value.length > 0 && value.every(isBlank)
  return isEmpty ? undefined : value
}
