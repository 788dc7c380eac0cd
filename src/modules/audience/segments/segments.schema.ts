import { type Static, type TProperties, Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { teamLimit } from '../../../lib/limits/team-limit.ts'
import {
  Choice,
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Name,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Ref,
  Reference,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS } from '../audience-fields.ts'
import {
  asksOnlyWhetherSet,
  BOOLEAN_OPERATORS,
  NUMBER_OPERATORS,
  TEXT_FIELDS,
  TEXT_OPERATORS,
  TIME_OPERATORS,
} from './filters/segment-rules.ts'

/** Levels of nested rules, including the filter itself. */
export const FILTER_DEPTH_MAX = 20
/** Rules that test something about a contact: each is evaluated for every contact of the team. */
export const FILTER_LEAVES_MAX = 1_000
export const FILTER_VALUE_LENGTH_MAX = 1_000

const words = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ')

/** modules/audience/segments/filters/segment-filters.ts checks the rules, because a schema could not say where in the tree a mistake is. */
export const SegmentFilter = Named(
  'SegmentFilter',
  Type.Record(Type.String(), Type.Unknown(), {
    description: `A rule that selects contacts. \`all\`, \`any\` and \`not\` combine rules; every other rule tests one thing about a contact. A rule has the fields of its kind and no others.

Operators for text: ${words(TEXT_OPERATORS)}. They ignore case, and there are no wildcards.
For \`email\`, they compare addresses in their stored form: in lower case, with the domain in its ASCII form. The value is converted to that form first; characters beyond ASCII in it must make up whole labels of a domain, as in \`@münchen.example\`.
Operators for numbers: ${words(NUMBER_OPERATORS)}. For booleans: ${words(BOOLEAN_OPERATORS)}. For times: ${words(TIME_OPERATORS)}, with a value in ISO 8601, which is in UTC unless it has an offset.
A contact without a value matches only \`not_equals\`, \`not_contains\` and \`is_not_set\`. \`is_set\` and \`is_not_set\` take no \`value\`.

A filter can have at most ${FILTER_DEPTH_MAX} levels of rules, ${FILTER_LEAVES_MAX.toLocaleString('en')} rules that test something, and ${FILTER_VALUE_LENGTH_MAX.toLocaleString('en')} characters in a value. A filter that takes longer than five seconds to evaluate is refused with a 422.`,
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

const rule = (name: string, description: string, fields: TProperties) =>
  Named(`SegmentRule${name}`, Type.Object(fields, { description, additionalProperties: false }))

/** Each of them tests at least one thing. */
const others = (description: string) => Type.Array(Ref(SegmentFilter), { minItems: 1, maxItems: FILTER_LEAVES_MAX, description })
const oneOf = (names: readonly string[], description: string) => Enum([...names], { description })
const text = (description: string) => Type.String({ maxLength: FILTER_VALUE_LENGTH_MAX, description })
const id = (description: string) => Type.String({ format: 'uuid', description })

const operators = [...new Set([...TEXT_OPERATORS, ...NUMBER_OPERATORS])]
const whetherSet = oneOf(operators.filter(asksOnlyWhetherSet), 'Whether there must be a value.')
const HOW = 'How to compare.'
const comparing = (list: readonly string[]) =>
  oneOf(
    list.filter((operator) => !asksOnlyWhetherSet(operator)),
    HOW,
  )
const textField = oneOf(TEXT_FIELDS, 'The field of the contact.')
const noValue = Type.Optional(Type.Null({ description: 'Not needed.' }))
const property = text('Key of the contact property.')

const RULES = [
  rule('All', 'Matches if every rule matches.', { all: others('Rules that must all match.') }),
  rule('Any', 'Matches if at least one rule matches.', { any: others('Rules of which at least one must match.') }),
  rule('Not', 'Matches if the rule does not match.', { not: Ref(SegmentFilter) }),
  rule('Text', 'Compares a text field of the contact.', {
    field: textField,
    operator: comparing(TEXT_OPERATORS),
    value: text('The value to compare with. For `email`: an address or a part of one, which is converted to the stored form of addresses.'),
  }),
  rule('TextIsSet', 'Tests whether the contact has a text field.', { field: textField, operator: whetherSet, value: noValue }),
  rule('Unsubscribed', 'Tests whether the contact unsubscribed from all bulk email.', {
    field: Kind('unsubscribed'),
    operator: oneOf(BOOLEAN_OPERATORS, HOW),
    value: Type.Boolean({ description: '`true`: the contact unsubscribed. `false`: the contact did not.' }),
  }),
  rule('Creation', 'Tests when the contact was created.', {
    field: Kind('created_at'),
    operator: oneOf(TIME_OPERATORS, HOW),
    value: text('A time in ISO 8601, in UTC unless it has an offset.'),
  }),
  rule('Property', 'Compares the value of a contact property. The fallback of the property is not used.', {
    property,
    operator: comparing(operators),
    value: Type.Union([Type.String({ maxLength: FILTER_VALUE_LENGTH_MAX }), Type.Number()], {
      description: 'The value to compare with. It must have the type of the property.',
    }),
  }),
  rule('PropertyIsSet', 'Tests whether the contact has a value for a contact property.', {
    property,
    operator: whetherSet,
    value: noValue,
  }),
  rule('Topic', 'Tests the choice of the contact about a topic, or the default of the topic if the contact made none.', {
    topic: id('Id of the topic.'),
    subscription: oneOf(SUBSCRIPTIONS, 'The choice to look for.'),
  }),
  rule('Segment', 'Tests whether the contact is in a segment. The segment must not have a filter itself.', {
    segment: id('Id of the segment.'),
    member: Type.Boolean({ description: '`true`: the contact is in the segment. `false`: it is not.' }),
  }),
]

/**
 * What the document shows instead of `any object`. Its description states the limits on levels and rules, which a schema cannot express. No field
 * says which rule it is: that follows from the fields that it has.
 */
export const DOCUMENTED_FILTER = { ...Choice(SegmentFilter.description ?? '', RULES), examples: SegmentFilter.examples }

export type SegmentFilter = Static<typeof SegmentFilter>

export const SEGMENT_NAME_LENGTH_MAX = 100
/** The limit of a team. */
export const SEGMENTS_MAX = 1_000
/** The limit of a team. Each filter is evaluated for every contact whose segments are requested. */
export const FILTER_SEGMENTS_MAX = 100
export const SEGMENT_LIMIT = teamLimit(SEGMENTS_MAX, 'segments')
export const FILTER_SEGMENT_LIMIT = teamLimit(FILTER_SEGMENTS_MAX, 'segments with a filter', 'Delete one, or take its filter away, first.')
/** The length of the field that is ignored. */
const IGNORED_LENGTH_MAX = 256

export const SegmentName = Name({
  lengthMax: SEGMENT_NAME_LENGTH_MAX,
  description: `Name: at most ${SEGMENT_NAME_LENGTH_MAX} characters, at least one of them visible. Names need not be unique.`,
  examples: ['Customers'],
})

export const SegmentCreate = Named(
  'SegmentCreate',
  Type.Object(
    {
      name: SegmentName,
      filter: OptionalNullable(Ref(SegmentFilter), {
        description: 'Selects the contacts of the segment. Without a filter, contacts are added one by one.',
      }),
      audience_id: OptionalNullable(
        Type.String({ maxLength: IGNORED_LENGTH_MAX, deprecated: true, description: 'Ignored. It no longer has a meaning.' }),
      ),
    },
    { description: 'A segment to create.' },
  ),
)

export const SegmentUpdate = Named(
  'SegmentUpdate',
  Type.Object(
    {
      name: OptionalNotNull(SegmentName),
      filter: Type.Optional(
        Nullable(Ref(SegmentFilter), {
          description: 'Selects the contacts of the segment. Null removes the filter: the segment is then empty.',
        }),
      ),
    },
    { description: 'Fields of a segment to change. Fields that are left out stay as they are.' },
  ),
)

const fields = {
  id: Id('Id of the segment.'),
  name: Type.String({ description: 'Name of the segment.', examples: ['Customers'] }),
}
const created = Timestamp('When the segment was created.')
export const HasFilter = Type.Boolean({
  description: 'Whether a filter selects its contacts, so that none can be added or removed. An extension.',
  examples: [false],
})
const formerId = Type.String({ format: 'uuid', deprecated: true, description: 'Same as `id`, under its former name.' })

export const SegmentCreated = Named(
  'SegmentCreated',
  Type.Object({ object: Kind('segment'), ...fields }, { description: 'A segment that was created.' }),
)
export const SegmentSummary = Named(
  'SegmentSummary',
  Type.Object(
    { ...fields, audience_id: formerId, created_at: created, has_filter: HasFilter },
    { description: 'A segment, as lists show it.' },
  ),
)
export const Segment = Named(
  'Segment',
  Type.Object(
    {
      object: Kind('segment'),
      ...fields,
      audience_id: formerId,
      filter: Nullable(Ref(SegmentFilter), { description: 'Selects the contacts of the segment; null if contacts are added one by one.' }),
      created_at: created,
    },
    { description: 'A segment, with its filter.' },
  ),
)

export const SEGMENTS = Resource({
  tag: SECTIONS.segments,
  noun: 'Segment',
  parameter: 'segment_id',
  item: SegmentSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c43',
    name: 'Customers',
    audience_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c43',
    created_at: EXAMPLE_TIME,
    has_filter: false,
  },
})

export const SegmentParams = IdParams(SEGMENTS)
export const SegmentList = List('SegmentList', 'segments', SegmentSummary)
export const SegmentReference = Reference('SegmentReference', 'segment')
export const SegmentDeletion = Deletion('SegmentDeletion', 'segment')

export type SegmentCreate = Static<typeof SegmentCreate>
export type SegmentUpdate = Static<typeof SegmentUpdate>
