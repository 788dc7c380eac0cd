import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { isProblem, type Problem } from '../../lib/problem.ts'
import { labelsToAscii, parseAddressAlone } from '../addresses.ts'

/**
 * The one form of a contact's address: in lower case, the domain as an A-label, so that a person is one contact however the address is written.
 * RFC 5321 lets case matter before the `@` (section 2.4); no provider that people use does.
 */
export function contactAddress(text: string): string | Problem {
  const parsed = parseAddressAlone(text)
  return isProblem(parsed) ? parsed : contactForm(parsed.address)
}

/** The same of an address that was read already, such as a recipient's, whose case is kept before the `@`. */
export const contactForm = (address: string): string => address.toLowerCase()

/**
 * A part of an address in the form of contacts, to be looked for in theirs. What is beyond ASCII can only belong to a domain, and is taken for whole
 * labels: `@münchen.ex` finds `ada@xn--mnchen-3ya.example`.
 */
export function partOfContactAddress(text: string): string {
  const start = text.lastIndexOf('@') + 1
  return (text.slice(0, start) + labelsToAscii(text.slice(start))).toLowerCase()
}

/** How a path names a contact, for what cannot be done without one. @throws Failure `notFound` for what is neither an id nor an address. */
export function contactOfPath({ contact_id: text }: { contact_id: string }): { id: string } | { email: string } {
  const reference = contactReference(text)
  if (!reference) throw notFound('Contact')
  return reference
}

/** How a path names a contact. Null: neither an id nor an address, so that there is no such contact. */
export function contactReference(text: string): { id: string } | { email: string } | null {
  if (isId(text)) return { id: text.toLowerCase() }
  const email = contactAddress(text)
  return typeof email === 'string' ? { email } : null
}
