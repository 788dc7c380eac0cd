import { invalid, notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { CONTACTS_SEARCHED_MAX } from '../lib/search-bounds.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import {
  CONTACTS,
  Contact,
  ContactCreate,
  ContactDeletion,
  ContactList,
  ContactListQuery,
  ContactParams,
  ContactReference,
  ContactUpdate,
} from '../schemas/contacts.ts'
import { searchedSentence } from '../schemas/list-filters.ts'
import { toContact, toContactSummary } from '../serializers/contacts.ts'
import { toList, toSearchedList } from '../serializers/list.ts'
import { contactSearch } from '../services/list-filters.ts'
import { listMembers } from '../services/list-members.ts'
import { changeContact, saveContact } from '../services/save-contact.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactRoutes = routes(CONTACTS, (context) => {
  const { contacts, contactProperties, contactSearches } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof ContactCreate }>) {
    const { id } = await saveContact(context, teamId, body)
    return { object: 'contact' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof ContactListQuery }>) {
    const request = pageRequest(query, 'always')
    const { segment_id: segmentId } = query
    const sought = contactSearch(query, request)
    if (sought !== null && segmentId !== undefined) throw invalid('Give either `search` or `segment_id`, not both.')
    if (sought !== null) return toSearchedList(await contactSearches.searchPage(teamId, sought), toContactSummary)
    const page = segmentId === undefined ? await contacts.list(teamId, request) : await listMembers(context, teamId, segmentId, request)
    return toList(page, toContactSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof ContactParams }>) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    return toContact(contact, await contactProperties.all(teamId))
  }

  async function update({ teamId, params, body }: Call<{ params: typeof ContactParams; body: typeof ContactUpdate }>) {
    const changed = await changeContact(context, teamId, { reference: contactOfPath(params), input: body })
    if (!changed) throw notFound(CONTACTS.noun)
    return { object: 'contact' as const, id: changed.id }
  }

  async function remove({ teamId, params }: Call<{ params: typeof ContactParams }>) {
    const removed = await contacts.remove(teamId, contactOfPath(params))
    if (!removed) throw notFound(CONTACTS.noun)
    return { object: 'contact' as const, id: removed.id, contact: removed.id, deleted: true }
  }

  return [
    operation({
      id: 'contacts.create',
      method: 'POST',
      path: '/contacts',
      summary: 'Create a contact',
      description:
        'Creates a contact, or merges the given fields into the contact with this address, and returns its id. A contact who unsubscribed stays unsubscribed.',
      access: 'full',
      status: 201,
      body: ContactCreate,
      reply: ContactReference,
      example: {
        body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', properties: { company: 'Analytical Engines' } },
        reply: { object: 'contact', id: CONTACTS.example.id },
      },
      handle: create,
    }),
    operation({
      id: 'contacts.list',
      names: 'Segment',
      method: 'GET',
      path: '/contacts',
      summary: 'List contacts',
      description: `Returns the contacts of the team, or of one segment, newest first, 20 by default. ${searchedSentence(CONTACTS_SEARCHED_MAX)}`,
      access: 'full',
      query: ContactListQuery,
      reply: ContactList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [CONTACTS.example],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contacts.retrieve',
      method: 'GET',
      path: '/contacts/:contact_id',
      summary: 'Retrieve a contact',
      description: 'Returns a contact, by its id or email address.',
      access: 'full',
      params: ContactParams,
      reply: Contact,
      example: {
        reply: {
          ...CONTACTS.example,
          properties: { company: { value: 'Analytical Engines', type: 'string' } },
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'contacts.update',
      method: 'PATCH',
      path: '/contacts/:contact_id',
      summary: 'Update a contact',
      description:
        'Changes the given fields of a contact. Properties are merged; null removes one. `unsubscribed: false` subscribes the contact again. If `email` changes, unsubscribe links in emails that were sent before still apply to the former address.',
      access: 'full',
      params: ContactParams,
      body: ContactUpdate,
      reply: ContactReference,
      example: { body: { unsubscribed: true }, reply: { object: 'contact', id: CONTACTS.example.id } },
      handle: update,
    }),
    operation({
      id: 'contacts.delete',
      method: 'DELETE',
      path: '/contacts/:contact_id',
      summary: 'Delete a contact',
      description:
        'Deletes a contact with its properties, its choices about topics and its segment memberships. Opt-outs of the address are kept under a hash of it, so that they apply if the address is added again.',
      access: 'full',
      params: ContactParams,
      reply: ContactDeletion,
      example: { reply: { object: 'contact', id: CONTACTS.example.id, contact: CONTACTS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})
