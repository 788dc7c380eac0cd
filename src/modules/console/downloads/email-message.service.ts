// The message of an email, built on demand as it is sent.
import type { Readable } from 'node:stream'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import type { DomainsContext, MailTracking } from '../../domains/domains.context.ts'
import { buildMessage, senderDomainOf } from '../../emails/build-message.service.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import { trackContent } from '../../tracking/track-content.service.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'

type Context = PlatformContext & DomainsContext & EmailsContext & TrackingContext

/**
 * The message as it is sent, or, of captured mail, as its first recipient would get it.
 *
 * @throws Failure if the team has no such email, or some of its files are missing
 */
export async function openMessage(context: Context, teamId: string, emailId: string): Promise<Buffer | Readable> {
  const loaded = (await context.repositories.outgoingEmails.load([emailId])).get(emailId)
  // The loader is for workers, which serve every team, so the team is checked here.
  if (loaded?.teamId !== teamId || loaded.attachments.some(({ blobKey }) => blobKey === null)) throw notFound('Message')
  const email = await context.withBroadcastContent(loaded)
  const { signers, tracking } = await context.senderIdentityOf(teamId, senderDomainOf(email))
  return buildMessage(context, email, signers, await trackedForFirst(context, email, tracking))
}

/** Captured mail has reached no one, so this is the only place where its tracked links can be seen: those of the first recipient. */
async function trackedForFirst(context: Context, email: OutgoingEmail, tracking: MailTracking | null): Promise<string | null> {
  if (tracking === null || context.config.delivery !== 'capture') return null
  const [first] = await context.repositories.capturedEmails.recipientsOf(email.teamId, email.id)
  return first ? trackContent(context, { email, recipientId: first.id, tracking }) : null
}
