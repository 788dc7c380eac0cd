import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toTimestamp } from '../../../lib/clock.ts'
import { EXAMPLE_TIME } from '../../../lib/validation/common.schema.ts'
import { CONTACTS } from '../../audience/contacts/contacts.schema.ts'
import { webhookEventId } from '../../webhooks/events/webhook-events.schema.ts'
import type { ConsoleContext } from '../console.context.ts'
import { CONSOLE } from '../console.schema.ts'
import { typesFor } from './found-types.ts'
import type { FoundRecord } from './record-searches.repository.ts'
import { SearchQuery, SearchResults } from './search.schema.ts'
import { findRecords } from './search.service.ts'

export const toFoundRecord = (row: FoundRecord): Static<typeof SearchResults>['data'][number] => ({
  type: row.type,
  id: row.type === 'webhook_event' ? webhookEventId(row.id) : row.id,
  parent_id: row.parentId,
  title: row.title,
  subtitle: row.subtitle,
  created_at: toTimestamp(row.createdAt),
})

const operation = declareOperations(CONSOLE)

export const searchRoutes: Routes<ConsoleContext> = async (app, { context }) => {
  app.get(
    '/search',
    operation({
      id: 'search.list',
      summary: 'Search all records',
      description:
        'Finds records of any type by an id, a Message-ID, an address or its beginning, or a part of a name or a subject. A person finds only what their role may read.',
      access: 'member',
      audit: 'never',
      query: SearchQuery,
      reply: { 200: SearchResults },
      example: {
        reply: {
          object: 'list',
          data: [
            {
              ...{ type: 'contact', id: CONTACTS.example.id, parent_id: null, title: 'ada@example.com', subtitle: 'Ada Lovelace' },
              created_at: EXAMPLE_TIME,
            },
          ],
          is_complete: true,
        },
      },
    }),
    async ({ caller, teamId, query }) => {
      const { rows, isComplete } = await findRecords(context, teamId, { words: query.q.trim(), types: typesFor(caller) })
      return { object: 'list' as const, data: rows.map(toFoundRecord), is_complete: isComplete }
    },
  )
}
