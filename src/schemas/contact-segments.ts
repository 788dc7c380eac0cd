// The memberships of a contact.
import { Type } from '@sinclair/typebox'
import { Id, Kind, List, Named, Timestamp } from './common.ts'
import { ContactParams } from './contacts.ts'
import { SegmentParams } from './segments.ts'

export const ContactSegment = Named(
  'ContactSegment',
  Type.Object(
    {
      object: Kind('segment'),
      id: Id('Id of the segment.'),
      name: Type.String({ description: 'Name of the segment.', examples: ['Customers'] }),
      created_at: Timestamp('When the contact was added to the segment. If the segment has a filter: when the segment was created.'),
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
