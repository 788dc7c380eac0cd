import { isId } from '../lib/ids.ts'
import { isProblem, type Problem, problem } from '../lib/problem.ts'
import { parseMailbox } from './addresses.ts'

/**
 * The one form of a contact's address: in lower case, the domain as an A-label, so that a person is one contact however the address is written.
 * RFC 5321 lets case matter before the `@` (section 2.4); no provider that people use does.
 */
export function contactAddress(text: string): string | Problem {
  const mailbox = parseMailbox(text)
  if (isProblem(mailbox)) return mailbox
  return mailbox.name === null && !text.trim().endsWith('>') ? mailbox.address.toLowerCase() : NO_NAME
}

/** How a path names a contact. Null: neither an id nor an address, so that there is no such contact. */
export function contactReference(text: string): { id: string } | { email: string } | null {
  if (isId(text)) return { id: text.toLowerCase() }
  const email = contactAddress(text)
  return typeof email === 'string' ? { email } : null
}

const NO_NAME = problem('must be an address alone, such as `name@example.com`: names have fields of their own')
