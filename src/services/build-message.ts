// Builds the message of an accepted email for one recipient.
import type { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import { isProblem } from '../lib/problem.ts'
import type { SubmittedContent } from '../lib/submitted-content.ts'
import { type Mailbox, parseMailbox } from '../mail/addresses.ts'
import type { BodyHashes } from '../mail/dkim/body-hashes.ts'
import type { DkimSigner } from '../mail/dkim/signature-fields.ts'
import { composeSignedMessage, type Signing, signMessage } from '../mail/dkim/signed-message.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import type { MimeMessage } from '../mail/mime.ts'
import { submittedMessage, submittedStream, withHtml } from '../mail/submission/submitted-message.ts'
import type { OutgoingEmail } from '../repositories/emails/outgoing-emails.ts'

/** The domain that the email is from. Empty if the address can no longer be parsed, which building the message reports. */
export function senderDomainOf({ from }: Pick<OutgoingEmail, 'from'>): string {
  const parsed = parseMailbox(from)
  return isProblem(parsed) ? '' : parsed.domain
}

/** The address that the email is from. */
export const senderAddressOf = ({ from }: Pick<OutgoingEmail, 'from'>): string => mailbox(from).address

/**
 * Every recipient and every attempt gets the same bytes, as long as the domain has the same keys. Tracked HTML is different for every recipient: it
 * replaces the given HTML, but the text is still made from the given HTML.
 */
export async function buildMessage(
  { gateways, bodyHashes }: Pick<Context, 'gateways' | 'bodyHashes'>,
  email: OutgoingEmail,
  signers: readonly DkimSigner[],
  trackedHtml: string | null = null,
): Promise<Buffer | Readable> {
  const signing = trackedHtml === null ? { bodyKey: email.id, bodyHashes } : { bodyKey: '', bodyHashes: FORGOTTEN }
  if (email.submitted !== null)
    return buildSubmitted({ gateways }, { ...email, submitted: email.submitted }, { signers, ...signing }, trackedHtml)
  const message: MimeMessage = {
    messageId: email.messageId,
    // The time at which the sender released it (RFC 5322, section 3.6.1), however long delivery takes.
    date: email.scheduledAt ?? email.createdAt,
    from: mailbox(email.from),
    to: email.to.map(mailbox),
    cc: email.cc.map(mailbox),
    replyTo: email.replyTo.map(mailbox),
    subject: email.subject,
    html: trackedHtml ?? email.html,
    // If it was left out, it is made from the HTML. An empty string means that there is none.
    text: email.text ?? (email.html === null ? null : textFromHtml(email.html)),
    headers: Object.entries(email.headers).map(([name, value]) => ({ name, value })),
    attachments: email.attachments.map(({ blobKey, ...file }) => ({ ...file, open: () => gateways.blobs.open(blobKey) })),
  }
  return composeSignedMessage(message, { signers, ...signing })
}

/** As its client made it, but for the HTML if that is tracked. */
function buildSubmitted(
  { gateways }: Pick<Context, 'gateways'>,
  { submitted: { head, body, htmlPart }, scheduledAt, createdAt }: OutgoingEmail & { submitted: SubmittedContent },
  signing: Signing,
  trackedHtml: string | null,
): Promise<Buffer | Readable> {
  const open = async () =>
    Buffer.isBuffer(body)
      ? submittedMessage(head, body)
      : submittedStream(head, await gateways.blobs.open(body.blobKey, { start: body.start }))
  const compose = async () =>
    trackedHtml === null || htmlPart === null ? open() : withHtml(await open(), { place: htmlPart, html: trackedHtml })
  return signMessage({ compose, isStreamed: !Buffer.isBuffer(body), date: scheduledAt ?? createdAt }, signing)
}

/** No other message has the body of a tracked one. */
const FORGOTTEN: BodyHashes = { of: (_key, compute) => compute() }

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw invalid('An address that was accepted can no longer be parsed.')
  return parsed
}
