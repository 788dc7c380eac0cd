// Builds the message of an accepted email for one recipient.
import type { Readable } from 'node:stream'
import type { PlatformContext } from '../../http/platform.context.ts'
import { invalid } from '../../lib/failure.ts'
import { isLong } from '../../lib/main-thread.ts'
import { isProblem } from '../../lib/problem.ts'
import { type Mailbox, parseMailbox } from '../../mail/addresses.ts'
import type { BodyHashes } from '../../mail/dkim/body-hash.ts'
import type { DkimSigner } from '../../mail/dkim/signature-fields.ts'
import { signMessage, type UnsignedMessage } from '../../mail/dkim/signed-message.ts'
import { textFromHtml } from '../../mail/html/text-from-html.ts'
import { composeMessage, type MimeMessage } from '../../mail/mime-build.ts'
import { sevenBitForm } from '../../mail/seven-bits.ts'
import type { EncodedText } from '../../mail/transfer-encoding.ts'
import type { EmailsContext } from './emails.context.ts'
import type { OutgoingEmail } from './outgoing-emails.repository.ts'
import { type SubmittedContent, submittedMessage, submittedStream, withHtml } from './submitted-message.ts'

type Context = PlatformContext & EmailsContext

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
      ? composed(email, gateways, await makeTexts(gateways, email, trackedHtml))
      : submitted(email.submitted, gateways, await encoded(gateways, email, { kind: 'quotedPrintableText', text: trackedHtml }))
  if (!inSevenBits) return signMessage({ compose, isStreamed, date }, signing)
  return signMessage({ compose: sevenBitForm(compose), isStreamed: true, date }, signing)
}

/** How a message is made, before it is signed. */
type Composed = Pick<UnsignedMessage, 'compose' | 'isStreamed'>

type Gateways = Context['gateways']
type Texts = Pick<MimeMessage, 'html' | 'text'>

async function makeTexts(gateways: Gateways, email: OutgoingEmail, trackedHtml: string | null): Promise<Texts> {
  const text = await makeText(gateways, email)
  return {
    html: await encoded(gateways, email, { kind: 'encodedText', text: trackedHtml ?? email.html }),
    text: await encoded(gateways, email, { kind: 'encodedText', text }),
  }
}

type Encoding = { kind: 'encodedText' | 'quotedPrintableText'; text: string | null }

/** A long text is encoded in a thread: in one piece, it would keep everything else waiting. A short one stays as it is. */
async function encoded({ texts }: Gateways, { teamId }: OutgoingEmail, { kind, text }: Encoding): Promise<string | EncodedText | null> {
  return text !== null && isLong(text) ? texts.do(teamId, { kind, text }) : text
}

/** If it was left out, it is made from the HTML. An empty string means that there is none. */
function makeText(gateways: Gateways, { teamId, html, text }: OutgoingEmail): string | null | Promise<string> {
  if (text !== null || html === null) return text
  return isLong(html) ? gateways.texts.do(teamId, { kind: 'textFromHtml', html }) : textFromHtml(html)
}

function composed(email: OutgoingEmail, gateways: Gateways, { html, text }: Texts): Composed {
  const message: MimeMessage = {
    messageId: email.messageId,
    // The time at which the sender released it (RFC 5322, section 3.6.1), however long delivery takes.
    date: email.scheduledAt ?? email.createdAt,
    from: mailbox(email.from),
    to: email.to.map(mailbox),
    cc: email.cc.map(mailbox),
    replyTo: email.replyTo.map(mailbox),
    subject: email.subject,
    html,
    text,
    headers: Object.entries(email.headers).map(([name, value]) => ({ name, value })),
    attachments: email.attachments.map(({ blobKey, ...file }) => ({ ...file, open: () => gateways.blobs.open(blobKey) })),
  }
  return { compose: () => composeMessage(message), isStreamed: message.attachments.length > 0 }
}

/** As its client made it, but for the HTML if that is tracked. */
function submitted({ head, body, htmlPart }: SubmittedContent, gateways: Gateways, html: string | EncodedText | null): Composed {
  const open = async () =>
    Buffer.isBuffer(body)
      ? submittedMessage(head, body)
      : submittedStream(head, await gateways.blobs.open(body.blobKey, { start: body.start }))
  const compose = async () => (html === null || htmlPart === null ? open() : withHtml(await open(), { place: htmlPart, html }))
  return { compose, isStreamed: !Buffer.isBuffer(body) }
}

/** No other message has the body of a tracked one. */
const FORGOTTEN: BodyHashes = { of: (_key, compute) => compute() }

function mailbox(text: string): Mailbox {
  const parsed = parseMailbox(text)
  if (isProblem(parsed)) throw invalid('An address that was accepted can no longer be parsed.')
  return parsed
}
