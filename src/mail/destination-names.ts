import { RELAY_DESTINATION } from '../lib/engine/new-delivery.ts'
import { mailDomain } from './addresses.ts'

/** The destination of the queue that someone names, as lanes have it: a domain, or `relay`. Null if the text is neither. */
export function destinationNamed(text: string): string | null {
  const typed = text.trim()
  if (typed.toLowerCase() === RELAY_DESTINATION) return RELAY_DESTINATION
  const domain = mailDomain(typed)
  return typeof domain === 'string' ? domain : null
}
