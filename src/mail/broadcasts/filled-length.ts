// How long the emails of a broadcast can become: workers count with it, and no contact's values may change that.

import { PROPERTY_VALUE_LENGTH_MAX } from '../../schemas/contact-properties.ts'
import { CONTACT_NAME_LENGTH_MAX } from '../../schemas/contacts.ts'
import type { ContactPlaceholder } from '../rendering/contact-placeholders.ts'
import { contactPlaceholders } from '../rendering/contact-placeholders.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'

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
