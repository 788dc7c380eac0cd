import { type Static, Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toList } from '../../../http/resource.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { EXAMPLE_TIME, Id, Kind, List, Named, Timestamp, WholeListQuery } from '../../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../../mail/address-forms.ts'
import type { AudienceContext } from '../audience.context.ts'
import { CONTACTS, ContactParams, SEGMENTS_PER_CONTACT_MAX } from '../contacts/contacts.schema.ts'
import type { ContactSegmentRow } from './contact-segments.repository.ts'
import { HasFilter, SEGMENTS, SegmentParams } from './segments.schema.ts'
import { membershipFailure } from './segments.service.ts'

type Context = AudienceContext

// The memberships of a contact.

export const ContactSegment = Named(
  'ContactSegment',
  Type.Object(
    {
      object: Kind('segment'),
      id: Id('Id of the segment.'),
      name: Type.String({ description: 'Name of the segment.', examples: ['Customers'] }),
      created_at: Timestamp('When the contact was added to the segment. If the segment has a filter: when the segment was created.'),
      has_filter: HasFilter,
    },
    { description: 'A segment that a contact is in.' },
  ),
)

const fields = {
  object: Kind('contact_segment'),
  id: Id('Id of the contact.'),
  contact_id: Id('Id of the contact.'),
  segment_id: Id('Id of the segment.'),
}

export const ContactSegmentReference = Named(
  'ContactSegmentReference',
  Type.Object(fields, { description: 'Identifies the segment and the contact that was added to it.' }),
)
export const ContactSegmentDeletion = Named(
  'ContactSegmentDeletion',
  Type.Object(
    {
      ...fields,
      audienceId: Id('Same as `segment_id`, under the name that the official clients read.'),
      deleted: Type.Boolean({ description: 'Always `true`.' }),
    },
    { description: 'Confirms that the contact is not in the segment.' },
  ),
)

export const ContactSegmentParams = Type.Composite([ContactParams, SegmentParams])
export const ContactSegmentList = List('ContactSegmentList', 'segments of a contact', ContactSegment)

export const toContactSegment = ({ id, name, createdAt, hasFilter }: ContactSegmentRow): Static<typeof ContactSegment> => ({
  object: 'segment',
  id,
  name,
  created_at: toTimestamp(createdAt),
  has_filter: hasFilter,
})

const operation = declareOperations(CONTACTS)

export const contactSegmentRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  const { contacts, contactSegments } = repositories

  app.get(
    '/contacts/:contact_id/segments',
    operation({
      id: 'contacts.segments.list',
      summary: 'List the segments of a contact',
      description:
        'Returns the segments of a contact, newest first, all of them by default: those that it was added to and those whose filter selects it.',
      access: 'full',
      audit: 'never',
      params: ContactParams,
      query: WholeListQuery,
      reply: { 200: ContactSegmentList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ object: 'segment', id: SEGMENTS.example.id, name: 'Customers', created_at: EXAMPLE_TIME, has_filter: false }],
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const contact = await contacts.find(teamId, contactOfPath(params))
      if (!contact) throw notFound(CONTACTS.noun)
      return toList(await contactSegments.list(teamId, contact.id, pageRequest(query, 'optional')), toContactSegment)
    },
  )

  app.post(
    '/contacts/:contact_id/segments/:segment_id',
    operation({
      id: 'contacts.segments.create',
      summary: 'Add a contact to a segment',
      description: `Adds a contact to a segment, which must not have a filter. A contact that is already in the segment stays in it. A contact can be added to at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')} segments.`,
      access: 'full',
      audit: 'people',
      params: ContactSegmentParams,
      reply: { 200: ContactSegmentReference },
      example: { reply: membership(CONTACTS.example.id, SEGMENTS.example.id) },
    }),
    async ({ teamId, params }) => {
      const segmentId = params.segment_id.toLowerCase()
      const options = { reference: contactOfPath(params), segmentId, membershipsMax: SEGMENTS_PER_CONTACT_MAX }
      const added = await contactSegments.add(teamId, options)
      if (typeof added === 'string') throw membershipFailure(added)
      return membership(added.contactId, segmentId)
    },
  )

  app.delete(
    '/contacts/:contact_id/segments/:segment_id',
    operation({
      id: 'contacts.segments.delete',
      summary: 'Remove a contact from a segment',
      description:
        'Removes a contact from a segment, which must not have a filter. The contact itself is kept. A contact that is not in the segment counts as removed.',
      access: 'full',
      audit: 'people',
      params: ContactSegmentParams,
      reply: { 200: ContactSegmentDeletion },
      example: { reply: { ...membership(CONTACTS.example.id, SEGMENTS.example.id), audienceId: SEGMENTS.example.id, deleted: true } },
    }),
    async ({ teamId, params }) => {
      const segmentId = params.segment_id.toLowerCase()
      const removed = await contactSegments.remove(teamId, { reference: contactOfPath(params), segmentId })
      if (typeof removed === 'string') throw membershipFailure(removed)
      return { ...membership(removed.contactId, segmentId), audienceId: segmentId, deleted: true }
    },
  )
}

/** The official clients read `id`, which is the id of the contact. */
const membership = (contactId: string, segmentId: string) => ({
  object: 'contact_segment' as const,
  id: contactId,
  contact_id: contactId,
  segment_id: segmentId,
})
