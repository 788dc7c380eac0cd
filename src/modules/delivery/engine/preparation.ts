// What is known of a delivery before it is tried: the message to send, or an outcome without an attempt.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isUnavailable } from '../../../db/database-errors.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure } from '../../../lib/failure.ts'
import { createId } from '../../../lib/ids.ts'
import { isGivenUp } from '../../../lib/limits/claims.ts'
import { senderDomain } from '../../../mail/addresses.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { DomainsContext, SenderIdentity } from '../../domains/domains.context.ts'
import { keysGone } from '../../domains/sender-policy.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import type { ClaimedDelivery, Settlement } from '../queue/deliveries.repository.ts'
import type { RecentWork } from '../recent-work.ts'
import { createOutgoingMessage, type OutgoingMessage } from './outgoing-message.ts'
import { findDeliveriesOfDisallowedSenders, findSuppressions, findTopicRefusals, type Suppressed } from './refusals.ts'
import { failedWithoutAttempt, suppressedWithoutAttempt } from './settlements.ts'
import { pauseAfterFault } from './settling.ts'

type Context = PlatformContext & DomainsContext & SuppressionsContext & AudienceContext & EmailsContext & TrackingContext & DeliveryContext

/**
 * Bulk messages of a batch that are composed and signed at once beside transactional mail, which waits for the same threads. With two at once, bulk mail was
 * slower by a seventh, and single sends took as long.
 */
export const PREPARED_AT_ONCE_BESIDE_URGENT_MAIL = 4

/** What is loaded for a part before any of it is tried. */
export type Loaded = {
  emails: Map<string, OutgoingEmail>
  /** Why a delivery must not be tried, by its id. */
  topicRefusals: Map<string, string>
  /** What keeps a delivery from being tried because of its address, by its id. */
  suppressions: Map<string, Suppressed>
  /** Why an email must not be tried for the first time, by its id. */
  senderRefusals: Map<string, string>
  /** What the domain of the sender says about an email, by its id. */
  identities: Map<string, SenderIdentity>
}

export type Attempt = { delivery: ClaimedDelivery; attemptId: string; message: OutgoingMessage }

/** Why a delivery is given back. `outage`: the database or the files are away. `unexplained`: this message may be the cause, so its claim counts. */
export type Fault = 'outage' | 'unexplained'

type Prepared = Attempt | { delivery: ClaimedDelivery; settlement: Settlement } | { delivery: ClaimedDelivery; fault: Fault }

/** Null if the database does not answer. The next request then waits a little instead of asking again at once. */
export async function loadPart(context: Context, part: ClaimedDelivery[]): Promise<Loaded | null> {
  const { repositories, log } = context
  try {
    const emails = await repositories.outgoingEmails.load([...new Set(part.map(({ emailId }) => emailId))])
    const [suppressions, topicRefusals, senderRefusals, identities] = await Promise.all([
      findSuppressions(context, part),
      findTopicRefusals(context, part, emails),
      findDeliveriesOfDisallowedSenders(context, emails),
      loadIdentities(context, emails),
    ])
    return { emails, suppressions, topicRefusals, senderRefusals, identities }
  } catch (error) {
    log.warn({ err: error }, 'emails not loaded')
    await pauseAfterFault()
    return null
  }
}

async function loadIdentities({ senderIdentityOf }: Context, emails: Map<string, OutgoingEmail>): Promise<Loaded['identities']> {
  // Each sender is asked for once.
  const asked = new Map<string, Promise<SenderIdentity>>()
  const found = [...emails.values()].map(async (email) => {
    const domain = senderDomain(email.from)
    const key = `${email.teamId} ${domain}`
    const identity = asked.get(key) ?? senderIdentityOf(email.teamId, domain)
    asked.set(key, identity)
    return [email.id, await identity] as const
  })
  return new Map(await Promise.all(found))
}

type Preparing = { loaded: Loaded; urgentMail: Pick<RecentWork, 'isRecent'> }

/** Deliveries of one class. Bulk mail gives way if transactional mail has come shortly before. */
export async function prepareAll(context: Context, part: ClaimedDelivery[], { loaded, urgentMail }: Preparing): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  while (prepared.length < part.length) {
    if (prepared.length > 0) await nextTurn()
    const givesWay = part[0]?.class === 'bulk' && urgentMail.isRecent()
    const some = part.slice(prepared.length, givesWay ? prepared.length + PREPARED_AT_ONCE_BESIDE_URGENT_MAIL : undefined)
    prepared.push(...(await Promise.all(some.map((delivery) => prepare(context, delivery, loaded)))))
  }
  return prepared
}

/** The outcome if it is known before any attempt, the message to send, or why neither is known yet. */
async function prepare(
  context: Context,
  delivery: ClaimedDelivery,
  { emails, suppressions, topicRefusals, senderRefusals, identities }: Loaded,
): Promise<Prepared> {
  const { config, log } = context
  const failed = (reason: string) => ({ delivery, settlement: failedWithoutAttempt(delivery, reason) })
  const email = emails.get(delivery.emailId)
  const identity = identities.get(delivery.emailId)
  if (!email || !identity) return failed('The email has been deleted.')
  if (isGivenUp(delivery)) {
    log.error({ emailId: email.id, recipientId: delivery.id, claims: delivery.claims }, 'delivery given up: it could not be processed')
    return failed('The email could not be processed.')
  }
  if (!email.isKeyActive) return failed('The API key that scheduled the email was deleted before the scheduled time.')
  const senderRefusal = delivery.attemptCount === 0 ? senderRefusals.get(email.id) : undefined
  if (senderRefusal !== undefined) return failed(senderRefusal)
  // Accepted because its domain was verified, which means that it would be signed.
  if (config.senderPolicy === 'verified' && !identity.hasKeys) return failed(keysGone(senderDomain(email.from)))
  const suppression = suppressions.get(delivery.id)
  if (suppression) return { delivery, settlement: suppressedWithoutAttempt(delivery, suppression) }
  const topicRefusal = topicRefusals.get(delivery.id)
  if (topicRefusal !== undefined) return failed(topicRefusal)
  try {
    const message = await createOutgoingMessage(context, { email, recipientId: delivery.id, identity })
    return { delivery, attemptId: createId(), message }
  } catch (error) {
    const fault = classifyFault(error)
    log[fault === 'outage' ? 'warn' : 'error']({ err: error, emailId: email.id }, 'message not built')
    return fault === null ? failed('The message could not be built.') : { delivery, fault }
  }
}

/** Null if the error is about this message: building it again would fail again. */
function classifyFault(error: unknown): Fault | null {
  if (isUnavailable(error)) return 'outage'
  if (!(error instanceof Failure)) return 'unexplained'
  if (error.retryAfterSeconds !== undefined) return 'outage'
  // A thread that ended at its text, or did not begin.
  return error.kind === 'unavailable' ? 'unexplained' : null
}
