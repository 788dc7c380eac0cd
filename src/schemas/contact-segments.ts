// Memberships, seen from the contact.
import { Type } from '@sinclair/typebox'
import { Id, Kind, List, Named, Timestamp } from './common.ts'
import { ContactParams } from './contacts.ts'
import { SegmentParams } from './segments.ts'

export const ContactSegment = Named(
  'ContactSegment',
  Type.Object({
    object: Kind('segment'),
    id: Id('Id of the segment.'),
    name: Type.String({ description: 'What the segment is called.', examples: ['Customers'] }),
    created_at: Timestamp('When the contact was put into the segment; of a segment with a filter, when that was created.'),
  }),
)

const fields = {
  object: Kind('contact_segment'),
  id: Id('Id of the contact.'),
  contact_id: Id('Id of the contact.'),
  segment_id: Id('Id of the segment.'),
}

export const ContactSegmentReference = Named('ContactSegmentReference', Type.Object(fields))
export const ContactSegmentDeletion = Named(
  'ContactSegmentDeletion',
  Type.Object({
    ...fields,
    audienceId: Id('Id of the segment once more, under the name that the official clients read.'),
    deleted: Type.Boolean({ description: 'Always `true`.' }),
  }),
)

export const ContactSegmentParams = Type.Composite([ContactParams, SegmentParams])
export const ContactSegmentList = List('ContactSegmentList', ContactSegment)
