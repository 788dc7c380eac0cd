import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { TopicRow } from '../repositories/topics/topics.ts'
import type { Topic, TopicSummary } from '../schemas/topics.ts'

export const toTopicSummary = (row: TopicRow): Static<typeof TopicSummary> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  default_subscription: row.defaultSubscription,
  visibility: row.visibility,
  created_at: toTimestamp(row.createdAt),
})

export const toTopic = (row: TopicRow): Static<typeof Topic> => ({ object: 'topic', ...toTopicSummary(row) })
