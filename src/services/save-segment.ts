// Creates, changes and deletes segments, under either of their names.
import type { Context } from '../context.ts'
import { assertNever } from '../lib/assert-never.ts'
import { invalid } from '../lib/failure.ts'
import { inUse, type Uses, usesIn } from '../lib/uses.ts'
import type { FilterProblem, FilterToStore, SegmentChange } from '../repositories/segments/segments.ts'
import { FILTER_SEGMENTS_MAX, SEGMENTS_MAX } from '../schemas/segments.ts'

type Dependencies = Pick<Context, 'repositories'>

const LIMITS = { segmentsMax: SEGMENTS_MAX, filterSegmentsMax: FILTER_SEGMENTS_MAX }

/** @throws Failure about a limit, or about something that the filter uses and that no longer exists; FormUsed */
export async function createSegment(
  { repositories }: Dependencies,
  teamId: string,
  segment: { name: string; filter: FilterToStore | null },
  formId?: string,
): Promise<{ id: string; name: string }> {
  const created = await repositories.segments.create(teamId, segment, LIMITS, formId)
  if (created === 'full') throw invalid(`A team can have at most ${SEGMENTS_MAX.toLocaleString('en')} segments. Delete one first.`)
  if (typeof created === 'string' || 'usedBy' in created) throw invalid(filterSentence(created))
  return created
}

/** @returns null if the team has no such segment */
export async function changeSegment(
  { repositories }: Dependencies,
  teamId: string,
  { id, change }: { id: string; change: SegmentChange },
): Promise<{ id: string } | null> {
  const changed = await repositories.segments.update(teamId, id, change, LIMITS)
  if (typeof changed === 'string' || (changed !== null && 'usedBy' in changed)) throw invalid(filterSentence(changed))
  return changed
}

/**
 * A segment that does not exist counts as deleted.
 * Returns what could not go on without it.
 * @throws Failure if the filter of another segment uses it, or, with `unlessUsed`, an automation or a scheduled broadcast
 */
export async function removeSegment(
  { repositories }: Dependencies,
  teamId: string,
  id: string,
  { unlessUsed = false } = {},
): Promise<Uses> {
  const result = await repositories.segments.remove(teamId, id, { unlessUsed })
  if (result === 'unknown') return usesIn([])
  if ('usedByFilterOf' in result)
    throw invalid(`This segment is used by the filter of the segment \`${result.usedByFilterOf}\`. Change that filter first.`)
  if ('usedBy' in result) throw inUse('segment', result.usedBy)
  return result.ended
}

function filterSentence(problem: FilterProblem): string {
  if (typeof problem !== 'string')
    return `This segment cannot get a filter, because the filter of the segment \`${problem.usedBy}\` names it. Change that filter first.`
  switch (problem) {
    case 'full of filters':
      return `A team can have at most ${FILTER_SEGMENTS_MAX} segments with a filter. Delete one, or take its filter away, first.`
    case 'gone':
      return 'The `filter` field names something that was changed or deleted a moment ago. Look at what it names, and try again.'
    case 'names itself':
      return 'The `filter` field must not name the segment that it is the filter of.'
    case 'has contacts':
      return 'This segment has contacts that were put into it, and one with a filter finds its contacts by itself. Take them out first, or create another segment.'
    default:
      return assertNever(problem)
  }
}
