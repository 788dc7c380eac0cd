// Segments; in SQL where they are read together with the filter that names them, in one snapshot, and where filters are not read.
import { oneOf, stored } from '../../../db/columns.ts'
import { type Database, type Execute, type RecordTransaction, statement } from '../../../db/database.ts'
import { addJob, REMOVE_MEMBERS } from '../../../db/jobs/jobs.ts'
import { boundOf, readPage } from '../../../db/page.ts'
import type { RecordUses } from '../../../db/record-uses.ts'
import { lockRow, lockRowsShared, lockTeam, lockTeamWithin } from '../../../db/transactions.ts'
import { useFormIfAny } from '../../../db/used-forms.ts'
import { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import { quoted, type Removal, usesIn } from '../../../lib/uses.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS } from '../audience-fields.ts'
import { filterThatNames, lockSegmentsShared, lockTopicsShared } from '../references.repository.ts'
import type { StoredRule } from './filters/segment-rules.ts'
import { FILTER_SEGMENT_LIMIT, SEGMENT_LIMIT } from './segments.schema.ts'

// Looks up what a filter names, before it is stored.

export function segmentFilterRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** As far as the team has it: topics with their default, segments with whether they have a filter themselves. */
    async named(teamId: string, { topicIds, segmentIds }: { topicIds: string[]; segmentIds: string[] }) {
      const topics = await tables.topic.findMany({
        where: { teamId, id: { in: topicIds } },
        select: { id: true, defaultSubscription: true },
      })
      const segments = await tables.segment.findMany({ where: { teamId, id: { in: segmentIds } }, select: { id: true, filter: true } })
      return {
        topics: new Map(topics.map(({ id, defaultSubscription }) => [id, oneOf(SUBSCRIPTIONS, defaultSubscription)])),
        segments: new Map(segments.map(({ id, filter }) => [id, filter !== null])),
      }
    },
  }
}

// Removes what is left of a deleted segment or topic, in small steps; in SQL, because each step passes over locked rows. It is hidden already. For
// workers, but for the count, which people see.

export function orphanedMemberRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  async function removeSome(sql: string, id: string, rowsMax: number): Promise<number> {
    const [removed] = await execute<{ count: number }>(sql, [id, rowsMax])
    return removed?.count ?? 0
  }

  return {
    /** Removes contacts from a deleted segment. Returns how many, 0 at the end. */
    removeOfSegmentAcrossTeams: (segmentId: string, rowsMax: number): Promise<number> => removeSome(OF_SEGMENT, segmentId, rowsMax),

    /** Removes what contacts chose for a deleted topic, and what is remembered of addresses. Returns how many rows, 0 at the end. */
    async removeOfTopicAcrossTeams(topicId: string, rowsMax: number): Promise<number> {
      return (await removeSome(OF_TOPIC, topicId, rowsMax)) + (await removeSome(OPT_OUTS_OF_TOPIC, topicId, rowsMax))
    },

    /** How many contacts a deleted segment of the team still has: at most `max + 1`, and none for another id. */
    async countOfSegment(teamId: string, segmentId: string, max: number): Promise<number> {
      const [left] = await transaction((inside) => inside<{ count: number }>(COUNT_OF_SEGMENT, [teamId, segmentId, max + 1]), {
        plans: 'by index',
      })
      return left?.count ?? 0
    },

    /** Whether rows are left, because locked ones were skipped above. */
    async areLeftAcrossTeams({ segmentId, topicId }: { segmentId?: string; topicId?: string }): Promise<boolean> {
      const [left] = await execute<{ isLeft: boolean }>(LEFT, [segmentId ?? null, topicId ?? null])
      return left?.isLeft ?? false
    },
  }
}

/**
 * Locked rows are skipped, because waiting for one while holding others could block both forever.
 *
 * @param gone the condition that these rows have lost their owner
 */
const removal = (table: string, key: string, id: string, gone: string) => `
with batch as (select ${key} from ${table} where ${id} = $1 and not exists (${gone}) limit $2 for update skip locked),
  removed as (delete from ${table} t using batch where ${key
    .split(', ')
    .map((column) => `t.${column} = batch.${column}`)
    .join(' and ')} returning 1)
select count(*)::int as count from removed`

const OF_SEGMENT = removal('contact_segments', 'segment_id, contact_id', 'segment_id', 'select from segments where id = $1')
const OF_TOPIC = removal('contact_topics', 'topic_id, contact_id', 'topic_id', 'select from topics where id = $1')
const OPT_OUTS_OF_TOPIC = removal('topic_opt_outs', 'team_id, address_hash, topic_id', 'topic_id', 'select from topics where id = $1')

/** Any of its contacts shows the team of the segment: all are of the same one. */
const COUNT_OF_SEGMENT = statement(
  'contacts left in a deleted segment',
  `with one as materialized (select contact_id from contact_segments where segment_id = $2 limit 1),
     ours as materialized (
       select from one join contacts c on c.id = one.contact_id and c.team_id = $1 where not exists (select from segments where team_id = $1 and id = $2))
   select count(*)::int as count from (select from contact_segments where segment_id = $2 and exists (select from ours) limit $3) members`,
)

const LEFT = `
select exists (select from contact_segments where segment_id = $1 and not exists (select from segments where id = $1))
  or exists (select from contact_topics where topic_id = $2 and not exists (select from topics where id = $2))
  or exists (select from topic_opt_outs where topic_id = $2 and not exists (select from topics where id = $2)) as "isLeft"`

export type SegmentSummaryRow = { id: string; name: string; createdAt: Date }
export type ListedSegmentRow = SegmentSummaryRow & { hasFilter: boolean }
export type SegmentRow = SegmentSummaryRow & {
  filter: StoredRule | null
  /** The properties that the filter uses. They are read with it, because a moment later they may be deleted and the filter changed. */
  properties: { number: number; key: string }[]
}

export type SegmentToCount = Pick<SegmentRow, 'id' | 'name' | 'filter'>

/** A filter as it is stored, and the ids of all that it uses. */
export type FilterToStore = { filter: StoredRule; uses: string[] }

/** Absent fields stay; a filter that is null is removed. */
export type SegmentChange = { name?: string; filter?: FilterToStore | null }

/** `gone`: something that the filter uses was deleted meanwhile, or is a segment that now has a filter. */
export type FilterProblem = 'gone' | 'names itself' | 'has contacts' | { usedBy: string }

export function segmentRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock, recordUses }: { clock: Clock; recordUses: RecordUses },
) {
  return {
    async find(teamId: string, id: string): Promise<SegmentRow | null> {
      const [row] = await execute<SegmentRow>(FIND, [teamId, id])
      return row ?? null
    },

    list: (teamId: string, request: PageRequest): Promise<Page<ListedSegmentRow>> =>
      readPage(request, (keyset) => {
        const { orderBy, take } = keyset
        return execute<ListedSegmentRow>(
          `select id, name, created_at as "createdAt", filter is not null as "hasFilter" from segments
            where team_id = $1 and ($2::uuid is null or id ${orderBy.id === 'desc' ? '<' : '>'} $2) order by id ${orderBy.id} limit $3`,
          [teamId, boundOf(keyset), take],
        )
      }),

    /** The newest, with what tells who is in them. */
    async newestToCount(teamId: string, segmentsMax: number): Promise<SegmentToCount[]> {
      const rows = await tables.segment.findMany({
        where: { teamId },
        select: { id: true, name: true, filter: true },
        orderBy: { id: 'desc' },
        take: segmentsMax,
      })
      return rows.map((row) => ({ ...row, filter: stored<StoredRule | null>(row.filter) }))
    },

    /** @throws Failure if the team has as many as it may have, of all or with a filter; FormUsed */
    async create(
      teamId: string,
      { name, filter }: { name: string; filter: FilterToStore | null },
      formId?: string,
    ): Promise<{ id: string; name: string } | FilterProblem> {
      return records(async (record) => {
        await lockTeamWithin(record.execute, teamId, {
          limit: SEGMENT_LIMIT,
          count: () => record.tables.segment.count({ where: { teamId } }),
        })
        if (filter) await refuseMoreFilters(record, teamId)
        if (filter && !(await lockUsed(record.execute, teamId, filter.uses))) return 'gone'
        await useFormIfAny(record, { id: formId, teamId, usedAt: clock.now() })
        const data = { id: createId(clock), teamId, name, ...filterColumns(filter), createdAt: clock.now() }
        return record.tables.segment.create({ data, select: { id: true, name: true } })
      })
    },

    /** Null if the team has no such segment. */
    async updateSegment(teamId: string, id: string, change: SegmentChange): Promise<{ id: string } | FilterProblem | null> {
      return records(async (record) => {
        const { name, filter } = change
        // This also prevents two filters that come to name each other's segments from waiting for each other.
        if (filter) await lockTeam(record.execute, teamId)
        const segment = await lockRow(record.execute, 'segments', teamId, id)
        if (!segment) return null
        const problem = filter ? await filterProblem(record, teamId, { segmentId: segment.id, filter }) : null
        if (problem !== null) return problem
        const data = { ...(name !== undefined && { name }), ...(filter !== undefined && filterColumns(filter)) }
        await record.tables.segment.updateMany({ where: { teamId, id: segment.id }, data })
        return segment
      })
    },

    /** Hides it at once; a job removes its contacts. `usedByFilterOf`: the filter of that segment uses it. */
    async deleteSegment(
      teamId: string,
      id: string,
      { unlessUsed = false } = {},
    ): Promise<Removal | 'unknown' | { usedByFilterOf: string }> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        const locked = await lockRow(executeInside, 'segments', teamId, id)
        const segment = locked && (await inside.segment.findFirst({ where: { teamId, id: locked.id }, select: { id: true, name: true } }))
        if (!segment) return 'unknown'
        const user = await filterThatNames(inside, teamId, segment.id)
        if (user) return { usedByFilterOf: user.usedBy }
        const uses = await recordUses.ofSegment(executeInside, teamId, segment.id)
        if (unlessUsed && uses.length > 0) return { usedBy: usesIn(uses) }
        await inside.segment.deleteMany({ where: { teamId, id: segment.id } })
        await addJob(executeInside, REMOVE_MEMBERS, { segmentId: segment.id })
        const automation = `The segment ${quoted(segment.name)}, to which it adds contacts, was deleted.`
        await recordUses.end(executeInside, teamId, { uses, reasons: { automation, broadcast: SEGMENT_DELETED }, now: clock.now() })
        return { id: segment.id, ended: usesIn(uses) }
      })
    },
  }
}

/** Said of a broadcast that was scheduled. */
const SEGMENT_DELETED =
  'Its segment was deleted before the scheduled time, so it is a draft again. Choose another segment, and schedule it again.'

const FIND = `
select s.id, s.name, s.filter, s.created_at as "createdAt",
  (select coalesce(json_agg(json_build_object('number', p.number, 'key', p.key)), '[]') from contact_properties p where p.id = any(s.filter_uses)) as properties
from segments s where s.team_id = $1 and s.id = $2`

const filterColumns = (filter: FilterToStore | null) =>
  filter ? { filter: filter.filter, filterUses: filter.uses } : { filter: Prisma.DbNull, filterUses: [] }

async function refuseMoreFilters({ tables }: RecordTransaction, teamId: string): Promise<void> {
  const count = await tables.segment.count({ where: { teamId, filter: { not: Prisma.DbNull } } })
  if (count >= FILTER_SEGMENT_LIMIT.max) throw FILTER_SEGMENT_LIMIT.failure()
}

/** Why a segment may not get this filter; null if it may. */
async function filterProblem(
  record: RecordTransaction,
  teamId: string,
  { segmentId, filter }: { segmentId: string; filter: FilterToStore },
): Promise<FilterProblem | null> {
  const { tables, execute } = record
  if (filter.uses.includes(segmentId)) return 'names itself'
  const withFilter = await tables.segment.count({ where: { teamId, id: segmentId, filter: { not: Prisma.DbNull } } })
  if (withFilter === 0) {
    await refuseMoreFilters(record, teamId)
    const user = await filterThatNames(tables, teamId, segmentId)
    if (user) return user
    const member = await tables.contactSegment.findFirst({ where: { segmentId }, select: { segmentId: true } })
    if (member) return 'has contacts'
  }
  return (await lockUsed(execute, teamId, filter.uses)) ? null : 'gone'
}

/** What a filter uses stays until the transaction ends, and afterwards because of the filter. False if something is missing. */
async function lockUsed(execute: Execute, teamId: string, ids: string[]): Promise<boolean> {
  const segments = await lockSegmentsShared(execute, teamId, ids)
  const topics = await lockTopicsShared(execute, teamId, ids)
  const properties = await lockRowsShared(execute, 'contact_properties', teamId, ids)
  return ids.every((id) => segments.get(id)?.hasFilter === false || topics.has(id) || properties.has(id))
}
