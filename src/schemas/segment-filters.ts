import { type Static, Type } from '@sinclair/typebox'
import { BOOLEAN_OPERATORS, NUMBER_OPERATORS, TEXT_FIELDS, TEXT_OPERATORS, TIME_OPERATORS } from '../lib/segment-rules.ts'
import { Named } from './common.ts'

/** Rules within rules, from the filter itself down to what is asked of a contact. */
export const FILTER_DEPTH_MAX = 20
/** Rules that ask something of a contact: each is asked of every contact of the team. */
export const FILTER_LEAVES_MAX = 1_000
export const FILTER_VALUE_LENGTH_MAX = 1_000

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')

/** Its rules are judged by mail/segment-filters.ts: a schema could not name the place of a mistake in a tree. */
export const SegmentFilter = Named(
  'SegmentFilter',
  Type.Record(Type.String(), Type.Unknown(), {
    description: `Finds contacts by a rule. A rule is an object of one of these kinds, with exactly these fields:

- \`{ all: [rule, ...] }\`: every one of these rules holds.
- \`{ any: [rule, ...] }\`: at least one of them holds.
- \`{ not: rule }\`: it does not hold.
- \`{ field, operator, value }\`: a field of the contact. ${words(TEXT_FIELDS)} are text, \`unsubscribed\` is true or false, \`created_at\` is a time.
- \`{ property, operator, value }\`: a contact property by its key. What stands in for a missing value does not count.
- \`{ topic, subscription }\`: by id; what the contact chose, or else the default of the topic, is \`opt_in\` or \`opt_out\`.
- \`{ segment, member }\`: by id; the contact is in a segment (\`true\`) or not (\`false\`). Only segments without a filter can be named.

Operators of text: ${words(TEXT_OPERATORS)}. Case does not matter, and every character of the value stands for itself.
Operators of numbers: ${words(NUMBER_OPERATORS)}. Of true or false: ${words(BOOLEAN_OPERATORS)}. Of times: ${words(TIME_OPERATORS)}, with an ISO 8601 value, in UTC unless it names another offset.
Where a contact has no value, only \`not_equals\`, \`not_contains\` and \`is_not_set\` hold. \`is_set\` and \`is_not_set\` take no \`value\`.

At most ${FILTER_DEPTH_MAX} rules within one another, ${FILTER_LEAVES_MAX.toLocaleString('en')} rules that ask something of a contact, and ${FILTER_VALUE_LENGTH_MAX.toLocaleString('en')} characters in a value. A filter that takes longer than five seconds is given up with a 422.`,
    examples: [
      {
        all: [
          { property: 'company', operator: 'contains', value: 'engines' },
          { not: { field: 'email', operator: 'ends_with', value: '@example.org' } },
        ],
      },
    ],
  }),
)

export type SegmentFilter = Static<typeof SegmentFilter>
