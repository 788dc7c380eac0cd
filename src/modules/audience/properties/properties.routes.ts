import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { ListQuery } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { PropertyRow } from './properties.repository.ts'
import {
  CONTACT_PROPERTIES,
  ContactProperty,
  ContactPropertyCreate,
  ContactPropertyDeletion,
  ContactPropertyList,
  ContactPropertyParams,
  ContactPropertyReference,
  type ContactPropertySummary,
  ContactPropertyUpdate,
  OCCURRING_VALUES_MAX,
  OccurringValueQuery,
  OccurringValues,
  VALUES_SEARCHED_MAX,
} from './properties.schema.ts'
import { createContactProperty, deleteContactProperty, updateFallback } from './properties.service.ts'

type Context = AudienceContext

export const toContactPropertySummary = (row: PropertyRow): Static<typeof ContactPropertySummary> => ({
  id: row.id,
  key: row.key,
  type: row.type,
  fallback_value: row.fallbackValue,
  created_at: toTimestamp(row.createdAt),
})

export const toContactProperty = (row: PropertyRow): Static<typeof ContactProperty> => ({
  object: 'contact_property',
  ...toContactPropertySummary(row),
})

const operation = declareOperations(CONTACT_PROPERTIES)
const property = plainResource(CONTACT_PROPERTIES, 'contact_property')

export const contactPropertyRoutes: Routes<Context> = async (app, { context }) => {
  const { contactProperties, occurringValues } = context.repositories

  app.post(
    '/contact-properties',
    operation({
      id: 'contact-properties.create',
      summary: 'Create a contact property',
      description: 'Adds a field to all contacts of the team. Its key and type cannot be changed later.',
      access: 'full',
      audit: 'always',
      body: ContactPropertyCreate,
      reply: { 201: ContactPropertyReference },
      example: {
        body: { key: 'company', type: 'string', fallback_value: 'your company' },
        reply: property.examples.reference,
      },
    }),
    async ({ teamId, body }) => property.reference(await createContactProperty(context, teamId, body)),
  )

  app.get(
    '/contact-properties',
    operation({
      id: 'contact-properties.list',
      summary: 'List contact properties',
      description: 'Returns the contact properties of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: ContactPropertyList },
      example: { reply: property.examples.list },
    }),
    property.list(contactProperties.list, toContactPropertySummary, 'always'),
  )

  app.get(
    '/contact-properties/:contact_property_id',
    operation({
      id: 'contact-properties.retrieve',
      summary: 'Retrieve a contact property',
      description: 'Returns a contact property, by its id.',
      access: 'full',
      audit: 'never',
      params: ContactPropertyParams,
      reply: { 200: ContactProperty },
      example: {
        reply: { object: 'contact_property', ...CONTACT_PROPERTIES.example },
      },
    }),
    property.retrieve(contactProperties.find, toContactProperty),
  )

  app.get(
    '/contact-properties/:contact_property_id/values',
    operation({
      id: 'contact-properties.values.list',
      summary: 'List the values of a contact property',
      description: `Returns up to ${OCCURRING_VALUES_MAX} different values that the property has in the ${VALUES_SEARCHED_MAX.toLocaleString('en')} newest contacts of the team, the most frequent first. An extension.`,
      access: 'full',
      audit: 'never',
      scope: 'contacts:read',
      params: ContactPropertyParams,
      query: OccurringValueQuery,
      reply: { 200: OccurringValues },
      example: { reply: { object: 'contact_property_values', data: [{ value: 'Analytical Engines' }] } },
    }),
    async ({ teamId, params, query }) => {
      const { number } = property.found(await contactProperties.find(teamId, params.contact_property_id))
      const values = await occurringValues.list(teamId, { number, beginning: query.search ?? '' })
      return { object: 'contact_property_values' as const, data: values }
    },
  )

  app.patch(
    '/contact-properties/:contact_property_id',
    operation({
      id: 'contact-properties.update',
      summary: 'Update a contact property',
      description: 'Changes the fallback, which is used for contacts without a value. Nothing else can be changed.',
      access: 'full',
      audit: 'always',
      params: ContactPropertyParams,
      body: ContactPropertyUpdate,
      reply: { 200: ContactPropertyReference },
      example: { body: { fallback_value: 'your team' }, reply: property.examples.reference },
    }),
    async ({ teamId, params, body }) =>
      property.reference(await updateFallback(context, teamId, { id: params.contact_property_id, fallback: body.fallback_value })),
  )

  app.delete(
    '/contact-properties/:contact_property_id',
    operation({
      id: 'contact-properties.delete',
      summary: 'Delete a contact property',
      description:
        'Deletes a contact property and its value in every contact. A property that is used by the filter of a segment cannot be deleted.',
      access: 'full',
      audit: 'always',
      params: ContactPropertyParams,
      reply: { 200: ContactPropertyDeletion },
      example: { reply: property.examples.deletion },
    }),
    async ({ teamId, params }) => property.deletion(await deleteContactProperty(context, teamId, params.contact_property_id)),
  )
}
