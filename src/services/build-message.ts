// Builds the message of an accepted email for one recipient.
import type { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import { isLong } from '../lib/main-thread.ts'
import { isProblem } from '../lib/problem.ts'
import type { SubmittedContent } from '../lib/submitted-content.ts'
import { type Mailbox, parseMailbox } from '../mail/addresses.ts'
import type { BodyHashes } from '../mail/dkim/body-hashes.ts'
import type { DkimSigner } from '../mail/dkim/signature-fields.ts'
import { signMessage, type UnsignedMessage } from '../mail/dkim/signed-message.ts'
import { textFromHtml } from '../mail/html/text-from-html.ts'
import { composeMessage, type MimeMessage } from '../mail/mime.ts'
import { sevenBitForm } from '../mail/submission/seven-bits.ts'
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
  { inSevenBits = false } = {},
): Promise<Buffer | Readable> {
  const form = inSevenBits ? 'in seven bits' : 'as it is'
  const isOwn = trackedHtml !== null
  const signing = { signers, bodyKey: isOwn ? '' : `${email.id} ${form}`, bodyHashes: isOwn ? FORGOTTEN : bodyHashes }
  const date = email.scheduledAt ?? email.createdAt
  const { compose, isStreamed } =
    email.submitted === null
      ? composed(email, { gateways, trackedHtml, text: await textOf(gateways, email) })
      : submitted({ ...email, submitted: email.submitted }, { gateways, trackedHtml })
  if (!inSevenBits) return signMessage({ compose, isStreamed, date }, signing)
  return signMessage({ compose: sevenBitForm(compose), isStreamed: true, date }, signing)
}

type Composing = { gateways: Context['gateways']; trackedHtml: string | null }

/** How a message is made, before it is signed. */
type Composed = Pick<UnsignedMessage, 'compose' | 'isStreamed'>

/** If it was left out, it is made from the HTML. An empty string means that there is none. */
function textOf(gateways: Context['gateways'], { teamId, html, text }: OutgoingEmail): string | null | Promise<string> {
  if (text !== null || html === null) return text
  return isLong(html) ? gateways.texts.do(teamId, { kind: 'textFromHtml', html }) : textFromHtml(html)
}

function composed(email: OutgoingEmail, { gateways, trackedHtml, text }: Composing & { text: string | null }): Composed {
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
    text,
    headers: Object.entries(email.headers).map(([name, value]) => ({ name, value })),
    attachments: email.attachments.map(({ blobKey, ...file }) => ({ ...file, open: () => gateways.blobs.open(blobKey) })),
  }
  return { compose: () => composeMessage(message), isStreamed: message.attachments.length > 0 }
}

/** As its client made it, but for the HTML if that is tracked. */
function submitted(
  { submitted: { head, body, htmlPart } }: OutgoingEmail & { submitted: SubmittedContent },
  { gateways, trackedHtml }: Composing,
): Composed {
  const open = async () =>
    Buffer.isBuffer(body)
      ? submittedMessage(head, body)
      : submittedStream(head, await gateways.blobs.open(body.blobKey, { start: body.start }))
  const compose = async () =>
    trackedHtml === null || htmlPart === null ? open() : withHtml(await open(), { place: htmlPart, html: trackedHtml })
  return { compose, isStreamed: !Buffer.isBuffer(body) }
}

/** No other message has the body of a tracked one. */
const FORGOTTEN: BodyHashes = { of: (_key, compute) => compute() }

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw invalid('An address that was accepted can no longer be parsed.')
  return parsed
}
