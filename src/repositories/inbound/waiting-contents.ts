// How much waits to be read, and from whom; in SQL, because a message to several recipients has one content. Crosses teams: for the SMTP server.
import { type Database, statement } from '../database.ts'

export type WaitingContents = { peer: string; messages: number; bytes: number }

export function waitingContentRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Counts by peer. Messages beyond the oldest `limit` are not counted. */
    countAcrossTeams: (limit: number): Promise<WaitingContents[]> => execute<WaitingContents>(COUNT, [limit]),
  }
}

/** The rows of a message follow each other. Its content may be counted again if another process stored a message in between. */
const COUNT = statement(
  'count waiting contents',
  `
select peer, count(*)::float8 as messages, coalesce(sum(bytes) filter (where is_first), 0)::float8 as bytes
from (
  select peer, bytes, lag(blob_key) over (order by id) is distinct from blob_key as is_first
  from (select id, peer, bytes, blob_key from inbound_messages where state = 'waiting' order by id limit $1) as oldest
  union all
  select peer, bytes, true from (select peer, bytes from received_emails where state = 'waiting' order by id limit $1) as received
) as contents group by peer`,
)
