import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { toList } from '../../../http/resource.ts'
import { DAY_MS, HOUR_MS, toTimestamp } from '../../../lib/clock.ts'
import { Failure, notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import type { LimitsContext } from '../../limits/limits.context.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import { SEGMENTS } from '../segments/segments.schema.ts'
import { TOPICS } from '../topics/topics.schema.ts'
import { ignoredColumns } from './contact-columns.ts'
import type { ContactImportRow, FoundContactImport } from './imports.repository.ts'
import {
  CONTACT_IMPORTS,
  ContactImport,
  ContactImportCreate,
  ContactImportList,
  ContactImportListQuery,
  ContactImportParams,
  ContactImportReference,
  type ContactImportSummary,
  IMPORT_REPORT_DAYS,
} from './imports.schema.ts'
import { createContactImport, endImport } from './imports.service.ts'

type Context = PlatformContext & SecretsContext & LimitsContext & AudienceContext

export const toContactImportSummary = (row: ContactImportRow): Static<typeof ContactImportSummary> => ({
  object: 'contact_import',
  id: row.id,
  status: row.status,
  created_at: toTimestamp(row.createdAt),
  completed_at: toTimestamp(row.completedAt),
  counts: { total: row.total, created: row.created, updated: row.updated, skipped: row.skipped, failed: row.failed },
  file_name: row.fileName,
})

export const toContactImport = (row: FoundContactImport, reportUrl: string | null): Static<typeof ContactImport> => ({
  ...toContactImportSummary(row),
  encoding: row.encoding,
  ignored_columns: ignoredColumns(row.columns),
  reason: row.reason,
  report_url: reportUrl,
})

const LINK_MS = HOUR_MS
const REPORT_MS = IMPORT_REPORT_DAYS * DAY_MS

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

const ENDED = 'This contact import has ended, so it cannot be canceled.'

const operation = declareOperations(CONTACT_IMPORTS)

export const contactImportRoutes: Routes<Context> = async (app, { context }) => {
  const { repositories, config } = context

  app.post(
    '/contacts/imports',
    operation({
      id: 'contacts.imports.create',
      summary: 'Import contacts',
      description: `Accepts a CSV file of at most ${config.importBytesMax / 1024 / 1024} MB and imports it in the background, row by row. A row that is not valid is refused; the others are imported. Opt-outs always apply: a true \`unsubscribed\`, or \`opt_out\` in \`topics\`, is also recorded from rows that are refused or skipped, as long as the cells and the address can be read. If the address does not belong to a contact, the opt-out is kept in case the address is added later. A contact who unsubscribed stays unsubscribed.`,
      access: 'full',
      audit: 'always',
      upload: { part: 'file', bytesMax: config.importBytesMax },
      body: ContactImportCreate,
      reply: { 201: ContactImportReference },
      example: {
        body: {
          file: 'E-mail,first_name,Company\nada@example.com,Ada,Analytical Engines\n',
          column_map: { email: 'E-mail', properties: { company: { column: 'Company', type: 'string' } } },
          on_conflict: 'upsert',
          segments: [{ id: SEGMENTS.example.id }],
          topics: [{ id: TOPICS.example.id, subscription: 'opt_in' }],
        },
        reply: { object: 'contact_import', id: CONTACT_IMPORTS.example.id },
      },
    }),
    async (request) => {
      const { teamId, body } = request

      const file = request.takeUpload()
      const { id } = await createContactImport(context, teamId, { file, input: body })
      return { object: 'contact_import' as const, id }
    },
  )

  app.get(
    '/contacts/imports',
    operation({
      id: 'contacts.imports.list',
      summary: 'List contact imports',
      description: 'Returns the contact imports of the team, newest first, 20 by default.',
      access: 'full',
      audit: 'never',
      query: ContactImportListQuery,
      reply: { 200: ContactImportList },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [CONTACT_IMPORTS.example],
        },
      },
    }),
    async ({ teamId, query }) => {
      const { status = null, ...page } = query
      return toList(await repositories.contactImports.list(teamId, status, pageRequest(page, 'always')), toContactImportSummary)
    },
  )

  app.get(
    '/contacts/imports/:contact_import_id',
    operation({
      id: 'contacts.imports.retrieve',
      summary: 'Retrieve a contact import',
      description: 'Returns a contact import: its status, the counts of its rows, and a link to the report on refused rows.',
      access: 'full',
      audit: 'never',
      params: ContactImportParams,
      reply: { 200: ContactImport },
      example: {
        reply: {
          ...CONTACT_IMPORTS.example,
          status: 'completed',
          completed_at: EXAMPLE_TIME,
          counts: { total: 100_000, created: 98_000, updated: 1_998, skipped: 0, failed: 2 },
          encoding: 'utf-8',
          ignored_columns: ['Internal number'],
          reason: null,
          report_url: 'https://posthaste.example.com/downloads/eyJpZCI6IjAxOTMifQ.c2lnbmF0dXJl',
        },
      },
    }),
    async ({ teamId, params }) => {
      const found = await repositories.contactImports.find(teamId, params.contact_import_id)
      if (!found) throw notFound(CONTACT_IMPORTS.noun)
      return toContactImport(found, importReportUrl(context, teamId, found))
    },
  )

  app.post(
    '/contacts/imports/:contact_import_id/cancel',
    operation({
      id: 'contacts.imports.cancel',
      summary: 'Cancel a contact import',
      description:
        'Stops a contact import that waits or runs. Rows that were counted before stay imported, with their opt-outs; the rest of the file is not read, and opt-outs in it are not recorded. The file is removed. An extension.',
      access: 'full',
      audit: 'always',
      params: ContactImportParams,
      reply: { 200: ContactImport },
      example: {
        reply: {
          ...CONTACT_IMPORTS.example,
          status: 'canceled',
          completed_at: EXAMPLE_TIME,
          ...{ encoding: 'utf-8', ignored_columns: [], reason: null, report_url: null },
        },
      },
    }),
    async ({ teamId, params }) => {
      const retrieve = async () => {
        const found = await repositories.contactImports.find(teamId, params.contact_import_id)
        if (!found) throw notFound(CONTACT_IMPORTS.noun)
        return found
      }
      const { id } = await retrieve()
      if (!(await endImport(context, { teamId, importId: id }, { status: 'canceled' }))) throw new Failure('validation', ENDED)
      const canceled = await retrieve()
      return toContactImport(canceled, importReportUrl(context, teamId, canceled))
    },
  )
}
