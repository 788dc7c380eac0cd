// Looks up what a filter names, before it is stored.
import { oneOf, SUBSCRIPTIONS } from '../columns.ts'
import type { Database } from '../database.ts'

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
