// Why a person gets no mail, in words, and the request that ends it.
import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../../lib/clock.ts'
import { NO_SUCH_ADDRESS } from '../../mail/bounces/explanations.ts'
import type { AddressStanding, RefusedTopic } from './contact-deliverability.repository.ts'
import type { ContactDeliverability } from './contact-deliverability.schema.ts'

type Reason = Static<typeof ContactDeliverability>['reasons'][number]
type Person = { contactId: string | null; email: string }

/** What keeps from most stands first. */
export const reasonsOf = (person: Person, { suppression, unsubscribed, unsubscribedAt, topics }: AddressStanding): Reason[] => [
  ...(suppression === null ? [] : [suppressed(suppression)]),
  ...(unsubscribed ? [unsubscribedFromAll(person, unsubscribedAt)] : []),
  ...(person.contactId === null ? [noContact(person)] : []),
  ...topics.map((topic) => refusedTopic(person, topic)),
]

const OF_NO_TOPIC = { topic_id: null, topic_name: null }

const ORIGINS: Record<NonNullable<AddressStanding['suppression']>['origin'], Pick<Reason, 'explanation' | 'advice'>> = {
  bounce: {
    explanation: NO_SUCH_ADDRESS,
    advice: 'Ask the person for another address. Remove the suppression only if you know that the mailbox exists now.',
  },
  complaint: {
    explanation: 'The person reported an email as spam.',
    advice: 'Do not send again unless the person asks for it.',
  },
  manual: {
    explanation: 'Your team put the address on the suppression list.',
    advice: 'Remove the suppression if the reason for it is gone.',
  },
}

const SOFT_BOUNCES: Pick<Reason, 'explanation' | 'advice'> = {
  explanation: 'Mail to the address bounced several times in a row, so the mailbox is probably not used anymore.',
  advice: 'Ask the person for another address. Remove the suppression if you know that the mailbox is used.',
}

const suppressed = ({ id, origin, sourceId, createdAt, hasSoftBounces }: NonNullable<AddressStanding['suppression']>): Reason => ({
  ...{ reason: 'suppressed', keeps_from: 'all_mail', ...OF_NO_TOPIC, since: toTimestamp(createdAt), email_id: sourceId },
  ...(hasSoftBounces ? SOFT_BOUNCES : ORIGINS[origin]),
  remedy: { operation: 'suppressions.delete', method: 'DELETE', path: `/suppressions/${id}`, body: null },
})

const unsubscribedFromAll = ({ contactId }: Person, since: Date | null): Reason => ({
  ...{ reason: 'unsubscribed', keeps_from: 'bulk_mail', ...OF_NO_TOPIC, since: toTimestamp(since), email_id: null },
  explanation: 'The person unsubscribed from all bulk email. Other mail is still sent.',
  advice: 'Subscribe the contact again only if the person asks for it.',
  remedy: changing(contactId, 'contacts.update', { path: '', body: { unsubscribed: false } }),
})

const noContact = ({ email }: Person): Reason => ({
  ...{ reason: 'not_a_contact', keeps_from: 'broadcasts', ...OF_NO_TOPIC, since: null, email_id: null },
  explanation: 'The address does not belong to a contact, and broadcasts are sent to contacts only.',
  advice: 'Create the contact if the person agreed to get your mail.',
  remedy: { operation: 'contacts.create', method: 'POST', path: '/contacts', body: { email } },
})

function refusedTopic({ contactId }: Person, { id, name, isChoice, since }: RefusedTopic): Reason {
  const body = { topics: [{ id, subscription: 'opt_in' }] }
  return {
    ...{ reason: isChoice ? 'opted_out' : 'not_opted_in', keeps_from: 'topic', topic_id: id, topic_name: name },
    ...{ since: isChoice ? toTimestamp(since) : null, email_id: null },
    explanation: isChoice
      ? `The person opted out of the topic “${name}”.`
      : `People have to opt in to the topic “${name}”, and this person has not.`,
    advice: isChoice ? 'Opt the contact in again only if the person asks for it.' : 'Opt the contact in if the person agreed to it.',
    remedy: changing(contactId, 'contacts.topics.update', { path: '/topics', body }),
  }
}

/** Without a contact, only the person can do it, by an unsubscribe link. */
const changing = (contactId: string | null, operation: string, { path, body }: { path: string; body: Record<string, unknown> }) =>
  contactId === null ? null : { operation, method: 'PATCH', path: `/contacts/${contactId}${path}`, body }
