// What teams have received, a row for each quarter of an hour; in SQL, because each is added to as messages are stored.
import { type Database, statement } from '../../db/database.ts'

export type ReceivedAmount = { messages: number; bytes: number }

/** Rows that one statement removes. */
const REMOVED_AT_ONCE = 5_000

export function receivedAmountRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** What came since then, in buckets that began since then. Deleted emails count. Reads at most 96 rows for each day. */
    async since(teamId: string, since: Date): Promise<ReceivedAmount> {
      const [row] = await execute<ReceivedAmount>(SINCE, [teamId, since])
      return row ?? { messages: 0, bytes: 0 }
    },

    /** Some of those before `before`. Returns how many. */
    async removeBeforeAcrossTeams(before: Date): Promise<number> {
      return (await execute(REMOVE_OLD, [before])).length
    },
  }
}

/** A part of a statement whose `received` has rows of new emails. It adds in the order of the key, so that two of them never wait for each other. */
export const ADD_AMOUNTS = `insert into received_amounts as a (team_id, bucket, messages, bytes)
  select team_id, date_bin('15 minutes', created_at, timestamptz 'epoch') as bucket, count(*), sum(bytes) from received group by 1, 2 order by 1, 2
  on conflict (team_id, bucket) do update set messages = a.messages + excluded.messages, bytes = a.bytes + excluded.bytes`

const SINCE = statement(
  'amounts received since',
  `select coalesce(sum(messages), 0)::float8 as messages, coalesce(sum(bytes), 0)::float8 as bytes
from received_amounts where team_id = $1 and bucket >= $2`,
)

const REMOVE_OLD = statement(
  'remove old amounts received',
  `delete from received_amounts where ctid = any(array(
  select ctid from received_amounts where bucket < $1 limit ${REMOVED_AT_ONCE} for update skip locked
)) returning bucket`,
)

export function receivingDomainRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /**
     * The team whose mail comes to this domain, a lower-case A-label: it owns the name, receives, and its MX record was seen. A record that is missed
     * counts for as long as it is looked for. Crosses teams: mail names none.
     */
    async teamOfAcrossTeams(name: string): Promise<string | null> {
      const domain = await tables.domain.findFirst({
        where: { name, ownsName: true, receiving: true },
        select: { id: true, teamId: true },
      })
      if (domain === null) return null
      const where = { domainId: domain.id, kind: 'Receiving', status: { in: ['verified', 'temporary_failure'] } }
      return (await tables.domainRecord.count({ where })) > 0 ? domain.teamId : null
    },
  }
}

// How much waits to be read, and from whom; in SQL, because a message to several recipients has one content. Crosses teams: for the SMTP server.

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
