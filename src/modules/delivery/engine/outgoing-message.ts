// A message with its envelope, as it leaves for one recipient.

import { isAscii } from 'node:buffer'
import { Readable } from 'node:stream'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { ADDRESS_OCTETS_MAX } from '../../../mail/addresses.ts'
import { isMessageType } from '../../../mail/mime-build.ts'
import type { SenderIdentity } from '../../domains/domains.context.ts'
import { buildMessage, senderAddressOf } from '../../emails/build-message.service.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import { trackContent } from '../../tracking/track-content.service.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'

type Context = PlatformContext & EmailsContext & TrackingContext & DeliveryContext

export type OutgoingMessage = {
  /** The sender of the envelope, which receives bounces. Never empty: no bounces are sent. */
  sender: string
  /** The domain of the sender wants it sent over TLS, or not at all. */
  requiresTls: boolean
  /** It may have bytes that are not ASCII, because its client wrote it, or a message that is attached. */
  isEightBit: boolean
  /** The message for a server that does not take such bytes, signed in that form. Nothing happens before it is read. */
  inSevenBits: () => Readable
  content: Buffer | Readable
}

type Outgoing = { email: OutgoingEmail; recipientId: string; identity: SenderIdentity }

export async function createOutgoingMessage(context: Context, outgoing: Outgoing): Promise<OutgoingMessage> {
  const { identity } = outgoing
  const email = await context.withBroadcastContent(outgoing.email)
  const sender = ownSenderOf(context, outgoing) ?? senderAddressOf(email)
  const tracked = identity.tracking && (await trackContent(context, { ...outgoing, email, tracking: identity.tracking }))
  const content = await buildMessage(context, email, identity.signers, tracked)
  return {
    sender,
    requiresTls: identity.requiresTls,
    isEightBit: mayHaveEightBits(email, content),
    content,
    inSevenBits: () => Readable.from(sevenBits(context, { email, identity, tracked }), { objectMode: false }),
  }
}

const mayHaveEightBits = ({ submitted, attachments }: OutgoingEmail, content: Buffer | Readable): boolean =>
  Buffer.isBuffer(content) ? !isAscii(content) : submitted !== null || attachments.some(({ contentType }) => isMessageType(contentType))

type Sending = { email: OutgoingEmail; identity: SenderIdentity; tracked: string | null }

async function* sevenBits(context: Context, { email, identity, tracked }: Sending): AsyncGenerator<Buffer> {
  const message = await buildMessage(context, email, identity.signers, tracked, { inSevenBits: true })
  if (Buffer.isBuffer(message)) yield message
  else yield* message
}

/** Null if bounces return to the address that the email is from. */
function ownSenderOf({ config, returnPathTokens }: Context, { recipientId, identity }: Outgoing): string | null {
  if (config.returnPath !== 'own' || identity.returnPathHost === null) return null
  const sender = `${returnPathTokens.create(recipientId)}@${identity.returnPathHost}`
  return sender.length <= ADDRESS_OCTETS_MAX ? sender : null
}
