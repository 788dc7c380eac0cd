// Who complained. Reports name the recipient in several ways, and large providers remove some of them.
import { isProblem } from '../../lib/problem.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import type { SaidEnvelope } from '../../mail/reports/reported.ts'
import type { ReportedRecipientRow } from '../../repositories/inbound/reported-recipients.ts'
import type { FoundRecipients } from './recipients-of-reports.ts'

/** `isProven`: a signed return path names the recipient. Without one the report must prove who sent it. `reason`: why no one is known. */
export type Complainants = { recipients: ReportedRecipientRow[]; isProven: boolean } | { reason: string }

/** The surest first: a signed return path, then the Message-ID, then sender and recipient of the envelope. */
export function complainants(envelope: SaidEnvelope, found: FoundRecipients): Complainants {
  if (found.byToken.length > 0) return { recipients: found.byToken, isProven: true }
  if (found.byMessageId.length > 0) return ofMessage(envelope, found.byMessageId)
  const [newest, ...others] = found.bySending.filter((row) => isFrom(row, envelope))
  if (!newest) return { reason: 'No email of this installation is named.' }
  if (others.some(({ teamId }) => teamId !== newest.teamId)) return { reason: 'Several teams sent such mail.' }
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
