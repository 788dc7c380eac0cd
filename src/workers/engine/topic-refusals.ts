// Mail of a topic is sent only to subscribers, and that of a broadcast only to contacts who have not unsubscribed, decided when the mail is due. A
// recipient who opted out after it was accepted does not get it either.
import type { Context } from '../../context.ts'
import { contactForm } from '../../mail/audience/contact-addresses.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import type { ClaimedDelivery } from '../../repositories/engine/deliveries.ts'
import type { TopicRefusal } from '../../repositories/topics/topic-refusals.ts'

const REASONS: Record<TopicRefusal, string> = {
  'topic gone': 'The topic of this email has been deleted, so no one can be subscribed to it.',
  'contact gone': 'The contact has been deleted.',
  unsubscribed: 'The recipient has unsubscribed from all bulk email.',
  'opted out': 'The recipient does not want mail of this topic.',
  'not opted in': 'The recipient has not opted in to this topic.',
}

/** Why deliveries must not be tried, by their ids. Runs no query if no email has a topic, or is of a broadcast. */
export async function topicRefusalsOf(
  { repositories, hashAddress }: Pick<Context, 'repositories' | 'hashAddress'>,
  deliveries: ClaimedDelivery[],
  emails: Map<string, OutgoingEmail>,
): Promise<Map<string, string>> {
  const recipients = deliveries.flatMap(({ id, teamId, emailId, address }) => {
    const { topicId = null, broadcastId = null } = emails.get(emailId) ?? {}
    if (topicId === null && broadcastId === null) return []
    const email = contactForm(address)
    return [{ id, teamId, topicId, isOfBroadcast: broadcastId !== null, email, addressHash: hashAddress(teamId, email) }]
  })
  const refusals = await repositories.topicRefusals.findAcrossTeams(recipients)
  return new Map([...refusals].map(([id, refusal]) => [id, REASONS[refusal]]))
}
