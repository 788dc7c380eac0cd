// The contacts of a segment, under its former name. The contacts belong to the team; the audience only holds them.

import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { plainResource } from '../../../http/plain-resource.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { DeletionQuery, ListQuery, WholeListQuery } from '../../../lib/validation/common.schema.ts'
import { contactOfPath, contactReference } from '../../../mail/address-forms.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import { contactsOfPage, toContact } from '../contacts/contacts.routes.ts'
import { CONTACTS, Contact, ContactList, ContactReference, ContactUpdate } from '../contacts/contacts.schema.ts'
import { saveContact, updateContact } from '../contacts/contacts.service.ts'
import type { SegmentSummaryRow } from '../segments/segments.repository.ts'
import { createSegment, deleteSegment, membershipFailure } from '../segments/segments.service.ts'
import {
  AUDIENCES,
  Audience,
  AudienceContactCreate,
  AudienceContactDeletion,
  AudienceContactParams,
  AudienceCreate,
  AudienceCreated,
  AudienceDeletion,
  AudienceList,
  AudienceParams,
  type AudienceSummary,
} from './audiences.schema.ts'

type Context = PlatformContext & SuppressionsContext & AudienceContext

const operation = declareOperations(AUDIENCES)
const audience = plainResource(AUDIENCES, 'audience')

export const audienceContactRoutes: Routes<Context> = async (app, { context }) => {
  const { contacts, contactProperties, contactSegments, segments, segmentMembers } = context.repositories

  async function findMember(teamId: string, params: { audience_id: string; contact_id: string }) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    const segment = audience.found(await segments.find(teamId, params.audience_id))
    if (!(await segmentMembers.isMember(teamId, segment, contact.id))) throw notFound(CONTACTS.noun)
    return contact
  }

  app.post(
    '/audiences/:audience_id/contacts',
    operation({
      id: 'audiences.contacts.create',
      summary: 'Create a contact in an audience',
      description:
        'Creates a contact, or merges the given fields into the contact with this address, and adds it to the segment. Use `POST /contacts` with `segments` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'people',
      params: AudienceParams,
      body: AudienceContactCreate,
      reply: { 201: ContactReference },
      example: {
        body: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
        reply: { object: 'contact', id: CONTACTS.example.id },
      },
    }),
    async ({ teamId, params, body }) => {
      const segment = audience.found(await segments.find(teamId, params.audience_id))
      if (segment.filter) throw membershipFailure('segment with a filter', 'Audience')
      // Takes only the fields of this form of a contact, because other fields were not validated.
      const { email, first_name = null, last_name = null, unsubscribed = null, properties = null } = body
      const { id } = await saveContact(context, teamId, { email, first_name, last_name, unsubscribed, properties, audience_id: segment.id })
      return { object: 'contact' as const, id }
    },
  )

  app.get(
    '/audiences/:audience_id/contacts',
    operation({
      id: 'audiences.contacts.list',
      summary: 'List the contacts of an audience',
      description: 'Returns the contacts of a segment, newest first, 20 by default. Use `GET /segments/{segment_id}/contacts` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'never',
      shows: ['contacts'],
      params: AudienceParams,
      query: ListQuery,
      reply: { 200: ContactList },
      example: { reply: { object: 'list', has_more: false, data: [{ ...CONTACTS.example, suppressed: false }] } },
    }),
    async ({ caller, teamId, params, query }) => {
      const segment = audience.found(await segments.find(teamId, params.audience_id))
      const page = await segmentMembers.list(teamId, segment, pageRequest(query, 'always'))
      return toList(page, await contactsOfPage(context.repositories, teamId, { caller, rows: page.rows }))
    },
  )

  app.get(
    '/audiences/:audience_id/contacts/:contact_id',
    operation({
      id: 'audiences.contacts.retrieve',
      summary: 'Retrieve a contact of an audience',
      description: 'Returns a contact of a segment, by its id or email address. Use `GET /contacts/{contact_id}` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'never',
      shows: ['contacts'],
      params: AudienceContactParams,
      reply: { 200: Contact },
      example: { reply: { ...CONTACTS.example, properties: { company: { value: 'Analytical Engines', type: 'string' } } } },
    }),
    async ({ teamId, params }) => {
      return toContact(await findMember(teamId, params), await contactProperties.all(teamId))
    },
  )

  app.patch(
    '/audiences/:audience_id/contacts/:contact_id',
    operation({
      id: 'audiences.contacts.update',
      summary: 'Update a contact of an audience',
      description:
        'Changes the given fields of a contact that is in the segment. The change applies to the contact everywhere. Use `PATCH /contacts/{contact_id}` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'people',
      params: AudienceContactParams,
      body: ContactUpdate,
      reply: { 200: ContactReference },
      example: { body: { unsubscribed: true }, reply: { object: 'contact', id: CONTACTS.example.id } },
    }),
    async ({ teamId, params, body }) => {
      const { id } = await findMember(teamId, params)
      const changed = await updateContact(context, teamId, { reference: { id }, input: body })
      if (!changed) throw notFound(CONTACTS.noun)
      return { object: 'contact' as const, id }
    },
  )

  app.delete(
    '/audiences/:audience_id/contacts/:contact_id',
    operation({
      id: 'audiences.contacts.delete',
      summary: 'Remove a contact from an audience',
      description:
        'Removes a contact from the segment. The contact itself is kept. A contact that is not in the segment counts as removed. Use `DELETE /contacts/{contact_id}/segments/{segment_id}` instead, or `DELETE /contacts/{contact_id}` to delete the contact itself.',
      isDeprecated: true,
      allowsUnknown: true,
      access: 'full',
      audit: 'people',
      params: AudienceContactParams,
      reply: { 200: AudienceContactDeletion },
      example: { reply: { object: 'contact', id: CONTACTS.example.id, contact: 'ada@example.com', deleted: true } },
    }),
    async ({ teamId, params }) => {
      const { audience_id: audienceId, contact_id: contact } = params
      const reference = contactReference(contact)
      const removed = reference ? await contactSegments.remove(teamId, { reference, segmentId: audienceId }) : 'unknown contact'
      if (removed === 'segment with a filter') throw membershipFailure(removed, 'Audience')
      return { object: 'contact' as const, id: typeof removed === 'string' ? contact : removed.contactId, contact, deleted: true }
    },
  )
}

export const toAudienceSummary = ({ id, name, createdAt }: SegmentSummaryRow): Static<typeof AudienceSummary> => ({
  id,
  name,
  created_at: toTimestamp(createdAt),
})

export const toAudience = (row: SegmentSummaryRow): Static<typeof Audience> => ({ object: 'audience', ...toAudienceSummary(row) })

// The former name of segments: the same records, for clients that still use it.

export const audienceRoutes: Routes<Context> = async (app, { context }) => {
  const { segments } = context.repositories

  app.post(
    '/audiences',
    operation({
      id: 'audiences.create',
      summary: 'Create an audience',
      description: 'Creates a segment under its former name. Use `POST /segments` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'always',
      body: AudienceCreate,
      reply: { 201: AudienceCreated },
      example: { body: { name: 'Customers' }, reply: { ...audience.examples.reference, name: 'Customers' } },
    }),
    async ({ teamId, body }) => audience.reference(await createSegment(context, teamId, { name: body.name, filter: null })),
  )

  app.get(
    '/audiences',
    operation({
      id: 'audiences.list',
      summary: 'List audiences',
      description: 'Returns the segments of the team, newest first, all of them by default. Use `GET /segments` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: AudienceList },
      example: { reply: audience.examples.list },
    }),
    audience.list(segments.list, toAudienceSummary, 'optional'),
  )

  app.get(
    '/audiences/:audience_id',
    operation({
      id: 'audiences.retrieve',
      summary: 'Retrieve an audience',
      description: 'Returns a segment under its former name. Use `GET /segments/{segment_id}` instead.',
      isDeprecated: true,
      access: 'full',
      audit: 'never',
      params: AudienceParams,
      reply: { 200: Audience },
      example: { reply: { object: 'audience', ...AUDIENCES.example } },
    }),
    audience.retrieve(segments.find, toAudience),
  )

  app.delete(
    '/audiences/:audience_id',
    operation({
      id: 'audiences.delete',
      summary: 'Delete an audience',
      description:
        'Deletes a segment. Its contacts are kept. A segment that does not exist counts as deleted. Broadcasts that are scheduled to it become drafts again, and enabled automations that add contacts to it are disabled. Use `DELETE /segments/{segment_id}` instead.',
      isDeprecated: true,
      allowsUnknown: true,
      access: 'full',
      audit: 'always',
      // Scheduled broadcasts and enabled automations send by it.
      sends: true,
      params: AudienceParams,
      query: DeletionQuery,
      reply: { 200: AudienceDeletion },
      example: { reply: audience.examples.deletion },
      warns: true,
    }),
    async ({ teamId, params, query }, reply) =>
      audience.deletionOfUsed(await deleteSegment(context, teamId, params.audience_id, { unlessUsed: query.unless_used }), reply),
  )
}
