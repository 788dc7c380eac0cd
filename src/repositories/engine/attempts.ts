import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database } from '../database.ts'
import { type Page, readPage } from '../page.ts'

/** What is shown of an attempt, over the API and in the console. */
export const attemptColumns = {
  id: true,
  recipientId: true,
  number: true,
  outcome: true,
  host: true,
  tls: true,
  code: true,
  enhancedCode: true,
  text: true,
  durationMs: true,
  startedAt: true,
} as const

export type AttemptRow = Prisma.AttemptGetPayload<{ select: typeof attemptColumns }> & { address: string }

export function attemptRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** The attempts to deliver one email, newest first, each with the address it was for. */
    async listOf(teamId: string, emailId: string, request: PageRequest): Promise<Page<AttemptRow>> {
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.attempt.findMany({ where: { teamId, emailId, ...where }, select: attemptColumns, ...rest }),
      )
      const recipientIds = [...new Set(page.rows.map(({ recipientId }) => recipientId))]
      const recipients = await tables.recipient.findMany({
        where: { teamId, emailId, id: { in: recipientIds } },
        select: { id: true, address: true },
      })
      const addresses = new Map(recipients.map(({ id, address }) => [id, address]))
      return { ...page, rows: page.rows.map((row) => ({ ...row, address: addresses.get(row.recipientId) ?? '' })) }
    },
  }
}
