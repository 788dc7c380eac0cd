// Removes what is left of a deleted segment or topic, in small steps; in SQL, because each step passes over locked rows. It is hidden already.
// For workers.
import type { Database } from '../database.ts'

export function orphanedMemberRepository({ execute }: Pick<Database, 'execute'>) {
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
with bite as (select ${key} from ${table} where ${id} = $1 and not exists (${gone}) limit $2 for update skip locked),
  removed as (delete from ${table} t using bite where ${key
    .split(', ')
    .map((column) => `t.${column} = bite.${column}`)
    .join(' and ')} returning 1)
select count(*)::int as count from removed`

const OF_SEGMENT = removal('contact_segments', 'segment_id, contact_id', 'segment_id', 'select from segments where id = $1')
const OF_TOPIC = removal('contact_topics', 'topic_id, contact_id', 'topic_id', 'select from topics where id = $1')
const OPT_OUTS_OF_TOPIC = removal('topic_opt_outs', 'team_id, address_hash, topic_id', 'topic_id', 'select from topics where id = $1')

const LEFT = `
select exists (select from contact_segments where segment_id = $1 and not exists (select from segments where id = $1))
  or exists (select from contact_topics where topic_id = $2 and not exists (select from topics where id = $2))
  or exists (select from topic_opt_outs where topic_id = $2 and not exists (select from topics where id = $2)) as "isLeft"`
