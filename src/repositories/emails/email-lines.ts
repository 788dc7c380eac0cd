// The list of emails in the console; in SQL where it searches and counts. A search reads a bounded number of emails, newest first, because no
// index finds a part of a word, and says where it stopped.
import type { Prisma } from '../../generated/prisma/client.ts'
import { HIGHEST_ID, idBound, idTime, LOWEST_ID } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { StateCounts } from '../../mail/outcome-summary.ts'
import { isTo } from '../addressed.ts'
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
  /** The address of a recipient, in lower case. */
  to: string | null
  /** The domain of the sender, in lower case. */
  domain: string | null
  /** Null as a value means any. */
  tag: { name: string; value: string | null } | null
  /** When it was accepted: from the first moment on, and before the second. */
  since: Date | null
  until: Date | null
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

    /** @throws Failure if it takes too long, or too many searches are running already. */
    async search(teamId: string, sought: EmailSearch): Promise<EmailFindings> {
      const { to, limit } = sought
      const found = await searches.run(teamId, async (searching, inside) => {
        await inside(BY_INDEX)
        return searching<{ id: string }>(to === null ? SEARCH : SEARCH_OF_ADDRESS, valuesOf(teamId, sought, searchedMax))
      })
      const ids = found.slice(0, limit).map(({ id }) => id)
      const rows = await tables.email.findMany({ where: { teamId, id: { in: ids } }, select: columns, orderBy: { id: 'desc' } })
      const next = found.length > limit ? nextAfter(rows.at(-1)) : await endOfSearch(teamId, sought)
      return { rows: await withStates(teamId, rows), searchedMax, next }
    },
  }

  /** The last email that was read, if there are older ones to read. */
  async function endOfSearch(teamId: string, sought: EmailSearch): Promise<EmailFindings['next']> {
    const values = valuesOf(teamId, sought, searchedMax + 1).slice(0, sought.to === null ? PLACE : PLACE_OF_ADDRESS)
    const [last, beyond] = await searches.run(teamId, async (searching, inside) => {
      await inside(BY_INDEX)
      return searching<{ id: string; createdAt: Date }>(sought.to === null ? END : END_OF_ADDRESS, values)
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

/** A bitmap would read all emails of the team, or all to an address, and then sort them. */
const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** A recipient has its id from the time at which its email was stored, which is a little after that of the email. */
const RECIPIENT_IDS_AFTER_MS = 60_000

/** How many of the values say where to read, as the first ones. */
const PLACE = 4
const PLACE_OF_ADDRESS = 6

function valuesOf(teamId: string, sought: EmailSearch, readMax: number): unknown[] {
  const { words, state, to, domain, tag, since, until, after, limit } = sought
  const before = [after ?? HIGHEST_ID, until === null ? HIGHEST_ID : idBound(until.getTime())].toSorted()[0] ?? HIGHEST_ID
  const recipientsBefore = before === HIGHEST_ID ? HIGHEST_ID : idBound(idTime(before).getTime() + RECIPIENT_IDS_AFTER_MS)
  const senders = domain === null ? null : [`%@${escaped(domain)}`, `%@${escaped(domain)}>`]
  const tags = tag === null ? null : JSON.stringify([{ name: tag.name, ...(tag.value !== null && { value: tag.value }) }])
  const place = [teamId, before, since === null ? LOWEST_ID : idBound(since.getTime()), readMax]
  return [
    ...place,
    ...(to === null ? [] : [to, recipientsBefore]),
    ...[words === null ? null : `%${escaped(words)}%`, state, senders, tags, limit + 1],
  ]
}

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

const READ_COLUMNS = 'e.id, e."from", e."to", e.cc, e.bcc, e.subject, e.state, e.last_event, e.tags, e.created_at'

/** The emails that a search reads: the newest of the team at a place. The limit keeps the conditions out of the walk. */
const NEWEST = `(select ${READ_COLUMNS} from emails e where e.team_id = $1 and e.id < $2::uuid and e.id >= $3::uuid order by e.id desc limit $4)`

/** The same of the emails to an address. `offset 0` makes it one lookup of an email for each. */
const NEWEST_OF_ADDRESS = `(
  select ${READ_COLUMNS} from (
    select distinct email_id from (
      select email_id from recipients
       where ${isTo('$5::text')} and team_id = $1 and id < $6::uuid and id >= $3::uuid and email_id < $2::uuid and email_id >= $3::uuid
       order by id desc limit $4
    ) r
  ) a cross join lateral (select * from emails where team_id = $1 and id = a.email_id offset 0) e
)`

/** With one recipient the last event is its state, so the recipients need not be read. `$n`: the number of the first value. */
const searchOf = (emails: string, n: number): string => `
select e.id from ${emails} e
where ($${n}::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $${n} or left(e."from", ${COMPARED_LENGTH_MAX}) ilike $${n}
    or left(array_to_string(e."to" || e.cc || e.bcc, ' '), ${COMPARED_LENGTH_MAX}) ilike $${n})
  and ($${n + 1}::text is null or e.last_event = $${n + 1} or (
    e.state = 'queued' and cardinality(e."to" || e.cc || e.bcc) > 1
    and exists (select from recipients r where r.team_id = $1 and r.email_id = e.id and r.state = $${n + 1})))
  and ($${n + 2}::text[] is null or left(lower(e."from"), ${COMPARED_LENGTH_MAX}) like any($${n + 2}))
  and ($${n + 3}::jsonb is null or e.tags @> $${n + 3}::jsonb)
order by e.id desc limit $${n + 4}`

const endOf = (emails: string): string =>
  `select e.id, e.created_at as "createdAt" from ${emails} e order by e.id desc offset greatest($4 - 2, 0) limit 2`

const SEARCH = searchOf(NEWEST, PLACE + 1)
const SEARCH_OF_ADDRESS = searchOf(NEWEST_OF_ADDRESS, PLACE_OF_ADDRESS + 1)
const END = endOf(NEWEST)
const END_OF_ADDRESS = endOf(NEWEST_OF_ADDRESS)

const STATES = `
select email_id as "emailId", jsonb_object_agg(state, count) as states
  from (select email_id, state, count(*)::int as count from recipients where team_id = $1 and email_id = any($2::uuid[]) group by 1, 2) s group by 1`
