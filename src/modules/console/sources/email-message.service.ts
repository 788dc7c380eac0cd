// The message of an email, built on demand as it is sent.

import type { Readable } from 'node:stream'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import { senderDomain } from '../../../mail/addresses.ts'
import type { DomainsContext, MailTracking } from '../../domains/domains.context.ts'
import { buildMessage } from '../../emails/build-message.service.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import { EMAILS } from '../../emails/emails.schema.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import { trackContent } from '../../tracking/track-content.service.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'

type Context = PlatformContext & DomainsContext & EmailsContext & TrackingContext

export type MessageId = { teamId: string; emailId: string }

/** The beginning of a message. */
export type MessageSource = { text: string; isCut: boolean }

/** More than anyone reads; the whole message is a download. */
export const SOURCE_BYTES_MAX = 256 * 1024

/** Fails with `notFound` if the team has no such email, or some of its files are missing. */
export async function openMessage(context: Context, { teamId, emailId }: MessageId): Promise<Buffer | Readable> {
  const loaded = (await context.repositories.outgoingEmails.load([emailId])).get(emailId)
  // The loader is for workers, which serve every team, so the team is checked here.
  if (loaded?.teamId !== teamId || loaded.attachments.some(({ blobKey }) => blobKey === null)) throw notFound(EMAILS.noun)
  const email = await context.withBroadcastContent(loaded)
  const { signers, tracking } = await context.senderIdentityOf(teamId, senderDomain(email.from))
  return buildMessage(context, email, signers, await trackedForFirst(context, email, tracking))
}

/** Captured mail has reached no one, so this is the only place where its tracked links can be seen: those of the first recipient. */
async function trackedForFirst(context: Context, email: OutgoingEmail, tracking: MailTracking | null): Promise<string | null> {
  if (tracking === null || context.config.delivery !== 'capture') return null
  const [first] = await context.repositories.capturedEmails.recipientsOf(email.teamId, email.id)
  return first ? trackContent(context, { email, recipientId: first.id, tracking }) : null
}

export async function readMessageSource(context: Context, id: MessageId): Promise<MessageSource> {
  const message = await openMessage(context, id)
  const beginning = Buffer.isBuffer(message) ? message.subarray(0, SOURCE_BYTES_MAX + 1) : await beginningOf(message)
  // As it is sent: seven bits, except addresses that are not ASCII.
  return { text: beginning.subarray(0, SOURCE_BYTES_MAX).toString('utf8'), isCut: beginning.length > SOURCE_BYTES_MAX }
}

/** Leaving the loop destroys the stream, and with it the file that it reads. */
async function beginningOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > SOURCE_BYTES_MAX) break
  }
  return Buffer.concat(chunks)
}
