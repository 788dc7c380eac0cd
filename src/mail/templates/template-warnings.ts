// What is doubtful about the placeholders of a template. It can still be saved: a property may be created later.
import type { PropertyOfContacts } from '../../lib/audience/property-of-contacts.ts'
import { contactPlaceholders, isOfContact } from '../rendering/contact-placeholders.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'

/** The limit of one answer. */
export const WARNINGS_MAX = 20

/** A sentence about each name that nothing can fill in, in the order of the texts: the first `WARNINGS_MAX`. */
export function templateWarnings(texts: readonly (string | null)[], properties: readonly PropertyOfContacts[]): string[] {
  const known = contactPlaceholders(properties)
  const names = new Set<string>()
  for (const text of texts) {
    for (const part of readPlaceholders(text ?? '')) if (typeof part !== 'string') names.add(part.name)
  }
  const warnings: string[] = []
  for (const name of names) {
    if (warnings.length === WARNINGS_MAX) break
    if (isOfContact(name)) {
      if (known(name) === null)
        warnings.push(
          `\`{{{${name}}}}\` names a property that your contacts do not have: create it at POST /contact-properties, or correct the name.`,
        )
    } else if (name.includes('.')) warnings.push(`\`{{{${name}}}}\` cannot be filled in: the key of a variable has no dots.`)
  }
  return warnings
}
