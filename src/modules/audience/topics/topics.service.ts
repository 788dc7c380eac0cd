// Creates, changes and deletes topics, for the API and the console.
import type { Static } from '@sinclair/typebox'
import { invalid, notFound } from '../../../lib/failure.ts'
import { inUse, type Uses } from '../../../lib/uses.ts'
import type { AudienceContext } from '../audience.context.ts'
import { TOPICS, type TopicCreate, type TopicUpdate } from './topics.schema.ts'

type Context = AudienceContext

type Dependencies = Pick<Context, 'repositories'>

/** @throws Failure if the team has as many topics as it may have; FormUsed. */
export async function createTopic(
  { repositories }: Dependencies,
  teamId: string,
  input: Static<typeof TopicCreate>,
  formId?: string,
): Promise<{ id: string }> {
  const { name, description, default_subscription: defaultSubscription, visibility } = input
  const topic = { name, description: description ?? null, defaultSubscription, visibility: visibility ?? 'private' }
  return repositories.topics.create(teamId, topic, formId)
}

/** @throws Failure `notFound` if the team has no such topic. */
export async function updateTopic(
  { repositories }: Dependencies,
  teamId: string,
  { id, input }: { id: string; input: Static<typeof TopicUpdate> },
): Promise<{ id: string }> {
  const updated = await repositories.topics.updateTopic(teamId, id, input)
  if (!updated) throw notFound(TOPICS.noun)
  return updated
}

/**
 * Returns what could not go on without it.
 * @throws Failure if the team has no such topic, or the filter of a segment uses it; with `unlessUsed`, also an automation or a scheduled broadcast
 */
export async function deleteTopic(
  { repositories }: Dependencies,
  teamId: string,
  id: string,
  { unlessUsed = false } = {},
): Promise<{ id: string; ended: Uses }> {
  const result = await repositories.topics.deleteTopic(teamId, id, { unlessUsed })
  if (result === null) throw notFound(TOPICS.noun)
  if ('usedByFilterOf' in result)
    throw invalid(`This topic is used by the filter of the segment \`${result.usedByFilterOf}\`. Change that filter first.`)
  if ('usedBy' in result) throw inUse('topic', result.usedBy)
  return result
}
