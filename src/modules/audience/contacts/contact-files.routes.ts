// Contacts as a CSV file: all, those of a segment, or those that a search finds.
import { Type } from '@sinclair/typebox'
import { CsvFile, type CsvPage, sendCsv } from '../../../http/csv-reply.ts'
import { TextFilter } from '../../../http/list-filters.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { Failure, invalid, notFound } from '../../../lib/failure.ts'
import { createId, LOWEST_ID } from '../../../lib/ids.ts'
import { QueryId } from '../../../lib/validation/common.schema.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { StoredSelection } from '../jobs/selected-contacts.repository.ts'
import type { PropertyRow } from '../properties/properties.repository.ts'
import type { ContactRow } from './contact-rows.repository.ts'
import { CONTACTS } from './contacts.schema.ts'

type Context = PlatformContext & AudienceContext

const COLUMNS = ['id', 'email', 'first_name', 'last_name', 'unsubscribed', 'created_at', 'updated_at']

const ContactFileQuery = Type.Object({
  segment_id: QueryId('Return only the contacts of this segment.'),
  search: TextFilter('Return only contacts with this part of an address or a name, in upper or lower case, however many there are.', [
    'ada',
  ]),
})

const ContactFile = CsvFile('ContactFile', COLUMNS, ', and each contact property by its key')

const operation = declareOperations(CONTACTS)

export const contactFileRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/contacts/export',
    operation({
      id: 'contacts.export',
      names: 'Segment',
      summary: 'Export contacts as CSV',
      description:
        'Returns contacts as a CSV file, the oldest first: all of the team, those of a segment, or those that a search finds. Contacts that are created meanwhile are left out. The columns are those that an import reads.',
      access: 'full',
      audit: 'always',
      givesOut: true,
      confirms: true,
      file: 'text/csv',
      query: ContactFileQuery,
      reply: { 200: ContactFile },
      example: { reply: `${COLUMNS.join(',')},company\r\n` },
    }),
    async ({ teamId, query }, reply) => {
      const { segment_id: segmentId, search } = query
      if (segmentId !== undefined && search !== undefined) throw invalid('Give either `search` or `segment_id`, not both.')
      if (segmentId !== undefined && !(await context.repositories.segments.find(teamId, segmentId))) throw notFound('Segment')
      const properties = await context.repositories.contactProperties.all(teamId)
      const selection = selectionOf(segmentId, search)
      return sendCsv(reply, {
        name: 'contacts.csv',
        columns: [...COLUMNS, ...properties.map(({ key }) => key)],
        rows: contactRows(context, teamId, { selection, properties }),
      })
    },
  )
}

function selectionOf(segmentId: string | undefined, search: string | undefined): StoredSelection {
  if (segmentId !== undefined) return { kind: 'segment', segmentId }
  return search === undefined ? { kind: 'all' } : { kind: 'search', search }
}

async function* contactRows(
  { repositories, clock }: Pick<Context, 'repositories' | 'clock'>,
  teamId: string,
  { selection, properties }: { selection: StoredSelection; properties: PropertyRow[] },
): AsyncGenerator<CsvPage> {
  const upTo = createId(clock)
  for (let after = LOWEST_ID; ; ) {
    const batch = await repositories.selectedContacts.next(teamId, '', selection, { after, upTo })
    if (batch === 'gone') throw new Failure('gone', 'The segment was deleted meanwhile.')
    if (batch === null) return
    yield (await repositories.contacts.listOfIds(teamId, batch.ids)).map((row) => cellsOf(row, properties))
    after = batch.through
  }
}

const cellsOf = (row: ContactRow, properties: PropertyRow[]) => [
  ...[row.id, row.email, row.firstName, row.lastName, row.unsubscribed, row.createdAt, row.updatedAt],
  ...properties.map(({ number }) => row.properties[number]),
]
