// Who is in a segment: contacts that were added to it, or those that its filter finds; in SQL, because filters become conditions.

import type { BoundedQueries } from '../../../db/bounded-queries.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import { Failure } from '../../../lib/failure.ts'
import { HIGHEST_ID, idBound, LOWEST_ID } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { type ContactRow, contactColumns } from '../contacts/contact-rows.repository.ts'
import { type FilterSql, filterSql } from './filters/segment-filters.sql.ts'
import { isAny, type StoredRule } from './filters/segment-rules.ts'

/**
 * Contacts that are read one by one, newest first, before all others are read together. If a few percent of them match, the page is full by then;
 * if none does, little is lost.
 */
const WALKED_MAX = 10_000

/** One by one. With more segments, all contacts are tested for membership. */
const SEGMENTS_READ_MAX = 10

/** Contacts of a segment that are counted while a person waits. */
const COUNTED_MAX = 100_000
const LISTED_COUNTED = 'select count(*)::int as contacts from (select from contact_segments where segment_id = $1 limit $2) m'

/** `isAll`: otherwise there are more. */
export type BoundedCount = { contacts: number; isAll: boolean }

/** A segment of the team; the caller has found it. */
export type SegmentToRead = { id: string; filter: StoredRule | null }

export type MemberCounts = { contacts: number; unsubscribed: number }

/** `counts` is null for a segment that takes too long to count. */
export type CountedSegments = {
  totals: MemberCounts
  segments: { id: string; name: string; counts: MemberCounts | null }[]
  hasMore: boolean
  countedAt: Date
}

export function segmentMemberRepository(
  { execute }: Pick<Database, 'execute'>,
  {
    filterQueries,
    quickCounts = filterQueries,
    walkedMax = WALKED_MAX,
  }: { filterQueries: BoundedQueries; quickCounts?: BoundedQueries; walkedMax?: number },
) {
  return {
    /** @throws Failure if a filter takes too long, or too many are running already. */
    list(teamId: string, { id, filter }: SegmentToRead, request: PageRequest): Promise<Page<ContactRow>> {
      return readPage(request, (page) => {
        const keyset = { bound: boundOf(page), isDown: page.orderBy.id === 'desc', take: page.take }
        return filter === null
          ? readListed(execute, teamId, { segmentId: id, keyset })
          : filterQueries.run(teamId, (filtering) => readFound(filtering, teamId, { filter, keyset, walkedMax }))
      })
    },

    /** @throws Failure if a filter takes too long, or too many are running already. */
    async isMember(teamId: string, { id, filter }: SegmentToRead, contactId: string): Promise<boolean> {
      const values: unknown[] = [teamId, contactId]
      if (filter === null) {
        const rows = await execute(
          'select from contact_segments m join contacts c on c.id = m.contact_id where c.team_id = $1 and m.contact_id = $2 and m.segment_id = $3',
          [...values, id],
        )
        return rows.length > 0
      }
      const { joins, condition } = filterSql(filter, values)
      const rows = await filterQueries.run(teamId, (filtering) =>
        filtering(`select from contacts c ${joins} where c.team_id = $1 and c.id = $2 and ${condition}`, values),
      )
      return rows.length > 0
    },

    /**
     * As many as can be counted while a person waits: all, or else those among the newest contacts.
     * @throws Failure if too many filters are running already
     */
    async countSoon(teamId: string, { id, filter }: SegmentToRead): Promise<BoundedCount> {
      if (filter === null) {
        const { contacts } = onlyRow(await execute<{ contacts: number }>(LISTED_COUNTED, [id, COUNTED_MAX + 1]))
        return contacts > COUNTED_MAX ? { contacts: COUNTED_MAX, isAll: false } : { contacts, isAll: true }
      }
      const values: unknown[] = [teamId]
      const { joins, condition } = filterSql(filter, values)
      const among = (contacts: string) =>
        `select count(*)::int as contacts from ${contacts} c ${joins} where c.team_id = $1 and ${condition}`
      try {
        const all = await quickCounts.run(teamId, (filtering) => filtering<{ contacts: number }>(among('contacts'), values))
        return { ...onlyRow(all), isAll: true }
      } catch (error) {
        if (!(error instanceof Failure && error.kind === 'validation')) throw error
        const newest = `(select * from contacts where team_id = $1 order by id desc limit ${walkedMax})`
        const some = await filterQueries.run(teamId, (filtering) => filtering<{ contacts: number }>(among(newest), values))
        return { ...onlyRow(some), isAll: false }
      }
    },

    /**
     * Counts the contacts that came since then, by the day in UTC: when they were added to it, or when those that its filter finds were created.
     * @throws Failure if it takes too long, or too many filters are running already.
     */
    async growth(teamId: string, { id, filter }: SegmentToRead, since: Date): Promise<Map<string, number>> {
      const values: unknown[] = filter === null ? [id, since] : [teamId, since, idBound(since.getTime())]
      const found = filter === null ? null : filterSql(filter, values)
      const from = found
        ? `contacts c ${found.joins} where c.team_id = $1 and c.created_at >= $2 and c.id >= $3::uuid and ${found.condition}`
        : 'contact_segments c where c.segment_id = $1 and c.created_at >= $2'
      const text = `select to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as contacts from ${from} group by 1`
      const rows = await filterQueries.run(teamId, (filtering) => filtering<{ day: string; contacts: number }>(text, values))
      return new Map(rows.map(({ day, contacts }) => [day, contacts]))
    },

    /** @throws Failure if a filter takes too long, or too many are running already. */
    async count(teamId: string, { id, filter }: SegmentToRead): Promise<MemberCounts> {
      const values: unknown[] = [teamId]
      const counts = 'select count(*)::int as contacts, count(*) filter (where c.unsubscribed)::int as unsubscribed'
      if (filter === null) {
        const text = `${counts} from contact_segments m join contacts c on c.id = m.contact_id where c.team_id = $1 and m.segment_id = $2`
        return onlyRow(await execute<MemberCounts>(text, [...values, id]))
      }
      const { joins, condition } = filterSql(filter, values)
      const text = `${counts} from contacts c ${joins} where c.team_id = $1 and ${condition}`
      return onlyRow(await filterQueries.run(teamId, (filtering) => filtering<MemberCounts>(text, values)))
    },
  }
}

function onlyRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('A count came to nothing')
  return row
}

/** Where a page begins: at the end or at an id, which is not on it; towards older or newer contacts. */
type Place = { bound: string | null; isDown: boolean; take: number }

/** `offset 0` makes it one lookup of a contact for each member on the page. PostgreSQL would otherwise read all contacts beside all members. */
function readListed(
  execute: Execute,
  teamId: string,
  { segmentId, keyset: { bound, isDown, take } }: { segmentId: string; keyset: Place },
): Promise<ContactRow[]> {
  return execute<ContactRow>(
    `select ${contactColumns} from contact_segments m
      cross join lateral (select * from contacts where id = m.contact_id and team_id = $1 offset 0) c
      where m.segment_id = $2 and m.contact_id ${beyond(isDown)} $3 order by m.contact_id ${direction(isDown)} limit $4`,
    [teamId, segmentId, bound ?? end(isDown), take],
  )
}

/** First a walk along the index, which ends as soon as the page is full; then everything after it. */
async function readFound(
  execute: Execute,
  teamId: string,
  { filter, keyset, walkedMax }: { filter: StoredRule; keyset: Place; walkedMax: number },
): Promise<ContactRow[]> {
  const { bound, isDown, take } = keyset
  const values: unknown[] = [teamId, bound ?? end(isDown)]
  const place = `c.team_id = $1 and c.id ${beyond(isDown)} $2`
  const order = `order by c.id ${direction(isDown)}`
  const filtered = filterSql(filter, values)

  const near = await execute<ContactRow>(
    `select ${contactColumns} from (select * from contacts c where ${place} ${order} limit ${walkedMax}) c
      ${filtered.joins} where ${filtered.condition} ${order} limit ${take}`,
    values,
  )
  if (near.length >= take) return near
  const [last] = await execute<{ id: string }>(
    `select c.id from contacts c where ${place} ${order} offset ${walkedMax - 1} limit 1`,
    values.slice(0, 2),
  )
  if (!last) return near
  const far = await readFar(execute, teamId, { filter, keyset: { bound: last.id, isDown, take: take - near.length } })
  return [...near, ...far]
}

/** Reads all contacts, with several processes if that is worth it. Contacts that were added to a segment are found by its members. */
async function readFar(
  execute: Execute,
  teamId: string,
  { filter, keyset }: { filter: StoredRule; keyset: Place & { bound: string } },
): Promise<ContactRow[]> {
  const { isDown, take } = keyset
  const { segmentIds, rest } = splitAlternatives(filter)
  const values: unknown[] = [teamId, keyset.bound]
  const found = rest ? await execute<ContactRow>(farSql(filterSql(rest, values), keyset), values) : []
  for (const segmentId of segmentIds) found.push(...(await readListed(execute, teamId, { segmentId, keyset })))
  const inOrder = [...new Map(found.map((row) => [row.id, row])).values()].sort((a, b) => (a.id < b.id === isDown ? 1 : -1))
  return inOrder.slice(0, take)
}

/** Segments whose members all match, and the rest of the conditions; null if there is no rest. */
function splitAlternatives(filter: StoredRule): { segmentIds: string[]; rest: StoredRule | null } {
  const alternatives = isAny(filter) ? filter.any : [filter]
  const segmentIds = alternatives.flatMap((rule) => ('segment' in rule && rule.member ? [rule.segment] : []))
  if (segmentIds.length === 0 || segmentIds.length > SEGMENTS_READ_MAX) return { segmentIds: [], rest: filter }
  const rest = alternatives.filter((rule) => !('segment' in rule && rule.member))
  return { segmentIds, rest: rest.length > 0 ? { any: rest } : null }
}

/**
 * Sorted by an expression without an index. Otherwise PostgreSQL would choose the walk again, because it expects the matches to be spread evenly.
 */
const farSql = ({ joins, condition }: FilterSql, { isDown, take }: Place): string =>
  `select ${contactColumns} from contacts c ${joins} where c.team_id = $1 and c.id ${beyond(isDown)} $2 and ${condition}
    order by coalesce(c.id, c.id) ${direction(isDown)} limit ${take}`

const beyond = (isDown: boolean) => (isDown ? '<' : '>')
const direction = (isDown: boolean) => (isDown ? 'desc' : 'asc')

/** Where a list without a cursor begins. */
const end = (isDown: boolean) => (isDown ? HIGHEST_ID : LOWEST_ID)
