// Segments; in SQL only where they are read together with the filter that names them, in one snapshot.
import { Prisma } from '../../generated/prisma/client.ts'
import type { StoredRule } from '../../lib/audience/segment-rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { quoted, type Removal, usesIn } from '../../lib/uses.ts'
import { REMOVE_MEMBERS } from '../../schemas/jobs.ts'
import { stored } from '../columns.ts'
import { lockSegmentsShared, lockTopicsShared } from '../contacts/audience-references.ts'
import { filterThatNames } from '../contacts/filter-references.ts'
import type { Database, Execute, RecordTransaction } from '../database.ts'
import { endUses, usesOfSegment } from '../ended-uses.ts'
import { addJob } from '../jobs.ts'
import { lockRow, lockRowsShared, lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { useFormIfAny } from '../used-forms.ts'

export type SegmentSummaryRow = { id: string; name: string; createdAt: Date }
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

export type SegmentLimits = { segmentsMax: number; filterSegmentsMax: number }

/** `gone`: something that the filter uses was deleted meanwhile, or is a segment that now has a filter. */
export type FilterProblem = 'full of filters' | 'gone' | 'names itself' | 'has contacts' | { usedBy: string }

const summary = { id: true, name: true, createdAt: true } as const

export function segmentRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock }: { clock: Clock },
) {
  return {
    async find(teamId: string, id: string): Promise<SegmentRow | null> {
      const [row] = await execute<SegmentRow>(FIND, [teamId, id])
      return row ?? null
    },

    list: (teamId: string, request: PageRequest): Promise<Page<SegmentSummaryRow>> =>
      readPage(request, ({ where, ...rest }) => tables.segment.findMany({ where: { teamId, ...where }, select: summary, ...rest })),

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

    /** `full`: the team has as many segments as it may have. */
    async create(
      teamId: string,
      { name, filter }: { name: string; filter: FilterToStore | null },
      limits: SegmentLimits,
      formId?: string,
    ): Promise<{ id: string; name: string } | 'full' | FilterProblem> {
      return records(async (record) => {
        await lockTeam(record.execute, teamId)
        const count = await countSegments(record, teamId)
        if (count.all >= limits.segmentsMax) return 'full'
        if (filter && count.withFilter >= limits.filterSegmentsMax) return 'full of filters'
        if (filter && !(await lockUsed(record.execute, teamId, filter.uses))) return 'gone'
        await useFormIfAny(record, { id: formId, teamId, usedAt: clock.now() })
        const data = { id: createId(clock), teamId, name, ...columnsOf(filter), createdAt: clock.now() }
        return record.tables.segment.create({ data, select: { id: true, name: true } })
      })
    },

    /** Null if the team has no such segment. */
    async update(teamId: string, id: string, change: SegmentChange, limits: SegmentLimits): Promise<{ id: string } | FilterProblem | null> {
      return records(async (record) => {
        const { name, filter } = change
        // This also prevents two filters that come to name each other's segments from waiting for each other.
        if (filter) await lockTeam(record.execute, teamId)
        const segment = await lockRow(record.execute, 'segments', teamId, id)
        if (!segment) return null
        const problem = filter ? await filterProblem(record, teamId, { segmentId: segment.id, filter, limits }) : null
        if (problem !== null) return problem
        const data = { ...(name !== undefined && { name }), ...(filter !== undefined && columnsOf(filter)) }
        await record.tables.segment.updateMany({ where: { teamId, id: segment.id }, data })
        return segment
      })
    },

    /** Hides it at once; a job removes its contacts. `usedByFilterOf`: the filter of that segment uses it. */
    async remove(teamId: string, id: string, { unlessUsed = false } = {}): Promise<Removal | 'unknown' | { usedByFilterOf: string }> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        const locked = await lockRow(executeInside, 'segments', teamId, id)
        const segment = locked && (await inside.segment.findFirst({ where: { teamId, id: locked.id }, select: { id: true, name: true } }))
        if (!segment) return 'unknown'
        const user = await filterThatNames(inside, teamId, segment.id)
        if (user) return { usedByFilterOf: user.usedBy }
        const uses = await usesOfSegment(executeInside, teamId, segment.id)
        if (unlessUsed && uses.length > 0) return { usedBy: usesIn(uses) }
        await inside.segment.deleteMany({ where: { teamId, id: segment.id } })
        await addJob(executeInside, REMOVE_MEMBERS, { segmentId: segment.id })
        const automation = `The segment ${quoted(segment.name)}, to which it adds contacts, was deleted.`
        await endUses(executeInside, teamId, { uses, reasons: { automation, broadcast: SEGMENT_DELETED }, now: clock.now() })
        return { id: segment.id, ended: usesIn(uses) }
      })
    },
  }
}

/** Said of a broadcast that was scheduled. */
const SEGMENT_DELETED = 'Its segment was deleted before its time, so it is a draft again. Choose another segment, and schedule it again.'

const FIND = `
select s.id, s.name, s.filter, s.created_at as "createdAt",
  (select coalesce(json_agg(json_build_object('number', p.number, 'key', p.key)), '[]') from contact_properties p where p.id = any(s.filter_uses)) as properties
from segments s where s.team_id = $1 and s.id = $2`

const columnsOf = (filter: FilterToStore | null) =>
  filter ? { filter: filter.filter, filterUses: filter.uses } : { filter: Prisma.DbNull, filterUses: [] }

async function countSegments({ tables }: RecordTransaction, teamId: string): Promise<{ all: number; withFilter: number }> {
  const { _all, filter } = await tables.segment.count({ where: { teamId }, select: { _all: true, filter: true } })
  return { all: _all, withFilter: filter }
}

/** Why a segment may not get this filter; null if it may. */
async function filterProblem(
  record: RecordTransaction,
  teamId: string,
  { segmentId, filter, limits }: { segmentId: string; filter: FilterToStore; limits: SegmentLimits },
): Promise<FilterProblem | null> {
  const { tables, execute } = record
  if (filter.uses.includes(segmentId)) return 'names itself'
  const withFilter = await tables.segment.count({ where: { teamId, id: segmentId, filter: { not: Prisma.DbNull } } })
  if (withFilter === 0) {
    if ((await countSegments(record, teamId)).withFilter >= limits.filterSegmentsMax) return 'full of filters'
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
