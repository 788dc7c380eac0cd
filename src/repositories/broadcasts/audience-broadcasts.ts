// The newest broadcasts to a segment or about a topic; in SQL, because Prisma cannot say by which index they are found.
import type { BroadcastStatus } from '../../lib/broadcast-states.ts'
import { type Database, type Statement, statement } from '../database.ts'
import type { Page } from '../page.ts'

export type AudienceBroadcastRow = { id: string; name: string; status: BroadcastStatus; statusReason: string | null }

/** On the page of a segment or a topic. */
const SHOWN_MAX = 10

export function audienceBroadcastRepository({ transaction }: Pick<Database, 'transaction'>) {
  async function newest(sql: Statement, teamId: string, id: string): Promise<Page<AudienceBroadcastRow>> {
    const rows = await transaction((inside) => inside<AudienceBroadcastRow>(sql, [teamId, id]), { plans: 'by index' })
    return { rows: rows.slice(0, SHOWN_MAX), hasMore: rows.length > SHOWN_MAX }
  }

  return {
    ofSegment: (teamId: string, segmentId: string): Promise<Page<AudienceBroadcastRow>> => newest(OF_SEGMENT, teamId, segmentId),
    ofTopic: (teamId: string, topicId: string): Promise<Page<AudienceBroadcastRow>> => newest(OF_TOPIC, teamId, topicId),
  }
}

/** A range instead of an equality, because only the index of that column has the order. The others hold all broadcasts of the team, or of all teams. */
const newestBy = (column: 'segment_id' | 'topic_id'): Statement =>
  statement(
    `broadcasts by ${column}`,
    `select id, name, status, status_reason as "statusReason" from broadcasts where team_id = $1 and ${column} >= $2 and ${column} <= $2 order by ${column}, id desc limit ${SHOWN_MAX + 1}`,
  )

const OF_SEGMENT = newestBy('segment_id')
const OF_TOPIC = newestBy('topic_id')
