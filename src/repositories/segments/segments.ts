import type { StoredRule } from '../../lib/audience/segment-rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { REMOVE_MEMBERS } from '../../schemas/jobs.ts'
import { filterThatNames } from '../contacts/audience-references.ts'
import type { Database, Execute } from '../database.ts'
import { addJob } from '../jobs.ts'
import { lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'

export type SegmentSummaryRow = { id: string; name: string; createdAt: Date }
export type SegmentRow = SegmentSummaryRow & {
  filter: StoredRule | null
  /** Those that the filter names, read with it: a moment later they may be gone, and the filter another. */
  properties: { number: number; key: string }[]
}

export type SegmentToCount = Pick<SegmentRow, 'id' | 'name' | 'filter'>

/** A filter as it is stored, and the ids of all that it names. */
export type FilterToStore = { filter: StoredRule; uses: string[] }

/** What is not in it stays; a filter that is null goes. */
export type SegmentChange = { name?: string; filter?: FilterToStore | null }

export type SegmentLimits = { segmentsMax: number; filterSegmentsMax: number }

/** `gone`: what the filter names was deleted meanwhile, or is a segment that finds its contacts by itself now. */
export type FilterProblem = 'full of filters' | 'gone' | 'names itself' | 'has contacts' | { usedBy: string }

export function segmentRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    async find(teamId: string, id: string): Promise<SegmentRow | null> {
      const [row] = await execute<SegmentRow>(FIND, [teamId, id])
      return row ?? null
    },

    list: (teamId: string, request: PageRequest): Promise<Page<SegmentSummaryRow>> =>
      readPage(request, ({ where, ...rest }) =>
        tables.segment.findMany({ where: { teamId, ...where }, select: { id: true, name: true, createdAt: true }, ...rest }),
      ),

    /** The newest, with what tells who is in them. */
    newestToCount: (teamId: string, segmentsMax: number): Promise<SegmentToCount[]> =>
      execute<SegmentToCount>('select id, name, filter from segments where team_id = $1 order by id desc limit $2', [teamId, segmentsMax]),

    /** `full`: the team has as many segments as it may have. */
    async create(
      teamId: string,
      { name, filter }: { name: string; filter: FilterToStore | null },
      limits: SegmentLimits,
    ): Promise<{ id: string; name: string } | 'full' | FilterProblem> {
      return transaction(async (inside) => {
        await lockTeam(inside, teamId)
        const count = await countSegments(inside, teamId)
        if (count.all >= limits.segmentsMax) return 'full'
        if (filter && count.withFilter >= limits.filterSegmentsMax) return 'full of filters'
        if (filter && !(await lockUsed(inside, teamId, filter.uses))) return 'gone'
        const id = createId(clock)
        await inside('insert into segments (id, team_id, name, filter, filter_uses, created_at) values ($1, $2, $3, $4::jsonb, $5, $6)', [
          id,
          teamId,
          name,
          filter && JSON.stringify(filter.filter),
          filter?.uses ?? [],
          clock.now(),
        ])
        return { id, name }
      })
    },

    /** Null: the team has no such segment. */
    async update(teamId: string, id: string, change: SegmentChange, limits: SegmentLimits): Promise<{ id: string } | FilterProblem | null> {
      return transaction(async (inside) => {
        // Also so that two filters that come to name each other's segments do not wait for each other.
        if (change.filter) await lockTeam(inside, teamId)
        const segment = await lockSegment(inside, teamId, id)
        if (!segment) return null
        const problem = change.filter ? await filterProblem(inside, teamId, { segment, filter: change.filter, limits }) : null
        if (problem !== null) return problem
        if (change.name !== undefined)
          await inside('update segments set name = $3 where team_id = $1 and id = $2', [teamId, segment.id, change.name])
        if (change.filter !== undefined)
          await inside('update segments set filter = $3::jsonb, filter_uses = $4 where team_id = $1 and id = $2', [
            teamId,
            segment.id,
            change.filter && JSON.stringify(change.filter.filter),
            change.filter?.uses ?? [],
          ])
        return { id: segment.id }
      })
    },

    /** It is out of sight at once; a job takes its contacts out. `usedBy`: the filter of that segment names it. */
    async remove(teamId: string, id: string): Promise<'removed' | 'unknown' | { usedBy: string }> {
      return transaction(async (inside) => {
        const segment = await lockSegment(inside, teamId, id)
        if (!segment) return 'unknown'
        const user = await filterThatNames(inside, teamId, segment.id)
        if (user) return user
        await inside('delete from segments where team_id = $1 and id = $2', [teamId, segment.id])
        await addJob(inside, REMOVE_MEMBERS, { segmentId: segment.id })
        return 'removed'
      })
    },
  }
}

const FIND = `
select s.id, s.name, s.filter, s.created_at as "createdAt",
  (select coalesce(json_agg(json_build_object('number', p.number, 'key', p.key)), '[]') from contact_properties p where p.id = any(s.filter_uses)) as properties
from segments s where s.team_id = $1 and s.id = $2`

type LockedSegment = { id: string; hasFilter: boolean }

/** Nobody puts a contact into it, or names it in a filter, until the transaction ends. */
async function lockSegment(execute: Execute, teamId: string, id: string): Promise<LockedSegment | null> {
  const [row] = await execute<LockedSegment>(
    'select id, filter is not null as "hasFilter" from segments where team_id = $1 and id = $2 for update',
    [teamId, id],
  )
  return row ?? null
}

async function countSegments(execute: Execute, teamId: string): Promise<{ all: number; withFilter: number }> {
  const [count] = await execute<{ all: number; withFilter: number }>(
    'select count(*)::int as "all", count(filter)::int as "withFilter" from segments where team_id = $1',
    [teamId],
  )
  return count ?? { all: 0, withFilter: 0 }
}

/** Why a segment may not get this filter; null when it may. */
async function filterProblem(
  execute: Execute,
  teamId: string,
  { segment, filter, limits }: { segment: LockedSegment; filter: FilterToStore; limits: SegmentLimits },
): Promise<FilterProblem | null> {
  if (filter.uses.includes(segment.id)) return 'names itself'
  if (!segment.hasFilter) {
    if ((await countSegments(execute, teamId)).withFilter >= limits.filterSegmentsMax) return 'full of filters'
    const user = await filterThatNames(execute, teamId, segment.id)
    if (user) return user
    const members = await execute('select from contact_segments where segment_id = $1 limit 1', [segment.id])
    if (members.length > 0) return 'has contacts'
  }
  return (await lockUsed(execute, teamId, filter.uses)) ? null : 'gone'
}

/** What a filter names stays until the transaction ends, and after it because of the filter. False when something is gone. */
async function lockUsed(execute: Execute, teamId: string, ids: string[]): Promise<boolean> {
  const found = new Set<string>()
  for (const table of ['segments', 'topics', 'contact_properties']) {
    const isFit = table === 'segments' ? 'and filter is null' : ''
    const rows = await execute<{ id: string }>(
      `select id from ${table} where team_id = $1 and id = any($2::uuid[]) ${isFit} order by id for key share`,
      [teamId, ids],
    )
    for (const { id } of rows) found.add(id)
  }
  return ids.every((id) => found.has(id))
}
