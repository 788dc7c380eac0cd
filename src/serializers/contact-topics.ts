import type { Static } from '@sinclair/typebox'
import type { ContactTopicRow } from '../repositories/topics/contact-topics.ts'
import type { ContactTopic } from '../schemas/contact-topics.ts'

export const toContactTopic = (row: ContactTopicRow): Static<typeof ContactTopic> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  subscription: row.subscription,
})
