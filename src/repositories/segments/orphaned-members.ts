// Removes what is left of a deleted segment or topic, in small steps; in SQL, because each step passes over locked rows. It is hidden already. For
// workers, but for the count, which people see.
import { type Database, statement } from '../database.ts'

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
