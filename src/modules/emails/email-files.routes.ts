// Emails that filters find, as a CSV file: all that bounced last week, for example.
import { Type } from '@sinclair/typebox'
import { CSV_ROWS_AT_ONCE, CsvFile, type CsvPage, patiently, sendCsv } from '../../http/csv-reply.ts'
import { declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import type { AttemptAnswer } from './captured-emails.repository.ts'
import type { EmailSearch } from './email-searches.repository.ts'
import type { EmailsContext } from './emails.context.ts'
import type { EmailSummaryRow } from './emails.repository.ts'
import { emailSearch } from './emails.routes.ts'
import { EMAILS, EmailListQuery } from './emails.schema.ts'

type Context = PlatformContext & EmailsContext

const COLUMNS = ['id', 'created_at', 'scheduled_at', 'from', 'to', 'cc', 'bcc', 'subject', 'last_event', 'failed_address', 'server_answer']

const EmailFile = CsvFile('EmailFile', COLUMNS)

const { limit: _limit, after: _after, before: _before, ...filters } = EmailListQuery.properties

/** Emails of which servers have said why. */
const ANSWERED: readonly string[] = ['bounced', 'delivery_delayed', 'failed']

const operation = declareOperations(EMAILS)

export const emailFileRoutes: Routes<Context> = async (app, { context }) => {
  app.get(
    '/emails/export',
    operation({
      id: 'emails.export',
      summary: 'Export emails as CSV',
      description:
        'Returns the emails that the filters find as a CSV file, without their content, newest first: all of them, however many are looked at. `server_answer` is what a mail server said last of an email that bounced, failed or is delayed, and `failed_address` for whom, as long as attempts are kept.',
      access: 'full',
      audit: 'always',
      givesOut: true,
      confirms: true,
      file: 'text/csv',
      query: Type.Object(filters),
      reply: { 200: EmailFile },
      example: { reply: `${COLUMNS.join(',')}\r\n` },
    }),
    async ({ teamId, query }, reply) => {
      const search = emailSearch(query, { limit: CSV_ROWS_AT_ONCE, after: null, before: null })
      return sendCsv(reply, { name: 'emails.csv', columns: COLUMNS, rows: emailRows(context, teamId, search) })
    },
  )
}

type Page = { rows: EmailSummaryRow[]; next: string | null }

async function* emailRows(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  search: EmailSearch | null,
): AsyncGenerator<CsvPage> {
  const { emails, emailLines, attempts } = repositories
  const read = async (after: string | null): Promise<Page> => {
    if (search === null) {
      const { rows, hasMore } = await emails.list(teamId, { limit: CSV_ROWS_AT_ONCE, after, before: null })
      return { rows, next: hasMore ? (rows.at(-1)?.id ?? null) : null }
    }
    const { rows: ids, hasMore, searchedTo } = await emailLines.searchPage(teamId, { ...search, after })
    return { rows: await emails.listOfIds(teamId, ids), next: hasMore ? (searchedTo ?? ids.at(-1) ?? null) : null }
  }
  for (let after: string | null = null; ; ) {
    const from: string | null = after
    const page: Page = await patiently(() => read(from))
    const answered = page.rows.filter(({ lastEvent }) => ANSWERED.includes(lastEvent)).map(({ id }) => id)
    const answers = answered.length === 0 ? new Map<string, AttemptAnswer>() : await attempts.lastAnswers(teamId, answered)
    yield page.rows.map((row) => cellsOf(row, answers.get(row.id)))
    after = page.next
    if (after === null) return
  }
}

const cellsOf = (row: EmailSummaryRow, answer: AttemptAnswer | undefined) => [
  ...[row.id, row.createdAt, row.scheduledAt, row.from, row.to.join(', '), row.cc.join(', '), row.bcc.join(', '), row.subject],
  ...[row.lastEvent, answer?.address, answer?.text],
]
