// The list of emails in the console; in SQL where it searches and counts. A search reads a bounded number of emails, newest first, because no
// index finds a part of a word, and says where it stopped.

import type { Prisma } from '../../generated/prisma/client.ts'
import { HIGHEST_ID, LOWEST_ID } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { EMAILS_OF_ADDRESS_SEARCHED_MAX, EMAILS_SEARCHED_MAX } from '../../lib/search-bounds.ts'
import type { StateCounts } from '../../mail/outcome-summary.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import { type Database, type Execute, statement } from '../database.ts'
import { type Page, readPage, type SearchPage } from '../page.ts'
import { BY_INDEX, type EmailSearch, endStatement, searchStatement } from './email-search-statements.ts'

const columns = {
  id: true,
  from: true,
  to: true,
  cc: true,
  bcc: true,
  subject: true,
  lastEvent: true,
  attachmentCount: true,
  createdAt: true,
} as const

export type EmailLineRow = Prisma.EmailGetPayload<{ select: typeof columns }> & {
  /** Null if there is one recipient, whose state is the last event. */
  states: StateCounts | null
}

export type { EmailSearch } from './email-search-statements.ts'

export type EmailFindings = {
  rows: EmailLineRow[]
  /** The most emails to read; fewer if there are fewer. */
  searchedMax: number
  /** Where to continue; null if all emails were read. */
  next: { after: string; isBecauseOfBound: boolean; createdAt: Date } | null
}

export function emailLineRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { searches, searchedMax = EMAILS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number },
) {
  return {
    async list(teamId: string, request: PageRequest): Promise<Page<EmailLineRow>> {
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.email.findMany({ where: { teamId, ...where }, select: columns, ...rest }),
      )
      return { ...page, rows: await withStates(teamId, page.rows) }
    },

    /** The newest that were made from a template of the team, and whether there are more. */
    async ofTemplate(teamId: string, templateId: string, limit: number): Promise<{ rows: EmailLineRow[]; hasMore: boolean }> {
      const found = await transaction((inside) => inside<{ id: string }>(OF_TEMPLATE, [templateId, LOWEST_ID, HIGHEST_ID, limit + 1]), {
        plans: 'by index',
      })
      return { rows: await read(teamId, found.slice(0, limit)), hasMore: found.length > limit }
    },

    /** @throws Failure if it takes too long, or too many searches are running already. */
    async search(teamId: string, sought: EmailSearch): Promise<EmailFindings> {
      const { found, end, readMax } = await find(teamId, sought)
      const rows = await read(teamId, found.slice(0, sought.limit))
      return {
        rows,
        searchedMax: readMax,
        next: found.length > sought.limit ? nextAfter(rows.at(-1)) : end,
      }
    },

    /** The ids of those that match, newest first. */
    async searchPage(teamId: string, sought: EmailSearch): Promise<SearchPage<string>> {
      const { found, end } = await find(teamId, sought)
      const ids = found.slice(0, sought.limit).map(({ id }) => id)
      const isBackward = (sought.before ?? null) !== null
      return {
        rows: isBackward ? ids.reverse() : ids,
        hasMore: found.length > sought.limit || end !== null,
        searchedTo: end?.after ?? null,
      }
    },
  }

  /** One more than the limit, in the order of the walk; `end`: the last email that was read, if there are more to read. */
  async function find(teamId: string, sought: EmailSearch) {
    const readMax = sought.to === null ? searchedMax : Math.min(searchedMax, EMAILS_OF_ADDRESS_SEARCHED_MAX)
    const found = await searches.run(teamId, async (searching, inside) => {
      await inside(BY_INDEX)
      const ids = await searching<{ id: string }>(...searchStatement(teamId, sought, readMax))
      return { found: ids, end: ids.length > sought.limit ? null : await endOfSearch(searching, teamId, sought, readMax) }
    })
    return { ...found, readMax }
  }

  async function read(teamId: string, found: { id: string }[]): Promise<EmailLineRow[]> {
    const where = { teamId, id: { in: found.map(({ id }) => id) } }
    return withStates(teamId, await tables.email.findMany({ where, select: columns, orderBy: { id: 'desc' } }))
  }

  /** The last email that was read, if there are older ones to read. */
  async function endOfSearch(searching: Execute, teamId: string, sought: EmailSearch, readMax: number): Promise<EmailFindings['next']> {
    const [last, beyond] = await searching<{ id: string; createdAt: Date }>(...endStatement(teamId, sought, readMax + 1))
    return last && beyond ? { after: last.id, isBecauseOfBound: true, createdAt: last.createdAt } : null
  }

  async function withStates<Row extends { id: string; to: string[]; cc: string[]; bcc: string[] }>(
    teamId: string,
    rows: Row[],
  ): Promise<(Row & { states: StateCounts | null })[]> {
    const several = rows.filter(({ to, cc, bcc }) => to.length + cc.length + bcc.length > 1).map(({ id }) => id)
    const counted = several.length === 0 ? [] : await execute<{ emailId: string; states: StateCounts }>(STATES, [teamId, several])
    const states = new Map(counted.map((one) => [one.emailId, one.states]))
    return rows.map((row) => ({ ...row, states: states.get(row.id) ?? null }))
  }
}

const nextAfter = (last: { id: string; createdAt: Date } | undefined): EmailFindings['next'] =>
  last ? { after: last.id, isBecauseOfBound: false, createdAt: last.createdAt } : null

// A range instead of an equality, because only emails_template_idx has that order.
const OF_TEMPLATE = statement(
  'emails of a template',
  `select id from emails where template_id is not null and (template_id, id) >= ($1::uuid, $2::uuid) and (template_id, id) <= ($1::uuid, $3::uuid)
   order by template_id desc, id desc limit $4`,
)

const STATES = `
select email_id as "emailId", jsonb_object_agg(state, count) as states
  from (select email_id, state, count(*)::int as count from recipients where team_id = $1 and email_id = any($2::uuid[]) group by 1, 2) s group by 1`
