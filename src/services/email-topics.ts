// The topic of an email must belong to its team when it is accepted. If the topic is deleted afterwards, the email fails when it is due.
import type { Context } from '../context.ts'
import type { EmailDraft } from '../mail/email-draft.ts'

export const UNKNOWN_TOPIC = 'The `topic_id` field is not the id of a topic of yours.'

/** The drafts whose topic the team does not have. Runs no query if none has a topic. */
export async function draftsOfUnknownTopics(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  drafts: EmailDraft[],
): Promise<Set<EmailDraft>> {
  const ids = new Set(drafts.flatMap(({ topicId }) => topicId ?? []))
  if (ids.size === 0) return new Set()
  const known = await repositories.topics.known(teamId, [...ids])
  return new Set(drafts.filter(({ topicId }) => topicId !== null && !known.has(topicId)))
}
