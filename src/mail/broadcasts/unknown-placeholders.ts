// Placeholders of a broadcast that stand for nothing. It can still be saved, because a property may be created later, but not sent.
import type { PropertyOfContacts } from '../../lib/audience/property-of-contacts.ts'
import { contactPlaceholders } from '../rendering/contact-placeholders.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'

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
      `\`{{{${name}}}}\` stands for nothing that your contacts have: create the property at POST /contact-properties, or correct the name.`,
  )
}
