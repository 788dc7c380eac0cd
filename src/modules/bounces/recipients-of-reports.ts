// Finds the recipients that reports may be about, for a whole batch with one query of each kind.

import { DAY_MS } from '../../lib/clock.ts'
import { isProblem } from '../../lib/problem.ts'
import { DAYS_AHEAD_MAX } from '../../lib/times/scheduled-times.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import type { DeliveryContext } from '../delivery/delivery.context.ts'
import type { BouncesContext } from './bounces.context.ts'
import type { WaitingMessage } from './pending-reports.repository.ts'
import type { ReportedRecipientRow, Sending } from './reported-recipients.repository.ts'
import type { Report, SaidEnvelope } from './reports/delivery-status.ts'

type Context = DeliveryContext & BouncesContext

/** The recipients that a report may be about, by what names them. */
export type FoundRecipients = {
  /** By a signed return path: the one that the message came to, or else those of the returned mail. */
  byToken: ReportedRecipientRow[]
  /** All recipients of the emails whose Message-ID the returned mail has. */
  byMessageId: ReportedRecipientRow[]
  /** The newest mail from a sender to an address that the report names. */
  bySending: ReportedRecipientRow[]
}

/** The limit for each kind. A report about one email names few. */
const NAMES_MAX = 5
const SENDINGS_MAX = 3

/** A return path is valid for this long after the mail was due. Servers give up after days, people complain after weeks. */
export const REPORTS_TAKEN_DAYS = 90

export async function recipientsOfReports(
  { repositories, returnPathTokens }: Pick<Context, 'repositories' | 'returnPathTokens'>,
  reports: { message: WaitingMessage; report: Report }[],
  now: Date,
): Promise<(message: WaitingMessage) => FoundRecipients> {
  const { reportedRecipients } = repositories
  const names = new Map(reports.map(({ message, report }) => [message.id, namesIn(message, report, returnPathTokens)]))
  const all = [...names.values()]
  const [byId, byMessageId, bySending] = await Promise.all([
    reportedRecipients.findAcrossTeams(all.flatMap(({ recipientIds }) => recipientIds)),
    reportedRecipients.ofMessagesAcrossTeams(all.flatMap(({ messageIds }) => messageIds)),
    reportedRecipients.ofSendingsAcrossTeams(
      [...new Map(all.flatMap(({ sendings }) => sendings).map((sending) => [sendingKey(sending), sending])).values()],
      new Date(now.getTime() - (REPORTS_TAKEN_DAYS + DAYS_AHEAD_MAX) * DAY_MS),
    ),
  ])
  const rows = {
    byId: Map.groupBy(byId, ({ id }) => id),
    byMessageId: Map.groupBy(byMessageId, ({ messageId }) => messageId),
    bySending: Map.groupBy(bySending, sendingKey),
  }
  return ({ id }) => {
    const { recipientIds, messageIds, sendings } = names.get(id) ?? NO_NAMES
    return {
      byToken: recipientIds.flatMap((recipientId) => rows.byId.get(recipientId) ?? []),
      byMessageId: messageIds.flatMap((messageId) => rows.byMessageId.get(messageId) ?? []),
      bySending: sendings.flatMap((sending) => rows.bySending.get(sendingKey(sending)) ?? []),
    }
  }
}

type Names = { recipientIds: string[]; messageIds: string[]; sendings: Sending[] }

const NO_NAMES: Names = { recipientIds: [], messageIds: [], sendings: [] }

const sendingKey = ({ sender, address }: Sending): string => `${sender} ${address.toLowerCase()}`

function namesIn(message: WaitingMessage, report: Report, tokens: Context['returnPathTokens']): Names {
  const { original } = report
  const recipientIds =
    message.recipientId === null
      ? few(original.returnPathAddresses).flatMap((address) => tokens.read(localPartOf(address)) ?? [])
      : [message.recipientId]
  // Anyone who got the mail knows its Message-ID and its addresses. A complaint may go by them, because many name nothing else; a bounce may not.
  if (report.kind !== 'complaint') return { ...NO_NAMES, recipientIds: few(recipientIds) }
  return {
    recipientIds: few(recipientIds),
    messageIds: few(original.messageIds),
    // One address may have got any amount of mail.
    sendings: few(report.envelope.returnPathAddresses)
      .flatMap((sender) =>
        few(report.envelope.envelopeRecipients).map((address) => ({ sender: sender.toLowerCase(), address: address.toLowerCase() })),
      )
      .slice(0, SENDINGS_MAX),
  }
}

/** Without repetitions, and without what no email of ours can have and the database refuses. */
const few = (names: string[]): string[] =>
  [...new Set(names)].filter((name) => !name.includes('\0') && name.isWellFormed()).slice(0, NAMES_MAX)

const localPartOf = (address: string): string => address.slice(0, Math.max(0, address.lastIndexOf('@')))

// Who complained. Reports name the recipient in several ways, and large providers remove some of them.

/** `isProven`: a signed return path names the recipient. Without one the report must prove who sent it. `reason`: why no one is known. */
export type Complainants = { recipients: ReportedRecipientRow[]; isProven: boolean } | { reason: string }

/** The surest first: a signed return path, then the Message-ID, then sender and recipient of the envelope. */
export function complainants(envelope: SaidEnvelope, found: FoundRecipients): Complainants {
  if (found.byToken.length > 0) return { recipients: found.byToken, isProven: true }
  if (found.byMessageId.length > 0) return ofMessage(envelope, found.byMessageId)
  const [newest, ...others] = found.bySending.filter((row) => isFrom(row, envelope))
  if (!newest) return { reason: 'The report names no email of this installation.' }
  if (others.some(({ teamId }) => teamId !== newest.teamId))
    return { reason: 'Several teams sent mail from this sender to this recipient.' }
  return { recipients: [newest], isProven: false }
}

/**
 * The report must name one of several recipients: its `To` names all of them except those of a blind copy. A Message-ID proves nothing, because a
 * reply, a mailing list and an archive disclose it.
 */
function ofMessage({ envelopeRecipients }: SaidEnvelope, rows: ReportedRecipientRow[]): Complainants {
  const named = new Set(envelopeRecipients.map((address) => address.toLowerCase()))
  const recipients = rows.filter(({ address }) => named.has(address.toLowerCase()))
  if (recipients.length > 0) return { recipients, isProven: false }
  // The address of a forwarded mail is another one.
  if (rows.length === 1) return { recipients: rows, isProven: false }
  return { reason: 'The email has several recipients, and the report names none of them.' }
}

/** The text that was searched may have held the sender in another place. */
function isFrom({ from }: ReportedRecipientRow, { returnPathAddresses }: SaidEnvelope): boolean {
  const mailbox = parseMailbox(from)
  return !isProblem(mailbox) && returnPathAddresses.some((address) => address.toLowerCase() === mailbox.address.toLowerCase())
}
