// Addresses on the suppression list get no mail, decided when the mail is due: an address that was suppressed after a scheduled email was accepted
// does not get it either. A retry is not judged again, because the mail counts as sent.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { contactForm } from '../../../mail/address-forms.ts'
import { senderDomain } from '../../../mail/addresses.ts'
import { simulatedOutcome } from '../../../mail/simulator.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { TopicRefusal } from '../../audience/topics/topic-refusals.repository.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import { KEY_DOMAIN_GONE, noLongerVerified } from '../../domains/sender-policy.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { SuppressionOrigin } from '../../suppressions/suppressions.schema.ts'
import type { ClaimedDelivery } from '../queue/deliveries.repository.ts'

type Context = PlatformContext & DomainsContext & SuppressionsContext & AudienceContext

// Scheduled mail is judged again when it is due: its domain, or that of its key, may have failed or been deleted meanwhile.

/** Why emails must not be tried for the first time, by their ids. */
export async function findDeliveriesOfDisallowedSenders(
  { config, repositories }: Pick<Context, 'config' | 'repositories'>,
  emails: Map<string, OutgoingEmail>,
): Promise<Map<string, string>> {
  const scheduled = [...emails.values()].filter(({ scheduledAt }) => scheduledAt !== null)
  const refusals = scheduled.map(async (email): Promise<[string, string][]> => {
    if (email.isKeyDomainGone) return [[email.id, KEY_DOMAIN_GONE]]
    if (config.senderPolicy === 'any') return []
    const domain = senderDomain(email.from)
    const allowed = await repositories.domains.sendersAmong(email.teamId, [domain])
    return allowed.has(domain) ? [] : [[email.id, noLongerVerified(domain)]]
  })
  return new Map((await Promise.all(refusals)).flat())
}

/** What `email.suppressed` says, in the words of the wire. */
export type Suppressed = {
  message: string
  type: 'OnAccountSuppressionList'
  reason: 'previous_bounce' | 'previous_complaint' | 'manual'
  diagnosticCode: string[]
}

/** What keeps deliveries from being tried, by their ids. Runs no query if all of them are retries or for the simulator. */
export async function findSuppressions(
  { repositories, config }: Pick<Context, 'repositories' | 'config'>,
  deliveries: ClaimedDelivery[],
): Promise<Map<string, Suppressed>> {
  const found = new Map<string, Suppressed>()
  const listed = []
  for (const { id, teamId, address, attemptCount } of deliveries) {
    const simulated = simulatedOutcome(address, config.simulatorDomains)
    if (simulated === 'suppressed') found.set(id, SIMULATED)
    else if (simulated === null && attemptCount === 0) listed.push({ id, teamId, email: contactForm(address) })
  }
  const origins = await repositories.suppressedAddresses.findAcrossTeams(listed)
  for (const [id, origin] of origins) found.set(id, suppressedBy(origin))
  return found
}

export const suppressedBy = (origin: SuppressionOrigin): Suppressed => ({
  ...REASONS[origin],
  type: 'OnAccountSuppressionList',
  diagnosticCode: [],
})

const REASONS: Record<SuppressionOrigin, Pick<Suppressed, 'message' | 'reason'>> = {
  bounce: { message: 'The address is on the suppression list: an earlier email to it bounced.', reason: 'previous_bounce' },
  complaint: {
    message: 'The address is on the suppression list: an earlier email to it was reported as spam.',
    reason: 'previous_complaint',
  },
  manual: { message: 'The address is on the suppression list: your team added it.', reason: 'manual' },
}

const SIMULATED: Suppressed = {
  message: 'The address is on the suppression list: an earlier email to it bounced. (Simulated.)',
  type: 'OnAccountSuppressionList',
  reason: 'previous_bounce',
  diagnosticCode: [],
}

// Mail of a topic is sent only to subscribers, and that of a broadcast only to contacts who have not unsubscribed, decided when the mail is due. A
// recipient who opted out after it was accepted does not get it either.

const TOPIC_REASONS: Record<TopicRefusal, string> = {
  'topic gone': 'The topic of this email has been deleted, so no one can be subscribed to it.',
  'contact gone': 'The contact has been deleted.',
  unsubscribed: 'The recipient has unsubscribed from all bulk email.',
  'opted out': 'The recipient has opted out of this topic.',
  'not opted in': 'The recipient has not opted in to this topic.',
}

/** Why deliveries must not be tried, by their ids. Runs no query if no email has a topic, or is of a broadcast. */
export async function findTopicRefusals(
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
  return new Map([...refusals].map(([id, refusal]) => [id, TOPIC_REASONS[refusal]]))
}
