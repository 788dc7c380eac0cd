import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { ListQuery } from '../schemas/common.ts'
import {
  CONTACT_PROPERTIES,
  ContactProperty,
  ContactPropertyCreate,
  ContactPropertyDeletion,
  ContactPropertyList,
  ContactPropertyParams,
  ContactPropertyReference,
  ContactPropertyUpdate,
} from '../schemas/contact-properties.ts'
import { toContactProperty, toContactPropertySummary } from '../serializers/contact-properties.ts'
import { toList } from '../serializers/list.ts'
import { changeFallback, createContactProperty, removeContactProperty } from '../services/save-contact-property.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactPropertyRoutes = routes(CONTACT_PROPERTIES, (context) => {
  const { contactProperties } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof ContactPropertyCreate }>) {
    const { id } = await createContactProperty(context, teamId, body)
    return { object: 'contact_property' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await contactProperties.list(teamId, pageRequest(query, 'always')), toContactPropertySummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof ContactPropertyParams }>) {
    const property = await contactProperties.find(teamId, params.contact_property_id)
    if (!property) throw notFound(CONTACT_PROPERTIES.noun)
    return toContactProperty(property)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof ContactPropertyParams; body: typeof ContactPropertyUpdate }>) {
    const { id } = await changeFallback(context, teamId, { id: params.contact_property_id, fallback: body.fallback_value })
    return { object: 'contact_property' as const, id }
  }

  async function remove({ teamId, params }: Call<{ params: typeof ContactPropertyParams }>) {
    await removeContactProperty(context, teamId, params.contact_property_id)
    return { object: 'contact_property' as const, id: params.contact_property_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'contact-properties.create',
      method: 'POST',
      path: '/contact-properties',
      summary: 'Create a contact property',
      description: 'Adds a field to all contacts of the team. Its key and type cannot be changed later.',
      access: 'full',
      status: 201,
      body: ContactPropertyCreate,
      reply: ContactPropertyReference,
      example: {
        body: { key: 'company', type: 'string', fallback_value: 'your company' },
        reply: { object: 'contact_property', id: CONTACT_PROPERTIES.example.id },
      },
      handle: create,
    }),
    operation({
      id: 'contact-properties.list',
      method: 'GET',
      path: '/contact-properties',
      summary: 'List contact properties',
      description: 'Returns the contact properties of the team, newest first, 20 by default.',
      access: 'full',
      query: ListQuery,
      reply: ContactPropertyList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [CONTACT_PROPERTIES.example],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contact-properties.retrieve',
      method: 'GET',
      path: '/contact-properties/:contact_property_id',
      summary: 'Retrieve a contact property',
      description: 'Returns a contact property, by its id.',
      access: 'full',
      params: ContactPropertyParams,
      reply: ContactProperty,
      example: {
        reply: { object: 'contact_property', ...CONTACT_PROPERTIES.example },
      },
      handle: retrieve,
    }),
    operation({
      id: 'contact-properties.update',
      method: 'PATCH',
      path: '/contact-properties/:contact_property_id',
      summary: 'Update a contact property',
      description: 'Changes the fallback, which is used for contacts without a value. Nothing else can be changed.',
      access: 'full',
      params: ContactPropertyParams,
      body: ContactPropertyUpdate,
      reply: ContactPropertyReference,
      example: { body: { fallback_value: 'your team' }, reply: { object: 'contact_property', id: CONTACT_PROPERTIES.example.id } },
      handle: update,
    }),
    operation({
      id: 'contact-properties.delete',
      method: 'DELETE',
      path: '/contact-properties/:contact_property_id',
      summary: 'Delete a contact property',
      description:
        'Deletes a contact property and its value in every contact. A property that is used by the filter of a segment cannot be deleted.',
      access: 'full',
      params: ContactPropertyParams,
      reply: ContactPropertyDeletion,
      example: { reply: { object: 'contact_property', id: CONTACT_PROPERTIES.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})
