// Segments, topics and properties that a request names; in SQL, because Prisma has no locks. They must exist when it is carried out, and stay until
// it is done. Every transaction that locks several things of an audience uses this order, so that no two wait for each other: the team; an
// import; segments, topics and properties, each by their ids; opt-outs; contacts, by their addresses. A change of a contact keeps properties last,
// which does no harm: it only prevents their deletion, and a transaction that deletes one waits for nothing after that.
import type { Execute, RecordTransaction } from '../../db/database.ts'
import { lockRowsShared } from '../../db/transactions.ts'

/** Which of the given ids is not one of the team, by its position. A segment with a filter finds its members by itself. */
export type ReferenceProblem = { problem: 'unknown segment' | 'unknown topic' | 'segment with a filter'; index: number }

export async function checkAudienceReferences(
  execute: Execute,
  teamId: string,
  { segmentIds, topics }: { segmentIds: string[]; topics: { id: string }[] },
): Promise<ReferenceProblem | null> {
  const segments = await lockSegmentsShared(execute, teamId, segmentIds)
  for (const [index, id] of segmentIds.entries()) {
    const found = segments.get(id.toLowerCase())
    if (!found) return { problem: 'unknown segment', index }
    if (found.hasFilter) return { problem: 'segment with a filter', index }
  }
  const found = await lockTopicsShared(
    execute,
    teamId,
    topics.map(({ id }) => id),
  )
  const index = topics.findIndex(({ id }) => !found.has(id.toLowerCase()))
  return index >= 0 ? { problem: 'unknown topic', index } : null
}

/** Which of these ids are segments of the team. They stay until the transaction ends. */
export async function lockSegmentsShared(execute: Execute, teamId: string, ids: string[]): Promise<Map<string, { hasFilter: boolean }>> {
  if (ids.length === 0) return new Map()
  const rows = await execute<{ id: string; hasFilter: boolean }>(
    'select id, filter is not null as "hasFilter" from segments where team_id = $1 and id = any($2::uuid[]) order by id for key share',
    [teamId, ids],
  )
  return new Map(rows.map(({ id, hasFilter }) => [id, { hasFilter }]))
}

/** Which of these ids are topics of the team. They stay until the transaction ends. */
export const lockTopicsShared = (execute: Execute, teamId: string, ids: string[]): Promise<Set<string>> =>
  lockRowsShared(execute, 'topics', teamId, ids)

/** The values whose property still exists, by its number. The property stays. */
export async function valuesOfProperties<Value>(
  execute: Execute,
  teamId: string,
  values: Record<string, Value>,
): Promise<Record<string, Value>> {
  const found = await lockPropertiesShared(execute, teamId, Object.keys(values).map(Number))
  return Object.fromEntries(Object.entries(values).filter(([number]) => found.has(Number(number))))
}

/**
 * Which of these numbers are properties of the team. They stay until the transaction ends: a transaction that deletes one waits, and then finds the
 * values to remove with it.
 */
export async function lockPropertiesShared(execute: Execute, teamId: string, numbers: number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const rows = await execute<{ number: number }>(
    'select number from contact_properties where team_id = $1 and number = any($2::int[]) order by id for key share',
    [teamId, numbers],
  )
  return new Set(rows.map(({ number }) => number))
}

// Segments, topics and properties that a filter names. They must not change their kind as long as that filter exists.

/** The oldest segment whose filter names this segment, topic or property. */
export async function filterThatNames(tables: RecordTransaction['tables'], teamId: string, id: string): Promise<{ usedBy: string } | null> {
  const user = await tables.segment.findFirst({
    where: { teamId, filterUses: { has: id } },
    select: { name: true },
    orderBy: { id: 'asc' },
  })
  return user && { usedBy: user.name }
}
