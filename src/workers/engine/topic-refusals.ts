// Mail of a topic is sent only to subscribers, decided when the mail is due. A recipient who opted out after it was accepted does not get it
// either.
import type { Context } from '../../context.ts'
import { contactForm } from '../../mail/audience/contact-addresses.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import type { ClaimedDelivery } from '../../repositories/engine/deliveries.ts'
import type { TopicRefusal } from '../../repositories/topics/topic-refusals.ts'

const REASONS: Record<TopicRefusal, string> = {
  'topic gone': 'The topic of this email has been deleted, so no one can be subscribed to it.',
  unsubscribed: 'The recipient has unsubscribed from all bulk email.',
  'opted out': 'The recipient does not want mail of this topic.',
  'not opted in': 'The recipient has not opted in to this topic.',
}

/** Why deliveries must not be tried, by their ids. Runs no query if no email has a topic. */
export async function topicRefusalsOf(
  { repositories, hashAddress }: Pick<Context, 'repositories' | 'hashAddress'>,
  deliveries: ClaimedDelivery[],
  emails: Map<string, OutgoingEmail>,
): Promise<Map<string, string>> {
  const recipients = deliveries.flatMap(({ id, teamId, emailId, address }) => {
    const topicId = emails.get(emailId)?.topicId ?? null
    if (topicId === null) return []
    const email = contactForm(address)
    return [{ id, teamId, topicId, email, addressHash: hashAddress(teamId, email) }]
  })
  const refusals = await repositories.topicRefusals.findAcrossTeams(recipients)
  return new Map([...refusals].map(([id, refusal]) => [id, REASONS[refusal]]))
}
