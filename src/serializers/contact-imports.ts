import type { Static } from '@sinclair/typebox'
import { ignoredColumns } from '../lib/audience/contact-columns.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ContactImportRow, FoundContactImport } from '../repositories/imports/contact-imports.ts'
import type { ContactImport, ContactImportSummary } from '../schemas/contact-imports.ts'

export const toContactImportSummary = (row: ContactImportRow): Static<typeof ContactImportSummary> => ({
  object: 'contact_import',
  id: row.id,
  status: row.status,
  created_at: toTimestamp(row.createdAt),
  completed_at: toTimestamp(row.completedAt),
  counts: { total: row.total, created: row.created, updated: row.updated, skipped: row.skipped, failed: row.failed },
})

export const toContactImport = (row: FoundContactImport, reportUrl: string | null): Static<typeof ContactImport> => ({
  ...toContactImportSummary(row),
  encoding: row.encoding,
  ignored_columns: ignoredColumns(row.columns),
  reason: row.reason,
  report_url: reportUrl,
})
