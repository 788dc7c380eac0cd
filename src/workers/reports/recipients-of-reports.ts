// Finds the recipients that reports may be about, for a whole batch with one query of each kind.
import type { Context } from '../../context.ts'
import type { Report } from '../../mail/reports/reported.ts'
import { DAYS_AHEAD_MAX } from '../../mail/times/scheduled-times.ts'
import type { ReportedRecipientRow, Sending } from '../../repositories/inbound/reported-recipients.ts'
import type { WaitingMessage } from '../../repositories/inbound/waiting-messages.ts'

/** The recipients that a report may be about, by what names them. */
export type FoundRecipients = {
  /** By a signed return path: the one that the message came to, or else those of the returned mail. */
  byToken: ReportedRecipientRow[]
  /** All recipients of the emails whose Message-ID the returned mail has. */
  byMessageId: ReportedRecipientRow[]
  /** The newest mail from a sender to an address that the report names. */
  bySending: ReportedRecipientRow[]
}

const DAY_MS = 24 * 60 * 60 * 1_000

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
