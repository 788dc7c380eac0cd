// The contacts of a segment, under its former name. The contacts belong to the team; the audience only holds them.
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactOfPath, contactReference } from '../mail/audience/contact-addresses.ts'
import { AudienceContactCreate, AudienceContactDeletion, AudienceContactParams } from '../schemas/audience-contacts.ts'
import { AUDIENCES, AudienceParams } from '../schemas/audiences.ts'
import { ListQuery } from '../schemas/common.ts'
import { CONTACTS, Contact, ContactList, ContactReference, ContactUpdate } from '../schemas/contacts.ts'
import { toContact, toContactSummary } from '../serializers/contacts.ts'
import { toList } from '../serializers/list.ts'
import { membershipFailure } from '../services/membership-failure.ts'
import { changeContact, saveContact } from '../services/save-contact.ts'
import { type Call, operation, routes } from './operation.ts'

export const audienceContactRoutes = routes(AUDIENCES, (context) => {
  const { contacts, contactProperties, contactSegments, segments, segmentMembers } = context.repositories

  async function create({ teamId, params, body }: Call<{ params: typeof AudienceParams; body: typeof AudienceContactCreate }>) {
    const segment = await segments.find(teamId, params.audience_id)
    if (!segment) throw notFound(AUDIENCES.noun)
    if (segment.filter) throw membershipFailure('segment with a filter', 'Audience')
    // Takes only the fields of this form of a contact, because other fields were not validated.
    const { email, first_name = null, last_name = null, unsubscribed = null, properties = null } = body
    const { id } = await saveContact(context, teamId, { email, first_name, last_name, unsubscribed, properties, audience_id: segment.id })
    return { object: 'contact' as const, id }
  }

  async function list({ teamId, params, query }: Call<{ params: typeof AudienceParams; query: typeof ListQuery }>) {
    const segment = await segments.find(teamId, params.audience_id)
    if (!segment) throw notFound(AUDIENCES.noun)
    return toList(await segmentMembers.list(teamId, segment, pageRequest(query, 'always')), toContactSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof AudienceContactParams }>) {
    return toContact(await findMember(teamId, params), await contactProperties.all(teamId))
  }

  async function update({ teamId, params, body }: Call<{ params: typeof AudienceContactParams; body: typeof ContactUpdate }>) {
    const { id } = await findMember(teamId, params)
    const changed = await changeContact(context, teamId, { reference: { id }, input: body })
    if (!changed) throw notFound(CONTACTS.noun)
    return { object: 'contact' as const, id }
  }

  async function remove({ teamId, params }: Call<{ params: typeof AudienceContactParams }>) {
    const { audience_id: audienceId, contact_id: contact } = params
    const reference = contactReference(contact)
    const removed = reference ? await contactSegments.remove(teamId, { reference, segmentId: audienceId }) : 'unknown contact'
    if (removed === 'segment with a filter') throw membershipFailure(removed, 'Audience')
    return { object: 'contact' as const, id: typeof removed === 'string' ? contact : removed.contactId, contact, deleted: true }
  }

  async function findMember(teamId: string, params: { audience_id: string; contact_id: string }) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    const segment = await segments.find(teamId, params.audience_id)
    if (!segment) throw notFound(AUDIENCES.noun)
    if (!(await segmentMembers.isMember(teamId, segment, contact.id))) throw notFound(CONTACTS.noun)
    return contact
  }

  return [
    operation({
      id: 'audiences.contacts.create',
      method: 'POST',
      path: '/audiences/:audience_id/contacts',
      summary: 'Create a contact in an audience',
      description:
        'Creates a contact, or merges the given fields into the contact with this address, and adds it to the segment. Use `POST /contacts` with `segments` instead.',
      isDeprecated: true,
      access: 'full',
      status: 201,
      params: AudienceParams,
      body: AudienceContactCreate,
      reply: ContactReference,
      example: {
        body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
        reply: { object: 'contact', id: CONTACTS.example.id },
      },
      handle: create,
    }),
    operation({
      id: 'audiences.contacts.list',
      method: 'GET',
      path: '/audiences/:audience_id/contacts',
      summary: 'List the contacts of an audience',
      description: 'Returns the contacts of a segment, newest first, 20 by default. Use `GET /segments/{segment_id}/contacts` instead.',
      isDeprecated: true,
      access: 'full',
      shows: ['contacts'],
      params: AudienceParams,
      query: ListQuery,
      reply: ContactList,
      example: { reply: { object: 'list', has_more: false, data: [CONTACTS.example] } },
      handle: list,
    }),
    operation({
      id: 'audiences.contacts.retrieve',
      method: 'GET',
      path: '/audiences/:audience_id/contacts/:contact_id',
      summary: 'Retrieve a contact of an audience',
      description: 'Returns a contact of a segment, by its id or email address. Use `GET /contacts/{contact_id}` instead.',
      isDeprecated: true,
      access: 'full',
      shows: ['contacts'],
      params: AudienceContactParams,
      reply: Contact,
      example: { reply: { ...CONTACTS.example, properties: { company: { value: 'Analytical Engines', type: 'string' } } } },
      handle: retrieve,
    }),
    operation({
      id: 'audiences.contacts.update',
      method: 'PATCH',
      path: '/audiences/:audience_id/contacts/:contact_id',
      summary: 'Update a contact of an audience',
      description:
        'Changes the given fields of a contact that is in the segment. The change applies to the contact everywhere. Use `PATCH /contacts/{contact_id}` instead.',
      isDeprecated: true,
      access: 'full',
      params: AudienceContactParams,
      body: ContactUpdate,
      reply: ContactReference,
      example: { body: { unsubscribed: true }, reply: { object: 'contact', id: CONTACTS.example.id } },
      handle: update,
    }),
    operation({
      id: 'audiences.contacts.delete',
      method: 'DELETE',
      path: '/audiences/:audience_id/contacts/:contact_id',
      summary: 'Remove a contact from an audience',
      description:
        'Removes a contact from the segment. The contact itself is kept. A contact that is not in the segment counts as removed. Use `DELETE /contacts/{contact_id}/segments/{segment_id}` instead, or `DELETE /contacts/{contact_id}` to delete the contact itself.',
      isDeprecated: true,
      allowsUnknown: true,
      access: 'full',
      params: AudienceContactParams,
      reply: AudienceContactDeletion,
      example: { reply: { object: 'contact', id: CONTACTS.example.id, contact: 'ada@example.com', deleted: true } },
      handle: remove,
    }),
  ]
})
