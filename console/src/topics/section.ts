import { Tags } from 'lucide-react'
import type { Section } from '../shell/sections'

export const topicsSection: Section = {
  name: 'Topics',
  path: 'topics',
  group: 'Audience',
  icon: Tags,
  scopes: ['topics:read'],
  pages: { '': () => import('./TopicsPage'), $topicId: () => import('./TopicPage') },
}
