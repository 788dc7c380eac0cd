// What the pages of segments show, read for the team of the session.
import type { Context } from '../../context.ts'
import { within } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import type { SegmentRow } from '../../modules/audience/segments/segments.repository.ts'
import { toSegmentFilter } from '../../modules/audience/segments/segments.routes.ts'
import { SEGMENTS } from '../../modules/audience/segments/segments.schema.ts'
import { TOPICS_MAX } from '../../modules/audience/topics/topics.schema.ts'
import { attempt } from '../shell/form-attempt.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { SegmentEditView } from './edit-page.ts'
import { type DraftGroup, type DraftRule, draftOf, isGroup } from './filter-draft.ts'
import { type SubjectGroup, subjectGroups } from './filter-subjects.ts'
import type { SegmentListView } from './list-page.ts'
import type { Removal } from './removal-progress.ts'
import type { SegmentProgress, SegmentView } from './segment-page.ts'

type Place = { after: string | null; before: string | null }

/** The newest segments are offered in filters. */
const SEGMENTS_OFFERED_MAX = 100
/** Older segments that a filter names are shown by their name; beyond these, by their id. */
const OLDER_NAMED_MAX = 50

/** How many of a deleted segment's contacts are counted: some hundredths of a second, again and again. */
const LEFT_COUNTED_MAX = 50_000

/** Most segments are read and counted by then. The page of a large one shows the rest when it is there. */
const WAITED_MS = 100

export const EMPTY_DRAFT: DraftGroup = { kind: 'all', rules: [] }

export function segmentViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { audienceBroadcasts, contactProperties, orphanedMembers, segments, segmentMembers, teams, topics } = repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the segment of another team. */
  async function find(teamId: string, id: string): Promise<SegmentRow> {
    const segment = isId(id) ? await segments.find(teamId, id.toLowerCase()) : null
    if (!segment) throw notFound(SEGMENTS.noun)
    return segment
  }

  /** What a filter can test, and what this one tests. */
  async function subjects(teamId: string, draft: DraftGroup): Promise<SubjectGroup[]> {
    const [properties, known, newest] = await Promise.all([
      contactProperties.all(teamId),
      topics.list(teamId, { limit: TOPICS_MAX, after: null, before: null }),
      segments.newestToCount(teamId, SEGMENTS_OFFERED_MAX),
    ])
    const offered = newest.filter(({ filter }) => filter === null)
    const older = [...segmentsIn(draft)].filter((id) => isId(id) && !offered.some((one) => one.id === id)).slice(0, OLDER_NAMED_MAX)
    const named = await Promise.all(older.map((id) => segments.find(teamId, id)))
    return subjectGroups({ properties, topics: known.rows, segments: [...offered, ...named.filter((one) => one !== null)] })
  }

  /** Nothing is left if the id is not that of a deleted segment of the team. */
  async function removal(teamId: string, id: string): Promise<Removal> {
    const segmentId = id.toLowerCase()
    const counted = isId(id) ? await orphanedMembers.countOfSegment(teamId, segmentId, LEFT_COUNTED_MAX) : 0
    return { segmentId, left: Math.min(counted, LEFT_COUNTED_MAX), isMore: counted > LEFT_COUNTED_MAX }
  }

  async function membersOf(teamId: string, segment: SegmentRow, place: Place): Promise<NonNullable<SegmentProgress['members']>> {
    const read = await attempt(() => segmentMembers.list(teamId, segment, { limit: LINES_PER_PAGE, ...place }))
    return 'done' in read ? { page: read.done } : { sentence: read.problem.sentence }
  }

  async function countOf(teamId: string, segment: SegmentRow): Promise<NonNullable<SegmentProgress['counted']>> {
    const counted = await attempt(() => segmentMembers.countSoon(teamId, segment))
    return 'done' in counted ? counted.done : { sentence: counted.problem.sentence }
  }

  return {
    teamName,
    find,

    async list(teamId: string, { after, before, removed }: Place & { removed: string | null }): Promise<SegmentListView> {
      const page = await segments.list(teamId, { limit: LINES_PER_PAGE, after, before })
      const removing = removed === null ? null : await removal(teamId, removed)
      return { teamName: await teamName(teamId), now: clock.now(), page, after: after ?? before, removal: removing, note: '' }
    },

    removal,

    /** `waits`: for its contacts and their count. Otherwise the page has what is there soon. */
    async segment(
      teamId: string,
      id: string,
      { after, before, waits }: Place & { waits: boolean },
    ): Promise<SegmentView & { isFirst: boolean }> {
      const segment = await find(teamId, id)
      const draft = segment.filter && draftOf(toSegmentFilter(segment.filter, segment.properties))
      const soon = <Result>(work: Promise<Result>): Promise<Result | null> => (waits ? work : within(WAITED_MS, work, () => null))
      const [members, counted, broadcasts] = await Promise.all([
        soon(membersOf(teamId, segment, { after, before })),
        soon(countOf(teamId, segment)),
        audienceBroadcasts.ofSegment(teamId, segment.id),
      ])
      return {
        ...{ teamName: await teamName(teamId), now: clock.now(), segment, broadcasts, after, before, note: '' },
        filter: draft && { draft, groups: await subjects(teamId, draft) },
        // Nothing is newer than a page that was read backward and has no more.
        isFirst: members !== null && 'page' in members && !members.page.hasMore,
        progress: { members: before === null ? members : withOlder(members), counted },
      }
    },

    async edit(teamId: string, segment: SegmentRow | null, written: { name: string; draft: DraftGroup } | null): Promise<SegmentEditView> {
      const stored = segment?.filter ? draftOf(toSegmentFilter(segment.filter, segment.properties)) : EMPTY_DRAFT
      const { name, draft } = written ?? { name: segment?.name ?? '', draft: stored }
      return {
        teamName: await teamName(teamId),
        segment: segment && { id: segment.id, hasFilter: segment.filter !== null },
        formId: createId(clock),
        ...{ name, draft, groups: await subjects(teamId, draft), counted: null, problem: null },
      }
    },
  }
}

/** Read backward, a page has older contacts after it. */
const withOlder = (members: SegmentProgress['members']): SegmentProgress['members'] =>
  members !== null && 'page' in members ? { page: { ...members.page, hasMore: true } } : members

/** Ids of the segments that a draft names. */
function segmentsIn(draft: DraftRule): Set<string> {
  if (isGroup(draft)) return new Set(draft.rules.flatMap((rule) => [...segmentsIn(rule)]))
  return new Set(draft.subject.startsWith('segment:') ? [draft.subject.slice('segment:'.length)] : [])
}
