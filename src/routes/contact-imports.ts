import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { EXAMPLE_TIME } from '../schemas/common.ts'
import {
  CONTACT_IMPORTS,
  ContactImport,
  ContactImportCreate,
  ContactImportList,
  ContactImportListQuery,
  ContactImportParams,
  ContactImportReference,
} from '../schemas/contact-imports.ts'
import { SEGMENTS } from '../schemas/segments.ts'
import { TOPICS } from '../schemas/topics.ts'
import { toContactImport, toContactImportSummary } from '../serializers/contact-imports.ts'
import { toList } from '../serializers/list.ts'
import { createContactImport } from '../services/create-contact-import.ts'
import { importReportUrl } from '../services/import-reports.ts'
import { type Call, operation, routes, type Upload } from './operation.ts'

export const contactImportRoutes = routes(CONTACT_IMPORTS, (context) => {
  const { repositories, config } = context

  async function create({ teamId, body, upload }: Call<{ body: typeof ContactImportCreate; upload: Upload }>) {
    const file = upload.take()
    const { id } = await createContactImport(context, teamId, { file, input: body })
    return { object: 'contact_import' as const, id }
  }

  async function list({ teamId, query }: Call<{ query: typeof ContactImportListQuery }>) {
    const { status = null, ...page } = query
    return toList(await repositories.contactImports.list(teamId, status, pageRequest(page, 'always')), toContactImportSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof ContactImportParams }>) {
    const found = await repositories.contactImports.find(teamId, params.contact_import_id)
    if (!found) throw notFound(CONTACT_IMPORTS.noun)
    return toContactImport(found, importReportUrl(context, teamId, found))
  }

  return [
    operation({
      id: 'contacts.imports.create',
      method: 'POST',
      path: '/contacts/imports',
      summary: 'Import contacts',
      description: `Accepts a CSV file of at most ${config.importBytesMax / 1024 / 1024} MB and imports it in the background, row by row. A row that is not valid is refused; the others are imported. Opt-outs always apply: a true \`unsubscribed\`, or \`opt_out\` in \`topics\`, is also recorded from rows that are refused or skipped, as long as the cells and the address can be read. If the address does not belong to a contact, the opt-out is kept in case the address is added later. A contact who unsubscribed stays unsubscribed.`,
      access: 'full',
      status: 201,
      upload: { part: 'file', bytesMax: config.importBytesMax },
      body: ContactImportCreate,
      reply: ContactImportReference,
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
      handle: create,
    }),
    operation({
      id: 'contacts.imports.list',
      method: 'GET',
      path: '/contacts/imports',
      summary: 'List contact imports',
      description: 'Returns the contact imports of the team, newest first, 20 by default.',
      access: 'full',
      query: ContactImportListQuery,
      reply: ContactImportList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [CONTACT_IMPORTS.example],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contacts.imports.retrieve',
      method: 'GET',
      path: '/contacts/imports/:contact_import_id',
      summary: 'Retrieve a contact import',
      description: 'Returns a contact import: its status, the counts of its rows, and a link to the report on refused rows.',
      access: 'full',
      params: ContactImportParams,
      reply: ContactImport,
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
      handle: retrieve,
    }),
  ]
})
