import { Type } from '@sinclair/typebox'
import { Deletion, Enum, Given, Id, IdParams, Kind, List, Named, Nullable, Reference, Timestamp } from './common.ts'

export const PROPERTY_KEY_LENGTH_MAX = 50
/** Of a value that is text, and of a fallback. */
export const PROPERTY_VALUE_LENGTH_MAX = 1_000
/** Of one team: every request that reads contacts reads them. */
export const PROPERTIES_MAX = 200

export const PROPERTY_TYPES = ['string', 'number'] as const

export const PropertyValue = Type.Union([Type.String({ maxLength: PROPERTY_VALUE_LENGTH_MAX }), Type.Number()])

const fallback = 'Stands in where a contact has no value; of the type of the property.'

export const ContactPropertyCreate = Named(
  'ContactPropertyCreate',
  Type.Object({
    key: Type.String({
      minLength: 1,
      maxLength: PROPERTY_KEY_LENGTH_MAX,
      description: `The name of the field: letters of A to Z, digits and underscores, at most ${PROPERTY_KEY_LENGTH_MAX}. Case matters. Names of what every contact has, such as \`email\` and \`topics\`, are refused in any case.`,
      examples: ['company'],
    }),
    type: Enum([...PROPERTY_TYPES], { description: 'What its values are. It cannot be changed.' }),
    fallback_value: Given(Type.Union(PropertyValue.anyOf, { description: fallback, examples: ['your company'] })),
  }),
)

export const ContactPropertyUpdate = Named(
  'ContactPropertyUpdate',
  Type.Object({
    fallback_value: Nullable(Type.Union(PropertyValue.anyOf, { description: `${fallback} Null takes it away.`, examples: ['your team'] })),
  }),
)

const fields = {
  id: Id('Id of the contact property.'),
  key: Type.String({ description: 'The name of the field.', examples: ['company'] }),
  type: Enum([...PROPERTY_TYPES], { description: 'What its values are.' }),
  fallback_value: Nullable(Type.Union([Type.String(), Type.Number()], { description: 'What stands in where a contact has no value.' })),
  created_at: Timestamp('When the property was created.'),
}

export const ContactPropertySummary = Named('ContactPropertySummary', Type.Object(fields))
export const ContactProperty = Named('ContactProperty', Type.Object({ object: Kind('contact_property'), ...fields }))

export const ContactPropertyParams = IdParams('contact_property_id', 'Id of the contact property.')
export const ContactPropertyList = List('ContactPropertyList', ContactPropertySummary)
export const ContactPropertyReference = Reference('ContactPropertyReference', 'contact_property')
export const ContactPropertyDeletion = Deletion('ContactPropertyDeletion', 'contact_property')
