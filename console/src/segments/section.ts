import { Filter } from 'lucide-react'
import type { Section } from '../shell/sections'

export const segmentsSection: Section = {
  name: 'Segments',
  path: 'segments',
  group: 'Audience',
  icon: Filter,
  scopes: ['segments:read'],
  pages: {
    '': () => import('./SegmentsPage'),
    new: () => import('./NewSegmentPage'),
    $segmentId: () => import('./SegmentPage'),
    '$segmentId/edit': () => import('./EditSegmentPage'),
  },
}
