import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../../http/resource.ts'
import { SECTIONS } from '../../../http/sections.ts'
import { teamLimit } from '../../../lib/limits/team-limit.ts'
import {
  Deletion,
  Enum,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  OptionalNullable,
  Reference,
  Timestamp,
} from '../../../lib/validation/common.schema.ts'

export const PROPERTY_KEY_LENGTH_MAX = 50
/** Applies to a text value and to a fallback. */
export const PROPERTY_VALUE_LENGTH_MAX = 1_000
/** The limit of a team. Every request that reads contacts reads all properties. */
export const PROPERTIES_MAX = 200
export const PROPERTY_LIMIT = teamLimit(PROPERTIES_MAX, 'contact properties')

export const PROPERTY_TYPES = ['string', 'number'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** A form offers them. */
export const OCCURRING_VALUES_MAX = 20
/** Their values are in no index: so many contacts are read in some hundredths of a second. */
export const VALUES_SEARCHED_MAX = 10_000

export const PropertyValue = Type.Union([Type.String({ maxLength: PROPERTY_VALUE_LENGTH_MAX }), Type.Number()])

const fallback = 'Value for contacts that have none. It must have the type of the property.'

export const ContactPropertyCreate = Named(
  'ContactPropertyCreate',
  Type.Object(
    {
      key: Type.String({
        minLength: 1,
        maxLength: PROPERTY_KEY_LENGTH_MAX,
        description: `Key of the property: at most ${PROPERTY_KEY_LENGTH_MAX} ASCII letters, digits and underscores. It is case-sensitive. The names of fields that every contact has, such as \`email\` and \`topics\`, are refused in any case.`,
        examples: ['company'],
      }),
      type: Enum([...PROPERTY_TYPES], { description: 'Type of the values. It cannot be changed.' }),
      fallback_value: OptionalNullable(Type.Union(PropertyValue.anyOf, { description: fallback, examples: ['your company'] })),
    },
    { description: 'A contact property to create.' },
  ),
)

export const ContactPropertyUpdate = Named(
  'ContactPropertyUpdate',
  Type.Object(
    {
      fallback_value: Nullable(Type.Union(PropertyValue.anyOf, { description: `${fallback} Null removes it.`, examples: ['your team'] })),
    },
    { description: 'A new fallback for a contact property.' },
  ),
)

const fields = {
  id: Id('Id of the contact property.'),
  key: Type.String({ description: 'Key of the property.', examples: ['company'] }),
  type: Enum([...PROPERTY_TYPES], { description: 'Type of the values.' }),
  fallback_value: Nullable(
    Type.Union([Type.String(), Type.Number()], { description: 'Value for contacts that have none; null if unset.' }),
  ),
  created_at: Timestamp('When the property was created.'),
}

export const ContactPropertySummary = Named(
  'ContactPropertySummary',
  Type.Object(fields, { description: 'A contact property, as lists show it.' }),
)
export const ContactProperty = Named(
  'ContactProperty',
  Type.Object(
    { object: Kind('contact_property'), ...fields },
    { description: 'A contact property: a field that the team added to its contacts.' },
  ),
)

export const CONTACT_PROPERTIES = Resource({
  tag: SECTIONS.contactProperties,
  noun: 'Contact property',
  parameter: 'contact_property_id',
  item: ContactPropertySummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c21',
    key: 'company',
    type: 'string',
    fallback_value: 'your company',
    created_at: EXAMPLE_TIME,
  },
})

export const ContactPropertyParams = IdParams(CONTACT_PROPERTIES)
export const ContactPropertyList = List('ContactPropertyList', 'contact properties', ContactPropertySummary)
export const ContactPropertyReference = Reference('ContactPropertyReference', 'contact_property')
export const ContactPropertyDeletion = Deletion('ContactPropertyDeletion', 'contact_property')

export const OccurringValueQuery = Type.Object({
  search: Type.Optional(
    Type.String({
      maxLength: PROPERTY_VALUE_LENGTH_MAX,
      description: 'Return only values that begin with this text, in upper or lower case.',
      examples: ['an'],
    }),
  ),
})

export const OccurringValues = Named(
  'ContactPropertyValues',
  Type.Object(
    {
      object: Kind('contact_property_values'),
      data: Type.Array(Type.Object({ value: Type.Union([Type.String(), Type.Number()], { description: 'The value.' }) }), {
        description: `The most frequent values first, at most ${OCCURRING_VALUES_MAX}.`,
      }),
    },
    { description: 'Values that a contact property has in contacts of the team.' },
  ),
)
