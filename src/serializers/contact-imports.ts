import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ContactImportRow } from '../repositories/contact-imports.ts'
import type { ContactImport, ContactImportSummary } from '../schemas/contact-imports.ts'

export const toContactImportSummary = (row: ContactImportRow): Static<typeof ContactImportSummary> => ({
  object: 'contact_import',
  id: row.id,
  status: row.status,
  created_at: toTimestamp(row.createdAt),
  completed_at: toTimestamp(row.completedAt),
  counts: { total: row.total, created: row.created, updated: row.updated, skipped: row.skipped, failed: row.failed },
})

export const toContactImport = (row: ContactImportRow, reportUrl: string | null): Static<typeof ContactImport> => ({
  ...toContactImportSummary(row),
  reason: row.reason,
  report_url: reportUrl,
})
