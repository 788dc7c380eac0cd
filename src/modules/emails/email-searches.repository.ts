// What a search for emails asks the database; in SQL, because it reads the newest ones at a place by the index of that place, and keeps those that match.
import { type BoundedQueries, EMAILS_OF_ADDRESS_SEARCHED_MAX, EMAILS_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { type Database, type Execute, statement } from '../../db/database.ts'
import { readPage, toWalk, type Walk } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { HIGHEST_ID, idBoundOfAny, idTime, LOWEST_ID } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Page, SearchPage } from '../../lib/validation/common.schema.ts'
import type { StateCounts } from './email-states.ts'

/**
 * SQL: the recipients with an address in lower case, in the form in which their index finds them.
 *
 * @param address SQL for the address
 */
export const isTo = (address: string): string =>
  `hashtextextended(lower(address), 0) = hashtextextended(${address}, 0) and lower(address) = ${address}`

/** The order in which an index has the mail of a team to an address. */
export const NEWEST_OF_TEAM = 'team_id desc, id desc'
export const OLDEST_OF_TEAM = 'team_id, id'

/**
 * SQL: the recipients of a team with an address in lower case. Without an equality of the team, in `NEWEST_OF_TEAM`, only that index has their order.
 * With one, PostgreSQL may walk along all newer recipients of everyone.
 *
 * @param from SQL for the first id
 * @param before SQL for the first id that is too late
 */
export const isOfTeamTo = ({ team, address, from, before }: { team: string; address: string; from: string; before: string }): string =>
  `${isTo(address)} and (team_id, id) >= (${team}, ${from}) and (team_id, id) < (${team}, ${before})`

/** Patterns of SQL's `like` for the senders of a domain, which is in lower case: an address alone, or in angle brackets after a name. */
export const sendersOfDomain = (domain: string): string[] => [`%@${escaped(domain)}`, `%@${escaped(domain)}>`]

/** A text within a pattern of `like`, in which it stands for itself alone. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** What is null matches anything. */
export type EmailSearch = {
  /** A part of the subject or of an address, in upper or lower case. */
  words: string | null
  /** The state of the email as a whole, or of one of its recipients. */
  state: string | null
  /** The address of a recipient, in lower case. */
  to: string | null
  /** The id of the broadcast that it is a part of. */
  broadcast: string | null
  /** The id of the template that it was made of. */
  template?: string | null
  /** A part of the subject. */
  subject?: string | null
  /** The address of the sender, in lower case. */
  from?: string | null
  /** The domain of the sender, in lower case. */
  domain: string | null
  /** Null as a value means any. */
  tag: { name: string; value: string | null } | null
  /** When it was accepted: from the first moment on, and before the second. */
  since: Date | null
  until: Date | null
  after: string | null
  /** The next ones that are newer than this, instead. */
  before?: string | null
  limit: number
}

type Ask = [sql: string, values: unknown[]]

/** The emails of the team that match, in the order of the walk, among as many as may be read: their ids, and one more than the limit. */
export function searchStatement(teamId: string, search: EmailSearch, readMax: number): Ask {
  const { words, state, broadcast, template = null, tag, subject = null, limit } = search
  const walk = walkTo(search)
  const tags = tag === null ? null : JSON.stringify([{ name: tag.name, ...(tag.value !== null && { value: tag.value }) }])
  const matching = [partOf(words), state, sendersOf(search), tags, broadcast, partOf(subject), template, limit + 1]
  return [SEARCHES[walk.order][placeOf(search)], [...placeValues(teamId, search, { walk, readMax }), ...matching]]
}

/** The last two of the emails that may be read: the ids, and when they were accepted. One or none if there are not so many. */
export function endStatement(teamId: string, search: EmailSearch, readMax: number): Ask {
  const walk = walkTo(search)
  return [ENDS[walk.order][placeOf(search)], placeValues(teamId, search, { walk, readMax })]
}

const walkTo = ({ after, before = null, since, until }: EmailSearch): Walk => toWalk({ after, before }, { since, until })

const partOf = (text: string | null): string | null => (text === null ? null : `%${escaped(text)}%`)

/** As a sender is written: an address alone, or in angle brackets after a name. */
function sendersOf({ from = null, domain }: EmailSearch): string[] | null {
  if (from !== null) return [escaped(from), `%<${escaped(from)}>`]
  return domain === null ? null : sendersOfDomain(domain)
}

/** A bitmap would read all emails of the team, or all to an address, and then sort them. */
export const BY_INDEX = 'set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off'

/** A recipient has its id from the time at which its email was stored, which is a little after that of the email. */
const RECIPIENT_IDS_AFTER_MS = 60_000

/** The characters that are compared, of a subject, of a sender and of all recipients, because senders may write far more than anyone searches. */
const COMPARED_LENGTH_MAX = 2_000

/** Where the emails that are read lie together, in an index. An address has fewer than most broadcasts. */
type Place = 'team' | 'address' | 'broadcast' | 'template'

function placeOf({ to, broadcast, template = null }: EmailSearch): Place {
  if (to !== null) return 'address'
  if (broadcast !== null) return 'broadcast'
  return template === null ? 'team' : 'template'
}

function placeValues(
  teamId: string,
  { to, broadcast, template = null }: EmailSearch,
  { walk, readMax }: { walk: Walk; readMax: number },
): unknown[] {
  const { from, until } = walk
  const values = [teamId, until, from, readMax]
  if (to !== null) return [...values, to, idBoundOfAny(idTime(until).getTime() + RECIPIENT_IDS_AFTER_MS)]
  const record = broadcast ?? template
  return record === null ? values : [...values, record]
}

const READ_COLUMNS =
  'e.id, e."from", e."to", e.cc, e.bcc, e.subject, e.state, e.last_event, e.tags, e.broadcast_id, e.template_id, e.created_at'

/** The emails that may be read. The limit keeps the conditions of the search out of the walk along the index. */
const walks = (order: Walk['order']): Record<Place, string> => ({
  team: `select ${READ_COLUMNS} from emails e where e.team_id = $1 and e.id < $2::uuid and e.id >= $3::uuid order by e.id ${order} limit $4`,
  // `offset 0` makes it one lookup of an email for each.
  address: `
    select ${READ_COLUMNS} from (
      select distinct email_id from (
        select email_id from recipients
         where ${isOfTeamTo({ team: '$1::uuid', address: '$5::text', from: '$3::uuid', before: '$6::uuid' })}
           and email_id < $2::uuid and email_id >= $3::uuid
         order by ${order === 'desc' ? NEWEST_OF_TEAM : OLDEST_OF_TEAM} limit $4
      ) r
    ) a cross join lateral (select * from emails where team_id = $1 and id = a.email_id offset 0) e`,
  broadcast: ofRecord('e.broadcast_id', order),
  template: ofRecord('e.template_id', order),
})

// A range instead of an equality, because only emails_broadcast_idx and emails_template_idx have that order. All emails of a record are of one team:
// asked for it outside, PostgreSQL does not walk along all emails of the team.
const ofRecord = (column: string, order: Walk['order']): string => `
    select * from (
      select ${READ_COLUMNS}, e.team_id from emails e
       where ${column} is not null and (${column}, e.id) >= ($5::uuid, $3::uuid) and (${column}, e.id) < ($5::uuid, $2::uuid)
       order by ${column} ${order}, e.id ${order} limit $4
    ) e where e.team_id = $1`

const PLACE_VALUES: Record<Place, number> = { team: 4, address: 6, broadcast: 5, template: 5 }

/** With one recipient the last event is its state, so the recipients need not be read. `$n`: the number of the first value after those of the place. */
const search = (order: Walk['order'], place: Place, n = PLACE_VALUES[place] + 1): string => `
select e.id from (${walks(order)[place]}) e
where ($${n}::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $${n} or left(e."from", ${COMPARED_LENGTH_MAX}) ilike $${n}
    or left(array_to_string(e."to" || e.cc || e.bcc, ' '), ${COMPARED_LENGTH_MAX}) ilike $${n})
  and ($${n + 1}::text is null or e.last_event = $${n + 1} or (
    e.state = 'queued' and cardinality(e."to" || e.cc || e.bcc) > 1
    and exists (select from recipients r where r.team_id = $1 and r.email_id = e.id and r.state = $${n + 1})))
  and ($${n + 2}::text[] is null or left(lower(e."from"), ${COMPARED_LENGTH_MAX}) like any($${n + 2}))
  and ($${n + 3}::jsonb is null or e.tags @> $${n + 3}::jsonb)
  and ($${n + 4}::uuid is null or e.broadcast_id = $${n + 4})
  and ($${n + 5}::text is null or left(e.subject, ${COMPARED_LENGTH_MAX}) ilike $${n + 5})
  and ($${n + 6}::uuid is null or e.template_id = $${n + 6})
order by e.id ${order} limit $${n + 7}`

const end = (order: Walk['order'], place: Place): string =>
  `select e.id, e.created_at as "createdAt" from (${walks(order)[place]}) e order by e.id ${order} offset greatest($4 - 2, 0) limit 2`

const ofPlaces = (order: Walk['order'], statementOf: typeof end): Record<Place, string> => ({
  team: statementOf(order, 'team'),
  address: statementOf(order, 'address'),
  broadcast: statementOf(order, 'broadcast'),
  template: statementOf(order, 'template'),
})

const SEARCHES = { desc: ofPlaces('desc', search), asc: ofPlaces('asc', search) }
const ENDS = { desc: ofPlaces('desc', end), asc: ofPlaces('asc', end) }

// The list of emails in the console; in SQL where it searches and counts. A search reads a bounded number of emails, newest first, because no
// index finds a part of a word, and says where it stopped.

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
    async search(teamId: string, search: EmailSearch): Promise<EmailFindings> {
      const { found, end, readMax } = await find(teamId, search)
      const rows = await read(teamId, found.slice(0, search.limit))
      return {
        rows,
        searchedMax: readMax,
        next: found.length > search.limit ? nextAfter(rows.at(-1)) : end,
      }
    },

    /** The ids of those that match, newest first. */
    async searchPage(teamId: string, search: EmailSearch): Promise<SearchPage<string>> {
      const { found, end } = await find(teamId, search)
      const ids = found.slice(0, search.limit).map(({ id }) => id)
      const isBackward = (search.before ?? null) !== null
      return {
        rows: isBackward ? ids.reverse() : ids,
        hasMore: found.length > search.limit || end !== null,
        searchedTo: end?.after ?? null,
      }
    },
  }

  /** One more than the limit, in the order of the walk; `end`: the last email that was read, if there are more to read. */
  async function find(teamId: string, search: EmailSearch) {
    const readMax = search.to === null ? searchedMax : Math.min(searchedMax, EMAILS_OF_ADDRESS_SEARCHED_MAX)
    const found = await searches.run(teamId, async (searching, inside) => {
      await inside(BY_INDEX)
      const ids = await searching<{ id: string }>(...searchStatement(teamId, search, readMax))
      return { found: ids, end: ids.length > search.limit ? null : await endOfSearch(searching, teamId, search, readMax) }
    })
    return { ...found, readMax }
  }

  async function read(teamId: string, found: { id: string }[]): Promise<EmailLineRow[]> {
    const where = { teamId, id: { in: found.map(({ id }) => id) } }
    return withStates(teamId, await tables.email.findMany({ where, select: columns, orderBy: { id: 'desc' } }))
  }

  /** The last email that was read, if there are older ones to read. */
  async function endOfSearch(searching: Execute, teamId: string, search: EmailSearch, readMax: number): Promise<EmailFindings['next']> {
    const [last, beyond] = await searching<{ id: string; createdAt: Date }>(...endStatement(teamId, search, readMax + 1))
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
