import { type Static, Type } from '@sinclair/typebox'
import {
  asksOnlyWhetherSet,
  BOOLEAN_OPERATORS,
  NUMBER_OPERATORS,
  SUBSCRIPTIONS,
  TEXT_FIELDS,
  TEXT_OPERATORS,
  TIME_OPERATORS,
} from '../lib/segment-rules.ts'
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
    description: `Finds contacts by a rule: \`all\`, \`any\` and \`not\` combine rules, the others ask one thing of a contact. A rule has the fields of its kind and no others.

Operators of text: ${words(TEXT_OPERATORS)}. Case does not matter, and every character of the value stands for itself.
Of \`email\` they compare the form in which addresses are kept: in lower case, the domain in its ASCII form. A value is put into that form first; what is beyond ASCII in it is taken for whole labels of a domain, as in \`@münchen.example\`.
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

const rule = (title: string, description: string, properties: Record<string, object>, optional: string[] = []) => ({
  title,
  description,
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

const another = { $ref: `#/components/schemas/${SegmentFilter.$id}` }
/** Each of them asks at least one thing. */
const others = { type: 'array', items: another, minItems: 1, maxItems: FILTER_LEAVES_MAX }
const oneOf = (names: readonly string[]) => ({ type: 'string', enum: names })
const text = (description: string) => ({ type: 'string', maxLength: FILTER_VALUE_LENGTH_MAX, description })
const id = (description: string) => ({ type: 'string', format: 'uuid', description })

const operators = [...new Set([...TEXT_OPERATORS, ...NUMBER_OPERATORS])]
const whetherSet = oneOf(operators.filter(asksOnlyWhetherSet))
const comparing = (list: readonly string[]) => oneOf(list.filter((operator) => !asksOnlyWhetherSet(operator)))
const noValue = { type: 'null', description: 'Not needed here.' }
const property = text('Key of the property.')

/** What the document says of a filter in the place of any object. Depth and number of rules, which it cannot say, stand in the description. */
export const DOCUMENTED_FILTER = {
  description: SegmentFilter.description,
  examples: SegmentFilter.examples,
  oneOf: [
    rule('All', 'Every one of these rules holds.', { all: others }),
    rule('Any', 'At least one of these rules holds.', { any: others }),
    rule('Not', 'This rule does not hold.', { not: another }),
    rule('Text field', 'Compares a field of the contact that is text.', {
      field: oneOf(TEXT_FIELDS),
      operator: comparing(TEXT_OPERATORS),
      value: text(
        'What it is compared with; for `email` an address or a part of one, which is put into the form in which addresses are kept.',
      ),
    }),
    rule(
      'Text field is set',
      'Asks whether the contact has such a field.',
      { field: oneOf(TEXT_FIELDS), operator: whetherSet, value: noValue },
      ['value'],
    ),
    rule('Unsubscribed', 'Asks whether the contact has unsubscribed from everything that goes to many.', {
      field: { const: 'unsubscribed' },
      operator: oneOf(BOOLEAN_OPERATORS),
      value: { type: 'boolean' },
    }),
    rule('Creation', 'Asks when the contact was created.', {
      field: { const: 'created_at' },
      operator: oneOf(TIME_OPERATORS),
      value: text('A time in ISO 8601, in UTC unless it names another offset.'),
    }),
    rule('Property', 'Compares the value of a contact property. What stands in for a missing value does not count.', {
      property,
      operator: comparing(operators),
      value: { anyOf: [text('Of a property that is a string.'), { type: 'number', description: 'Of a property that is a number.' }] },
    }),
    rule('Property is set', 'Asks whether the contact has a value of a property.', { property, operator: whetherSet, value: noValue }, [
      'value',
    ]),
    rule('Topic', 'Asks what the contact chose of a topic, or else what is the default of the topic.', {
      topic: id('Id of the topic.'),
      subscription: oneOf(SUBSCRIPTIONS),
    }),
    rule('Segment', 'Asks whether the contact is in a segment. Only segments without a filter can be named.', {
      segment: id('Id of the segment.'),
      member: { type: 'boolean', description: '`true`: is in it. `false`: is not.' },
    }),
  ],
}

export type SegmentFilter = Static<typeof SegmentFilter>
