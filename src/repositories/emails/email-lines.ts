// The list of emails in the console; in SQL where it searches and counts. A search reads a bounded number of emails, newest first, because no
// index finds a part of a word, and says where it stopped.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { StateCounts } from '../../mail/outcome-summary.ts'
import type { BoundedQueries } from '../bounded-queries.ts'
import type { Database } from '../database.ts'
import { type Page, readPage } from '../page.ts'

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

export type EmailSearch = {
  /** A part of the subject or of an address, in upper or lower case. */
  words: string | null
  /** Of the email as a whole, or of one of its recipients. */
  state: string | null
  after: string | null
  limit: number
}

export type EmailFindings = {
  rows: EmailLineRow[]
  /** The most emails to read; fewer if there are fewer. */
  searchedMax: number
  /** Where to continue; null if all emails were read. */
  next: { after: string; isBecauseOfBound: boolean; createdAt: Date } | null
}

/** The emails that one search reads. */
const EMAILS_SEARCHED_MAX = 10_000
/** The characters that are compared, of a subject, of a sender and of all recipients, because senders may write far more than anyone searches. */
const COMPARED_LENGTH_MAX = 2_000

export function emailLineRepository(
  { tables, execute }: Pick<Database, 'tables' | 'execute'>,
  { searches, searchedMax = EMAILS_SEARCHED_MAX }: { searches: BoundedQueries; searchedMax?: number },
) {
  return {
    async list(teamId: string, request: PageRequest): Promise<Page<EmailLineRow>> {
      const page = await readPage(request, ({ where, ...rest }) =>
        tables.email.findMany({ where: { teamId, ...where }, select: columns, ...rest }),
      )
      return { ...page, rows: await withStates(teamId, page.rows) }
    },

    async search(teamId: string, { words, state, after, limit }: EmailSearch): Promise<EmailFindings> {
      const pattern = words === null ? null : `%${words.replace(/[\\%_]/g, '\\$&')}%`
      const values = [teamId, after, searchedMax, pattern, state, limit + 1]
      const found = await searches.run(teamId, (searching) => searching<{ id: string }>(SEARCH, values))
      const ids = found.slice(0, limit).map(({ id }) => id)
      const rows = await tables.email.findMany({ where: { teamId, id: { in: ids } }, select: columns, orderBy: { id: 'desc' } })
      const next = found.length > limit ? nextAfter(rows.at(-1)) : await endOfSearch(teamId, after)
      return { rows: await withStates(teamId, rows), searchedMax, next }
    },
  }

  /** The last email that was read, if there are older ones. */
  async function endOfSearch(teamId: string, after: string | null): Promise<EmailFindings['next']> {
    const [last, beyond] = await tables.email.findMany({
      where: { teamId, ...(after !== null && { id: { lt: after } }) },
      select: { id: true, createdAt: true },
      orderBy: { id: 'desc' },
      skip: searchedMax - 1,
      take: 2,
    })
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

/** With one recipient the last event is its state, so the recipients need not be read. The inner limit keeps the conditions out of the walk. */
const SEARCH = `
select e.id from (
  select id, "from", "to", cc, bcc, subject, state, last_event from emails where team_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3
) e
where ($4::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $4 or left(e."from", ${COMPARED_LENGTH_MAX}) ilike $4
    or left(array_to_string(e."to" || e.cc || e.bcc, ' '), ${COMPARED_LENGTH_MAX}) ilike $4)
  and ($5::text is null or e.last_event = $5 or (
    e.state = 'queued' and cardinality(e."to" || e.cc || e.bcc) > 1
    and exists (select from recipients r where r.team_id = $1 and r.email_id = e.id and r.state = $5)))
order by e.id desc limit $6`

const STATES = `
select email_id as "emailId", jsonb_object_agg(state, count) as states
  from (select email_id, state, count(*)::int as count from recipients where team_id = $1 and email_id = any($2::uuid[]) group by 1, 2) s group by 1`
