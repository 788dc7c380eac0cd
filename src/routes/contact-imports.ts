import type { Context } from '../context.ts'
import { referenceSentence } from '../lib/audience/audience-fields.ts'
import { Failure, invalid, notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import type { ContactImportRow, ImportProblem } from '../repositories/imports/contact-imports.ts'
import {
  ContactImport,
  ContactImportCreate,
  ContactImportList,
  ContactImportListQuery,
  ContactImportParams,
  ContactImportReference,
  IMPORT_REPORT_DAYS,
} from '../schemas/contact-imports.ts'
import { PROPERTIES_MAX } from '../schemas/contact-properties.ts'
import { toContactImport, toContactImportSummary } from '../serializers/contact-imports.ts'
import { toList } from '../serializers/list.ts'
import { createContactImport } from '../services/create-contact-import.ts'
import { EXAMPLE_ID, EXAMPLE_SEGMENT_ID, EXAMPLE_TIME, EXAMPLE_TOPIC_ID } from './examples.ts'
import { type Call, type Operation, operation, type Upload } from './operation.ts'

const LINK_MS = 60 * 60 * 1_000
const REPORT_MS = IMPORT_REPORT_DAYS * 24 * 60 * 60 * 1_000

export function contactImportRoutes(context: Context): Operation[] {
  const { repositories, gateways, links, publicUrl, clock, config } = context

  async function create({ teamId, body, upload }: Call<{ body: typeof ContactImportCreate; upload: Upload }>) {
    const file = upload.take()
    const created = await createContactImport(context, teamId, { file, input: body }).catch(async (error) => {
      // If the outcome of the commit is unknown, the file stays, and the sweep of blobs decides.
      if (isRefusal(error)) await gateways.blobs.remove(file.blobKey)
      throw error
    })
    if (!('problem' in created)) return { object: 'contact_import' as const, id: created.id }
    await gateways.blobs.remove(file.blobKey)
    throw invalid(problemSentence(created))
  }

  async function list({ teamId, query }: Call<{ query: typeof ContactImportListQuery }>) {
    const { status = null, ...page } = query
    return toList(await repositories.contactImports.list(teamId, status, pageRequest(page, 'always')), toContactImportSummary)
  }

  async function get({ teamId, params }: Call<{ params: typeof ContactImportParams }>) {
    const found = await repositories.contactImports.find(teamId, params.contact_import_id)
    if (!found) throw notFound('Contact import')
    return toContactImport(found, reportUrl(teamId, found))
  }

  function reportUrl(teamId: string, { id, failed, completedAt }: ContactImportRow): string | null {
    const nowMs = clock.now().getTime()
    if (failed === 0 || (completedAt && completedAt.getTime() + REPORT_MS < nowMs)) return null
    return `${publicUrl}/downloads/${links.sign('download', { importId: id, teamId }, new Date(nowMs + LINK_MS))}`
  }

  return [
    operation({
      id: 'contacts.imports.create',
      method: 'POST',
      path: '/contacts/imports',
      tag: 'Contact Imports',
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
          segments: [{ id: EXAMPLE_SEGMENT_ID }],
          topics: [{ id: EXAMPLE_TOPIC_ID, subscription: 'opt_in' }],
        },
        reply: { object: 'contact_import', id: EXAMPLE_ID },
      },
      handle: create,
    }),
    operation({
      id: 'contacts.imports.list',
      method: 'GET',
      path: '/contacts/imports',
      tag: 'Contact Imports',
      summary: 'List contact imports',
      description: 'Returns the contact imports of the team, newest first, 20 by default.',
      access: 'full',
      query: ContactImportListQuery,
      reply: ContactImportList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              object: 'contact_import',
              id: EXAMPLE_ID,
              status: 'in_progress',
              created_at: EXAMPLE_TIME,
              completed_at: null,
              counts: { total: 60_000, created: 59_000, updated: 1_000, skipped: 0, failed: 0 },
            },
          ],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contacts.imports.retrieve',
      method: 'GET',
      path: '/contacts/imports/:contact_import_id',
      tag: 'Contact Imports',
      summary: 'Retrieve a contact import',
      description: 'Returns a contact import: its status, the counts of its rows, and a link to the report on refused rows.',
      access: 'full',
      params: ContactImportParams,
      reply: ContactImport,
      example: {
        reply: {
          object: 'contact_import',
          id: EXAMPLE_ID,
          status: 'completed',
          created_at: EXAMPLE_TIME,
          completed_at: EXAMPLE_TIME,
          counts: { total: 100_000, created: 98_000, updated: 1_998, skipped: 0, failed: 2 },
          ignored_columns: ['Internal number'],
          reason: null,
          report_url: 'https://posthaste.example.com/downloads/eyJpZCI6IjAxOTMifQ.c2lnbmF0dXJl',
        },
      },
      handle: get,
    }),
  ]
}

/** The database refused, or was not asked. */
const isRefusal = (error: unknown): boolean => error instanceof Failure

function problemSentence(found: ImportProblem): string {
  if (found.problem === 'too many properties')
    return `The \`column_map.properties\` field names more new properties than a team can have: at most ${PROPERTIES_MAX} in all.`
  if (found.problem === 'property of another type')
    return `The \`column_map.properties.${found.key}.type\` field is not the type of this property. Give its type, or none.`
  return referenceSentence(found)
}
