import type { Static } from '@sinclair/typebox'
import { CONTACTS_SEARCHED_MAX } from '../../../db/bounded-queries.ts'
import { searchedSentence } from '../../../http/list-filters.ts'
import { type Caller, declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList, toSearchedList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { invalid, notFound } from '../../../lib/failure.ts'
import { type PageRequest, pageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { contactOfPath, partOfContactAddress } from '../../../mail/address-forms.ts'
import { CHANGE_CONTACTS, mayRead, requireScope } from '../../accounts/scopes.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { PropertyRow } from '../properties/properties.repository.ts'
import type { ContactRow, ContactSearch } from './contact-rows.repository.ts'
import {
  CONTACTS,
  Contact,
  ContactCreate,
  ContactDeletion,
  ContactList,
  ContactListQuery,
  ContactParams,
  ContactReference,
  type ContactSummary,
  ContactUpdate,
} from './contacts.schema.ts'
import { saveContact, updateContact } from './contacts.service.ts'

type Context = PlatformContext & SuppressionsContext & AudienceContext

const toContactSummary = (row: ContactRow): Static<typeof ContactSummary> => ({
  object: 'contact',
  id: row.id,
  email: row.email,
  first_name: row.firstName,
  last_name: row.lastName,
  created_at: toTimestamp(row.createdAt),
  unsubscribed: row.unsubscribed,
})

/** How a page of contacts is shown: with whether each address is suppressed, for a caller who may read that. One query finds all of a page. */
export async function contactsOfPage(
  { suppressions }: SuppressionsContext['repositories'],
  teamId: string,
  { caller, rows }: { caller: Caller; rows: readonly ContactRow[] },
): Promise<(row: ContactRow) => Static<typeof ContactSummary>> {
  if (!mayRead(caller, 'suppressions')) return toContactSummary
  const emails = rows.map(({ email }) => email)
  const suppressed = await suppressions.among(teamId, emails)
  return (row) => ({ ...toContactSummary(row), suppressed: suppressed.has(row.email) })
}

/** @param properties those of the team; values of other properties are not shown */
export const toContact = (row: ContactRow, properties: PropertyRow[]): Static<typeof Contact> => ({
  ...toContactSummary(row),
  properties: Object.fromEntries(
    properties.flatMap(({ number, key, type }) => {
      const value = row.properties[number]
      return value === undefined ? [] : [[key, { value, type }]]
    }),
  ),
})

// The contacts of a segment, for the several paths that list them.

/** @throws Failure if the team has no such segment, or its filter takes too long. */
export async function listMembers(
  { repositories }: Pick<PlatformContext & AudienceContext, 'repositories'>,
  teamId: string,
  segmentId: string,
  request: PageRequest,
): Promise<Page<ContactRow>> {
  const segment = await repositories.segments.find(teamId, segmentId)
  if (!segment) throw notFound('Segment')
  return repositories.segmentMembers.list(teamId, segment, request)
}

const operation = declareOperations(CONTACTS)

export const contactRoutes: Routes<Context> = async (app, { context }) => {
  const { contacts, contactProperties, contactSearches } = context.repositories

  app.post(
    '/contacts',
    operation({
      id: 'contacts.create',
      summary: 'Create a contact',
      description:
        'Creates a contact, or merges the given fields into the contact with this address, and returns its id. A contact who unsubscribed stays unsubscribed.',
      access: 'full',
      audit: 'people',
      body: ContactCreate,
      reply: { 201: ContactReference },
      example: {
        body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', properties: { company: 'Analytical Engines' } },
        reply: { object: 'contact', id: CONTACTS.example.id },
      },
    }),
    async ({ teamId, body }) => {
      const { id } = await saveContact(context, teamId, body)
      return { object: 'contact' as const, id }
    },
  )

  app.get(
    '/contacts',
    operation({
      id: 'contacts.list',
      names: 'Segment',
      summary: 'List contacts',
      description: `Returns the contacts of the team, or of one segment, newest first, 20 by default. ${searchedSentence(CONTACTS_SEARCHED_MAX)}`,
      access: 'full',
      audit: 'never',
      query: ContactListQuery,
      reply: { 200: ContactList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ ...CONTACTS.example, suppressed: false }],
        },
      },
    }),
    async ({ caller, teamId, query }) => {
      const request = pageRequest(query, 'always')
      const { segment_id: segmentId } = query
      const search = contactSearch(query, request)
      if (search !== null && segmentId !== undefined) throw invalid('Give either `search` or `segment_id`, not both.')
      const shown = (rows: readonly ContactRow[]) => contactsOfPage(context.repositories, teamId, { caller, rows })
      if (search !== null) {
        const found = await contactSearches.searchPage(teamId, search)
        return toSearchedList(found, await shown(found.rows))
      }
      const page = segmentId === undefined ? await contacts.list(teamId, request) : await listMembers(context, teamId, segmentId, request)
      return toList(page, await shown(page.rows))
    },
  )

  app.get(
    '/contacts/:contact_id',
    operation({
      id: 'contacts.retrieve',
      summary: 'Retrieve a contact',
      description: 'Returns a contact, by its id or email address.',
      access: 'full',
      audit: 'never',
      params: ContactParams,
      reply: { 200: Contact },
      example: {
        reply: {
          ...CONTACTS.example,
          properties: { company: { value: 'Analytical Engines', type: 'string' } },
        },
      },
    }),
    async ({ teamId, params }) => {
      const contact = await contacts.find(teamId, contactOfPath(params))
      if (!contact) throw notFound(CONTACTS.noun)
      return toContact(contact, await contactProperties.all(teamId))
    },
  )

  app.patch(
    '/contacts/:contact_id',
    operation({
      id: 'contacts.update',
      summary: 'Update a contact',
      description:
        'Changes the given fields of a contact. Properties are merged; null removes one. `unsubscribed: false` subscribes the contact again. If `email` changes, unsubscribe links in emails that were sent before still apply to the former address. With the scope `contacts:subscriptions` alone, an access token can only set `unsubscribed: true`.',
      access: 'full',
      audit: 'people',
      scope: 'contacts:subscriptions',
      params: ContactParams,
      body: ContactUpdate,
      reply: { 200: ContactReference },
      example: { body: { unsubscribed: true }, reply: { object: 'contact', id: CONTACTS.example.id } },
    }),
    async ({ teamId, caller, params, body }) => {
      if (!unsubscribesOnly(body)) requireScope(caller, CHANGE_CONTACTS)
      const changed = await updateContact(context, teamId, { reference: contactOfPath(params), input: body })
      if (!changed) throw notFound(CONTACTS.noun)
      return { object: 'contact' as const, id: changed.id }
    },
  )

  app.delete(
    '/contacts/:contact_id',
    operation({
      id: 'contacts.delete',
      summary: 'Delete a contact',
      description:
        'Deletes a contact with its properties, its choices about topics and its segment memberships. Opt-outs of the address are kept under a hash of it, so that they apply if the address is added again.',
      access: 'full',
      audit: 'people',
      params: ContactParams,
      reply: { 200: ContactDeletion },
      example: { reply: { object: 'contact', id: CONTACTS.example.id, contact: CONTACTS.example.id, deleted: true } },
    }),
    async ({ teamId, params }) => {
      const removed = await contacts.deleteContact(teamId, contactOfPath(params))
      if (!removed) throw notFound(CONTACTS.noun)
      return { object: 'contact' as const, id: removed.id, contact: removed.id, deleted: true }
    },
  )
}

const unsubscribesOnly = (body: Static<typeof ContactUpdate>): boolean =>
  Object.entries(body).every(([field, value]) => field === 'unsubscribed' && value === true)

export const contactSearch = ({ search }: Static<typeof ContactListQuery>, request: PageRequest): ContactSearch | null =>
  search === undefined ? null : { ...request, words: search, part: partOfContactAddress(search) }
