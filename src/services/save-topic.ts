// Creates, changes and deletes topics, for the API and the console.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { inUse, type Uses } from '../lib/uses.ts'
import { TOPICS, TOPICS_MAX, type TopicCreate, type TopicUpdate } from '../schemas/topics.ts'

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
  const created = await repositories.topics.create(teamId, topic, TOPICS_MAX, formId)
  if (created === 'full') throw invalid(`A team can have at most ${TOPICS_MAX} topics. Delete one first.`)
  return created
}

/** @throws Failure `notFound` if the team has no such topic. */
export async function changeTopic(
  { repositories }: Dependencies,
  teamId: string,
  { id, input }: { id: string; input: Static<typeof TopicUpdate> },
): Promise<void> {
  if (!(await repositories.topics.update(teamId, id, input))) throw notFound(TOPICS.noun)
}

/**
 * Returns what could not go on without it.
 * @throws Failure if the team has no such topic, or the filter of a segment uses it; with `unlessUsed`, also an automation or a scheduled broadcast
 */
export async function removeTopic({ repositories }: Dependencies, teamId: string, id: string, { unlessUsed = false } = {}): Promise<Uses> {
  const result = await repositories.topics.remove(teamId, id, { unlessUsed })
  if (result === null) throw notFound(TOPICS.noun)
  if ('usedByFilterOf' in result)
    throw invalid(`This topic is used by the filter of the segment \`${result.usedByFilterOf}\`. Change that filter first.`)
  if ('usedBy' in result) throw inUse('topic', result.usedBy)
  return result.ended
}
