// An accepted email as the message that one recipient gets.
import type { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { isProblem } from '../lib/problem.ts'
import { type Mailbox, parseMailbox } from '../mail/addresses.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import { composeMessage } from '../mail/mime.ts'
import type { OutgoingEmail } from '../repositories/emails/outgoing-emails.ts'

export type BuiltMessage = {
  /** Address of the envelope's sender: bounces go there. */
  sender: string
  content: Buffer | Readable
}

/** The same for every recipient and every try, byte for byte. */
export async function buildMessage({ gateways }: Pick<Context, 'gateways'>, email: OutgoingEmail): Promise<BuiltMessage> {
  const from = mailbox(email.from)
  const content = await composeMessage({
    messageId: email.messageId,
    // When its sender meant it to be on its way (RFC 5322, section 3.6.1), however long it takes.
    date: email.scheduledAt ?? email.createdAt,
    from,
    to: email.to.map(mailbox),
    cc: email.cc.map(mailbox),
    replyTo: email.replyTo.map(mailbox),
    subject: email.subject,
    html: email.html,
    // Left out: made from the HTML. An empty string: none is wanted.
    text: email.text ?? (email.html === null ? null : textFromHtml(email.html)),
    headers: Object.entries(email.headers).map(([name, value]) => ({ name, value })),
    attachments: email.attachments.map(({ blobKey, ...file }) => ({ ...file, open: () => gateways.blobs.open(blobKey) })),
  })
  return { sender: from.address, content }
}

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw new Error('An address that was accepted can no longer be parsed')
  return parsed
}
