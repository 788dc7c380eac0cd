import type { Context } from '../context.ts'
import type { ContactImportRow } from '../repositories/imports/contact-imports.ts'
import { IMPORT_REPORT_DAYS } from '../schemas/contact-imports.ts'

const LINK_MS = 60 * 60 * 1_000
const REPORT_MS = IMPORT_REPORT_DAYS * 24 * 60 * 60 * 1_000

/** A link to the list of the refused rows, which works for an hour. Null if none was refused, or the list is no longer kept. */
export function importReportUrl(
  { links, publicUrl, clock }: Pick<Context, 'links' | 'publicUrl' | 'clock'>,
  teamId: string,
  { id, failed, completedAt }: Pick<ContactImportRow, 'id' | 'failed' | 'completedAt'>,
): string | null {
  const nowMs = clock.now().getTime()
  if (failed === 0 || (completedAt && completedAt.getTime() + REPORT_MS < nowMs)) return null
  return `${publicUrl}/downloads/${links.sign('download', { importId: id, teamId }, new Date(nowMs + LINK_MS))}`
}
