import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ContactSegmentRow } from '../repositories/segments/contact-segments.ts'
import type { ContactSegment } from '../schemas/contact-segments.ts'

export const toContactSegment = ({ id, name, createdAt }: ContactSegmentRow): Static<typeof ContactSegment> => ({
  object: 'segment',
  id,
  name,
  created_at: toTimestamp(createdAt),
})
