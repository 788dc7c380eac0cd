// Reads who failed, and why, from notices that only people were meant to read: those of servers without RFC 3464.
import { setImmediate } from 'node:timers/promises'
import { faultTexts } from '../../../mail/bounces/phrase-files.ts'
import { faultOfText } from '../../../mail/bounces/phrases.ts'
import { type ReportedRecipient, reportedRecipient, shortened } from './delivery-status.ts'
import { replyIn } from './notice.ts'
import { addressOfField, bareAddress } from './reporters.ts'

export type Writing = {
  text: string
  /** Fields such as `X-Failed-Recipients`, which Exim and Gmail write beside the text. */
  failed: readonly string[]
  /** Addresses that are not the recipient's: of the server, of the sender. */
  others: ReadonlySet<string>
}

export async function readWrittenBounce({ text, failed, others }: Writing): Promise<ReportedRecipient[]> {
  const sections = splitSections(text, others)
  const named = failed.length > 0 ? failed : [...sections.keys()]
  const addresses = named.length > 0 ? named.slice(0, RECIPIENTS_MAX) : [addressInside(text, others)]
  const recipients: ReportedRecipient[] = []
  for (const [place, address] of addresses.entries()) {
    const section = address === null ? undefined : sections.get(address.toLowerCase())
    recipients.push(
      toReportedRecipient(address === null ? null : (section?.address ?? address), section?.text ?? '', addresses.length === 1 ? text : ''),
    )
    if (place % RECIPIENTS_A_TURN === 0) await setImmediate()
  }
  return recipients
}

/** What a notice says about an address; all of it if it says nothing apart. */
export function explanationIn(text: string, address: string | null): string {
  const section = address === null ? undefined : splitSections(text, new Set()).get(address.toLowerCase())
  return saysMuch(section?.text ?? '') ? (section?.text ?? '') : reasonIn(text)
}

const RECIPIENTS_MAX = 5_000

/** Each may have a text of two kilobytes that is searched for many words. */
const RECIPIENTS_A_TURN = 5

type Section = { address: string; text: string }

/** By address in lower case: the lines that begin with it, and those that follow up to the next address. */
function splitSections(text: string, others: ReadonlySet<string>): Map<string, Section> {
  const sections = new Map<string, Section>()
  let current: Section | null = null
  for (const line of text.split('\n')) {
    const marked = markedAddress(line)
    if (marked !== null && !others.has(marked.toLowerCase())) {
      current = sections.get(marked.toLowerCase()) ?? { address: marked, text: '' }
      sections.set(marked.toLowerCase(), current)
      if (sections.size > RECIPIENTS_MAX) return sections
    }
    if (current !== null && current.text.length < SECTION_LENGTH_MAX) current.text += `${line.trim()}\n`
  }
  return sections
}

const SECTION_LENGTH_MAX = 2048

/** The address with which a line begins, after a code, a bullet or a label such as `Recipient:`. */
function markedAddress(line: string): string | null {
  if (!line.includes('@') || line.length > LINE_LENGTH_MAX) return null
  const address = bareAddress(line)
  if (address === null) return null
  const before = line.slice(0, line.indexOf(address)).trim()
  if (/^[^\p{L}]*$/u.test(before)) return address
  const label = before
    .replace(/[^\p{L}\p{N}: -]/gu, '')
    .trim()
    .toLowerCase()
  return label.length <= LABEL_WORDS_LENGTH_MAX && LABELS.test(label) && !OTHER_LABELS.test(label) ? address : null
}

const LINE_LENGTH_MAX = 2048

const LABEL_WORDS_LENGTH_MAX = 48

const LABELS =
  /(?:recipient|rcpt to|address|\bto|mailbox|user|empfänger|an|destinataires?|destinatarios?|destinatari|adresse|宛先|メールアドレス|收件人|收信人|получатель|кому|address is|deliver to|e-mail|email)(?: ?\d{0,3})?:?$/u

const OTHER_LABELS =
  /(?:sender|from|contact|reply|return|message|write|mail to|send|forward|questions?|help|support|report|email us|according|due|id)\b/u

/** The only address in a text, or the first that stands where something failed. */
function addressInside(text: string, others: ReadonlySet<string>): string | null {
  for (const line of text.split('\n', INSIDE_LINES_MAX)) {
    if (!line.includes('@') || OTHER_LINES.test(line)) continue
    const address = bareAddress(line)
    if (address !== null && !others.has(address.toLowerCase()) && !CONTACTS.test(address)) return address
  }
  return null
}

const INSIDE_LINES_MAX = 300

const OTHER_LINES =
  /^\W{0,8}(?:message-id|message id|from|sender|reply-to|references|in-reply-to|return-path|von|de|expéditeur|absender|remitente)\b/iu

const CONTACTS = /^(?:postmaster|mailer-daemon|abuse|support|help|helpdesk|admin|administrator|webmaster|noreply|no-reply)@/i

function toReportedRecipient(address: string | null, section: string, whole: string): ReportedRecipient {
  const own = explainingPart(section)
  const reason = own ?? (whole === '' ? section : reasonIn(whole))
  const quoted = replyIn(reason)
  const words = address === null ? reason : reason.split(address).join(' ')
  const message = words
    .replace(/\s+/g, ' ')
    .replace(/^[\s<>:()[\]"'.,;*-]{1,40}/, '')
    .trim()
  return reportedRecipient({
    address,
    ...quoted,
    diagnosticCode: message === '' ? [] : [shortened(message, DIAGNOSTIC_LENGTH_MAX)],
    message,
  })
}

const DIAGNOSTIC_LENGTH_MAX = 1024

/** The first paragraphs, as far as they say why: the last ones are often those of a company. Null if none of them does. */
function explainingPart(section: string): string | null {
  const ends = [...section.matchAll(/\n\n/g)].map(({ index }) => index).slice(0, PARAGRAPHS_MAX)
  const end = ends.find((each) => saysWhy(section.slice(0, each))) ?? section.length
  return saysMuch(section.slice(0, end)) ? section.slice(0, end) : null
}

const PARAGRAPHS_MAX = 5

function saysWhy(text: string): boolean {
  const { code, enhancedCode } = replyIn(text)
  return code !== null || enhancedCode !== null || faultOfText(faultTexts().beforeCodes, text) !== null
}

const saysMuch = (text: string): boolean => saysWhy(text) || faultOfText(faultTexts().afterCodes, text) !== null

/** The part of a long notice that says why: from the first reply that it quotes, else its first lines. */
function reasonIn(text: string): string {
  const lines = text.slice(0, REASON_LENGTH_MAX).split('\n')
  const place = lines.findIndex((line) => replyIn(line).code !== null || replyIn(line).enhancedCode !== null)
  return place === -1 ? lines.join('\n') : lines.slice(place, place + REASON_LINES).join('\n')
}

const REASON_LENGTH_MAX = 8 * 1024

const REASON_LINES = 6

/** Each once: what is said of an address is searched for every one of them. */
export function failedRecipients(values: readonly string[]): string[] {
  const failed = new Map<string, string>()
  for (const text of values.flatMap((value) => value.split(',', RECIPIENTS_MAX))) {
    const address = addressOfField(text)
    if (address !== null && failed.size < RECIPIENTS_MAX) failed.set(address.toLowerCase(), address)
  }
  return [...failed.values()]
}
