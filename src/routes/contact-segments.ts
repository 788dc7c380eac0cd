import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import { EXAMPLE_TIME, WholeListQuery } from '../schemas/common.ts'
import { ContactSegmentDeletion, ContactSegmentList, ContactSegmentParams, ContactSegmentReference } from '../schemas/contact-segments.ts'
import { CONTACTS, ContactParams, SEGMENTS_PER_CONTACT_MAX } from '../schemas/contacts.ts'
import { SEGMENTS } from '../schemas/segments.ts'
import { toContactSegment } from '../serializers/contact-segments.ts'
import { toList } from '../serializers/list.ts'
import { membershipFailure } from '../services/membership-failure.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactSegmentRoutes = routes(CONTACTS, ({ repositories }) => {
  const { contacts, contactSegments } = repositories

  async function list({ teamId, params, query }: Call<{ params: typeof ContactParams; query: typeof WholeListQuery }>) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    return toList(await contactSegments.list(teamId, contact.id, pageRequest(query, 'optional')), toContactSegment)
  }

  async function add({ teamId, params }: Call<{ params: typeof ContactSegmentParams }>) {
    const segmentId = params.segment_id.toLowerCase()
    const options = { reference: contactOfPath(params), segmentId, membershipsMax: SEGMENTS_PER_CONTACT_MAX }
    const added = await contactSegments.add(teamId, options)
    if (typeof added === 'string') throw membershipFailure(added)
    return membership(added.contactId, segmentId)
  }

  async function remove({ teamId, params }: Call<{ params: typeof ContactSegmentParams }>) {
    const segmentId = params.segment_id.toLowerCase()
    const removed = await contactSegments.remove(teamId, { reference: contactOfPath(params), segmentId })
    if (typeof removed === 'string') throw membershipFailure(removed)
    return { ...membership(removed.contactId, segmentId), audienceId: segmentId, deleted: true }
  }

  return [
    operation({
      id: 'contacts.segments.list',
      method: 'GET',
      path: '/contacts/:contact_id/segments',
      summary: 'List the segments of a contact',
      description:
        'Returns the segments of a contact, newest first, all of them by default: those that it was added to and those whose filter selects it.',
      access: 'full',
      params: ContactParams,
      query: WholeListQuery,
      reply: ContactSegmentList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [{ object: 'segment', id: SEGMENTS.example.id, name: 'Customers', created_at: EXAMPLE_TIME }],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contacts.segments.create',
      method: 'POST',
      path: '/contacts/:contact_id/segments/:segment_id',
      summary: 'Add a contact to a segment',
      description: `Adds a contact to a segment, which must not have a filter. A contact that is already in the segment stays in it. A contact can be added to at most ${SEGMENTS_PER_CONTACT_MAX.toLocaleString('en')} segments.`,
      access: 'full',
      params: ContactSegmentParams,
      reply: ContactSegmentReference,
      example: { reply: membership(CONTACTS.example.id, SEGMENTS.example.id) },
      handle: add,
    }),
    operation({
      id: 'contacts.segments.delete',
      method: 'DELETE',
      path: '/contacts/:contact_id/segments/:segment_id',
      summary: 'Remove a contact from a segment',
      description:
        'Removes a contact from a segment, which must not have a filter. The contact itself is kept. A contact that is not in the segment counts as removed.',
      access: 'full',
      params: ContactSegmentParams,
      reply: ContactSegmentDeletion,
      example: { reply: { ...membership(CONTACTS.example.id, SEGMENTS.example.id), audienceId: SEGMENTS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})

/** The official clients read `id`, which is the id of the contact. */
const membership = (contactId: string, segmentId: string) => ({
  object: 'contact_segment' as const,
  id: contactId,
  contact_id: contactId,
  segment_id: segmentId,
})
