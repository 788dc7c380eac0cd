// Reads the machine-readable part of a delivery report (RFC 3464; RFC 6533 for addresses that are not ASCII).
import { setImmediate } from 'node:timers/promises'
import { type BounceReason, classifyBounce } from '../../../mail/bounces/bounce-reason.ts'
import { allOf, type Fields, firstOf, readFields } from '../../../mail/mime-fields.ts'
import { isGeneral, replyIn } from './notice.ts'
import { addressOfField, fromXtext, type ReportSender } from './reporters.ts'

export type ReportedRecipient = {
  /** As the report writes it; null if it names none. */
  address: string | null
  /** Where it failed, if that is another mailbox: the mail was forwarded, or the recipient is a list. */
  forwardedTo?: string
  bounce: BounceReason
  enhancedCode: string | null
  code: number | null
  /** The codes as they came. */
  diagnosticCode: string[]
  message: string
}

/** What the returned headers name: the message, where its bounces go, and the addresses that it went to. */
export type Original = {
  messageIds: string[]
  returnPathAddresses: string[]
  /** Recipients of the envelope alone. With several recipients, `To` does not say which of them a report is about. */
  envelopeRecipients: string[]
  /** These, and those of `To` and `Cc`. */
  recipients: string[]
}

/** What the reporter itself says. The head of the reported mail was written by its sender, who may be anyone. */
export type SaidEnvelope = Pick<Original, 'returnPathAddresses' | 'envelopeRecipients'>

export type Report =
  | { kind: 'bounce'; recipients: ReportedRecipient[]; original: Original }
  | { kind: 'complaint'; feedbackType: string; original: Original; envelope: SaidEnvelope; userAgent: string | null; sender: ReportSender }
  | { kind: 'delay' | 'success' | 'auto_reply' | 'challenge' | 'other'; original: Original }

type Found = Omit<ReportedRecipient, 'bounce'>

export function reportedRecipient({ message, ...found }: Found): ReportedRecipient {
  return {
    ...found,
    bounce: classifyBounce({ code: found.code ?? 0, enhancedCode: found.enhancedCode, text: message }),
    message: shortened(message.replace(/\s+/g, ' ').trim(), MESSAGE_LENGTH_MAX),
  }
}

/** At most so many characters of what a server said. If that is not all of it, it ends with a sign. */
export const shortened = (text: string, lengthMax: number): string =>
  text.length <= lengthMax
    ? text.toWellFormed()
    : `${text
        .slice(0, lengthMax - 1)
        .replace(HALF_AT_END, '')
        .toWellFormed()
        .trimEnd()}…`

/** The first half of a pair of units that make one character. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

const MESSAGE_LENGTH_MAX = 1024

export type DeliveryStatus = {
  action: Action
  recipients: ReportedRecipient[]
  messageIds: string[]
}

export type Action = 'failed' | 'delayed' | 'success'

export const isStatusPart = ({ contentType }: { contentType: string }): boolean => STATUS_TYPES.has(contentType)

const STATUS_TYPES = new Set([
  'message/delivery-status',
  'message/global-delivery-status',
  'application/delivery-status',
  'text/delivery-status',
])

/** Null if the part names no recipient. `explain` is what a person would read about the failure. */
export async function readDeliveryStatus(text: string, explain: (address: string | null) => string): Promise<DeliveryStatus | null> {
  const groups = parseGroups(text)
  const rows = groups.filter(namesRecipient)
  const actions = rows.map(readAction)
  const action = STRONGEST_FIRST.find((each) => actions.includes(each))
  if (action === undefined) return null
  const recipients: ReportedRecipient[] = []
  if (action === 'failed') {
    const isAlone = rows.length === 1
    for (const [place, row] of rows.entries()) {
      if (actions[place] === 'failed') recipients.push(readRecipient(row, isAlone ? explain : () => ''))
      if (place % ROWS_A_TURN === 0) await setImmediate()
    }
  }
  return { action, recipients, messageIds: groups.flatMap((group) => allOf(group, 'x-original-message-id', 'original-message-id')) }
}

const STRONGEST_FIRST: readonly Action[] = ['failed', 'delayed', 'success']

/** An email has at most fifty recipients; lists of other services have thousands. Each may take two blocks. */
const BLOCKS_MAX = 5_000

/** Others wait while a report of thousands is read. */
const ROWS_A_TURN = 50

/**
 * Blocks of fields. A blank line in the middle of a recipient's fields separates nothing, and a second address begins the next recipient. Amazon
 * writes the action before the address.
 */
function parseGroups(text: string): Fields[] {
  const groups: Map<string, readonly string[]>[] = []
  let blocks = 0
  for (const block of text.split(/\n[ \t]*\n/)) {
    for (const [place, part] of block.split(/\n(?=(?:original|final)-recipient[ \t]*:)/i).entries()) {
      const fields = readFields(part)
      blocks += 1
      if (blocks > BLOCKS_MAX) return groups
      if (fields.size === 0) continue
      const before = groups.at(-1)
      const isSame =
        before !== undefined &&
        (namesRecipient(before) ? !isWhole(before) : place > 0) &&
        [...fields.keys()].every((name) => !before.has(name))
      if (isSame) for (const [name, values] of fields) before.set(name, values)
      else groups.push(new Map(fields))
    }
  }
  return groups
}

const namesRecipient = (fields: Fields): boolean => fields.has('final-recipient') || fields.has('original-recipient')

const isWhole = (fields: Fields): boolean => fields.has('final-recipient') && fields.has('action') && fields.has('status')

/** Some servers leave the action out, and some put more than the word there. */
function readAction(fields: Fields): Action {
  const action = firstOf(fields, 'action').toLowerCase()
  if (action.startsWith('fail')) return 'failed'
  if (action.startsWith('delay')) return 'delayed'
  if (/^(?:deliver|relay|expand|success)/.test(action)) return 'success'
  const [statusClass] = firstOf(fields, 'status').trim()
  return statusClass === '2' ? 'success' : statusClass === '4' ? 'delayed' : 'failed'
}

function readRecipient(fields: Fields, explain: (address: string | null) => string): ReportedRecipient {
  const original = addressOfField(firstOf(fields, 'original-recipient'))
  const final = addressOfField(firstOf(fields, 'final-recipient'))
  const address = original === null ? final : fromXtext(original)
  const isForwarded = address !== null && final !== null && mailboxOf(address) !== mailboxOf(final)
  const diagnosticCode = allOf(fields, ...DIAGNOSES).map((value) => shortened(value, DIAGNOSTIC_LENGTH_MAX))
  const diagnosis = (diagnosticCode.length > 0 ? diagnosticCode.join(' ') : commentIn(firstOf(fields, 'status')))
    .replace(/^ *[\w-]{1,20} *; */, '')
    .replace(GATEWAY_WORDS, '')
  const quoted = replyIn(diagnosis)
  const status = STATUS.exec(firstOf(fields, 'status'))?.[0] ?? null
  const isVague = (code: string | null) => code === null || isGeneral(code)
  const enhancedCode = isVague(quoted.enhancedCode) ? (status ?? quoted.enhancedCode) : quoted.enhancedCode
  const saysNothing = isVague(enhancedCode) && !/\p{L}{3}/u.test(diagnosis)
  const message = saysNothing ? `${diagnosis} ${explain(address)}`.trim() : diagnosis
  return reportedRecipient({
    address,
    ...(isForwarded && { forwardedTo: final }),
    code: quoted.code,
    enhancedCode,
    diagnosticCode,
    message,
  })
}

/** The local part without a tag. Servers add names of hosts of their own to the domain. */
export const mailboxOf = (address: string): string | undefined => address.slice(0, address.lastIndexOf('@')).toLowerCase().split('+', 1)[0]

/** The standard's field, and those in which some servers write what others write there. */
const DIAGNOSES = ['diagnostic-code', 'x-smtp-server-diagnostic', 'x-supplementary-info', 'x-notes-error']

/** Cisco's gateway and Amazon begin so whatever the server said: `5.1.0 - Unknown address error 550-'5.7.1 Blocked'`. */
const GATEWAY_WORDS = /^ ?[45]\.\d\.\d - [\w ]{1,60} (?=[45]\d\d-')/

/** Sun's servers say nowhere else why: `5.4.4 (Illegal host/domain name found)`. */
const commentIn = (status: string): string => COMMENT.exec(status.slice(0, DIAGNOSTIC_LENGTH_MAX))?.[1] ?? ''

const COMMENT = /\(([^()]{1,500})\)/

const STATUS = /[245]\.\d{1,3}\.\d{1,3}/

const DIAGNOSTIC_LENGTH_MAX = 2048
