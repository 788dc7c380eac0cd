// Letter pairs in filters. Tested first, they rule out most contacts without reading their values.
import { type FieldText, letterPairs } from '../../lib/audience/letter-pairs.ts'
import type { Lists } from './filter-lists.ts'

/** Whether a contact has the pairs of one of these, followed by an `and`. Empty if every contact has them. */
export function hasPairsOf(wanted: FieldText[], lists: Lists): string {
  const pairs = wanted.map((one) => letterPairs([one]))
  if (pairs.includes('0')) return ''
  const bits = pairs.map((one) => lists.parameter(one, 'bigint'))
  return `(${bits.map((one) => `(c.letter_pairs & ${one}) = ${one}`).join(' or ')}) and `
}
