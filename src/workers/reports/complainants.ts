// Who complained. Reports name the recipient in several ways, and large providers remove some of them.
import { isProblem } from '../../lib/problem.ts'
import { parseMailbox } from '../../mail/addresses.ts'
import type { Original } from '../../mail/reports/reported.ts'
import type { ReportedRecipientRow } from '../../repositories/inbound/reported-recipients.ts'
import type { FoundRecipients } from './recipients-of-reports.ts'

/** The surest first: a signed return path, then the Message-ID, then sender and recipient of the envelope. `reason`: why no one is known. */
export function complainants(original: Original, found: FoundRecipients): { recipients: ReportedRecipientRow[] } | { reason: string } {
  if (found.byToken.length > 0) return { recipients: found.byToken }
  if (found.byMessageId.length > 0) return ofMessage(original, found.byMessageId)
  const [newest, ...others] = found.bySending.filter((row) => isFrom(row, original))
  if (!newest) return { reason: 'No email of this installation is named.' }
  if (others.some(({ teamId }) => teamId !== newest.teamId)) return { reason: 'Several teams sent such mail.' }
  return { recipients: [newest] }
}

/** Of several recipients, the report must name the one: its `To` names all of them except those of a blind copy. */
function ofMessage(
  { envelopeRecipients }: Original,
  rows: ReportedRecipientRow[],
): { recipients: ReportedRecipientRow[] } | { reason: string } {
  const named = new Set(envelopeRecipients.map((address) => address.toLowerCase()))
  const recipients = rows.filter(({ address }) => named.has(address.toLowerCase()))
  if (recipients.length > 0) return { recipients }
  // The address of a forwarded mail is another one.
  if (rows.length === 1) return { recipients: rows }
  return { reason: 'The email has several recipients, and the report names none of them.' }
}

/** The text that was searched may have held the sender in another place. */
function isFrom({ from }: ReportedRecipientRow, { returnPathAddresses }: Original): boolean {
  const mailbox = parseMailbox(from)
  return !isProblem(mailbox) && returnPathAddresses.some((address) => address.toLowerCase() === mailbox.address.toLowerCase())
}
