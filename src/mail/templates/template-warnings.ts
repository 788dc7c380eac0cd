// What is doubtful about the placeholders of a template. It can still be saved: a property may be created later.
import type { PropertyOfContacts } from '../../lib/audience/property-of-contacts.ts'
import { contactPlaceholders, isOfContact, RESERVED_NAMES } from '../rendering/contact-placeholders.ts'
import { placeholderLookAlikes } from '../rendering/placeholder-look-alikes.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'

/** The limit of one answer. */
export const WARNINGS_MAX = 20

type Declared = { properties: readonly PropertyOfContacts[]; variables: readonly { key: string }[] }

/**
 * A sentence about each name that nothing can fill in, and about each text that only looks like a placeholder, in the order of the texts: the first
 * `WARNINGS_MAX`.
 */
export async function templateWarnings(texts: readonly (string | null)[], { properties, variables }: Declared): Promise<string[]> {
  const known = contactPlaceholders(properties)
  const declared = new Set(variables.map(({ key }) => key))
  const names = new Set<string>()
  for (const text of texts) {
    for (const part of readPlaceholders(text ?? '')) if (typeof part !== 'string') names.add(part.name)
  }
  const warnings: string[] = []
  for (const name of names) {
    if (warnings.length === WARNINGS_MAX) return warnings
    const reserved = name.toUpperCase()
    if (isOfContact(name)) {
      if (known(name) === null)
        warnings.push(
          `\`{{{${name}}}}\` names a property that your contacts do not have: create it at POST /contact-properties, or correct the name.`,
        )
    } else if (name.includes('.')) warnings.push(`\`{{{${name}}}}\` cannot be filled in: the key of a variable has no dots.`)
    else if (RESERVED_NAMES.includes(reserved) && !declared.has(name))
      warnings.push(
        `\`{{{${name}}}}\` is a variable that the template does not declare: for what contacts have, write \`{{{${reserved}}}}\`.`,
      )
  }
  const lookAlikes = await placeholderLookAlikes(texts, 'filled')
  return [...warnings, ...lookAlikes.map(({ message }) => message)].slice(0, WARNINGS_MAX)
}
