// Creates, changes and deletes topics, for the API and the console.
import type { Static } from '@sinclair/typebox'
import type { Context } from '../context.ts'
import { invalid, notFound } from '../lib/failure.ts'
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

/** @throws Failure if the team has no such topic, or the filter of a segment uses it. */
export async function removeTopic({ repositories }: Dependencies, teamId: string, id: string): Promise<void> {
  const result = await repositories.topics.remove(teamId, id)
  if (result === null) throw notFound(TOPICS.noun)
  if (result !== 'removed') throw invalid(`This topic is used by the filter of the segment \`${result.usedBy}\`. Change that filter first.`)
}
