// A message with its envelope, as it leaves for one recipient.
import type { Readable } from 'node:stream'
import type { Context, SenderIdentity } from '../../context.ts'
import { ADDRESS_OCTETS_MAX } from '../../mail/addresses.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import { buildMessage, senderAddressOf } from '../../services/build-message.ts'

export type OutgoingMessage = {
  /** The sender of the envelope, which receives bounces. Never empty: no bounces are sent. */
  sender: string
  /** The domain of the sender wants it sent over TLS, or not at all. */
  requiresTls: boolean
  content: Buffer | Readable
}

export async function createOutgoingMessage(
  context: Context,
  { email, recipientId, identity }: { email: OutgoingEmail; recipientId: string; identity: SenderIdentity },
): Promise<OutgoingMessage> {
  const { signers, returnPathHost, requiresTls } = identity
  const content = await buildMessage(context, email, signers)
  const ownSender = returnPathHost === null ? null : `${context.returnPathTokens.create(recipientId)}@${returnPathHost}`
  const isOwn = context.config.returnPath === 'own' && ownSender !== null && ownSender.length <= ADDRESS_OCTETS_MAX
  return { sender: isOwn ? ownSender : senderAddressOf(email), requiresTls, content }
}
