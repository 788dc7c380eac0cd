// The recipients of a broadcast to whom something happened, as a CSV file.
import { Type } from '@sinclair/typebox'
import { CSV_ROWS_AT_ONCE, CsvFile, type CsvPage, patiently, sendCsv } from '../../../http/csv-reply.ts'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { BroadcastsContext } from '../broadcasts.context.ts'
import { BROADCASTS, BroadcastParams } from '../broadcasts.schema.ts'
import type { BroadcastRecipientRow } from './broadcast-recipients.repository.ts'
import { BroadcastRecipientQuery, type RecipientType } from './broadcast-recipients.schema.ts'

type Context = PlatformContext & BroadcastsContext

const COLUMNS = ['email', 'contact_id', 'email_id', 'type', 'count', 'bounce_type', 'clicked_links']

const RecipientFile = CsvFile('BroadcastRecipientFile', COLUMNS)

const operation = declareOperations(BROADCASTS)

export const recipientFileRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  app.get(
    '/broadcasts/:broadcast_id/recipients/export',
    operation({
      id: 'broadcasts.recipients.export',
      summary: 'Export recipients as CSV',
      description: 'Returns the recipients of a broadcast to whom something happened as a CSV file, the last one that was reached first.',
      access: 'full',
      audit: 'always',
      givesOut: true,
      confirms: true,
      file: 'text/csv',
      shows: ['contacts'],
      params: BroadcastParams,
      query: Type.Object({ type: BroadcastRecipientQuery.properties.type }),
      reply: { 200: RecipientFile },
      example: { reply: `${COLUMNS.join(',')}\r\n` },
    }),
    async ({ teamId, params, query: { type } }, reply) => {
      const broadcast = await repositories.broadcasts.find(teamId, params.broadcast_id)
      if (!broadcast) throw notFound(BROADCASTS.noun)
      const rows = recipientRows(repositories, teamId, { broadcastId: broadcast.id, type })
      return sendCsv(reply, { name: `recipients-${type}.csv`, columns: COLUMNS, rows })
    },
  )
}

async function* recipientRows(
  { broadcastRecipients }: Pick<Context['repositories'], 'broadcastRecipients'>,
  teamId: string,
  { broadcastId, type }: { broadcastId: string; type: RecipientType },
): AsyncGenerator<CsvPage> {
  const filter = { type, email: null, bounceType: null }
  for (let after: string | null = null; ; ) {
    const request = { limit: CSV_ROWS_AT_ONCE, after, before: null }
    const page: Page<BroadcastRecipientRow> = await patiently(() => broadcastRecipients.list(teamId, broadcastId, filter, request))
    yield page.rows.map((row) => cellsOf(row, type))
    after = page.rows.at(-1)?.id ?? null
    if (!page.hasMore || after === null) return
  }
}

const cellsOf = ({ email, contactId, id, count, bounceType, links }: BroadcastRecipientRow, type: RecipientType) => [
  ...[email, contactId, id, type],
  type === 'opened' || type === 'clicked' ? count : null,
  ...[bounceType, links.map(({ url }) => url).join(' ')],
]
