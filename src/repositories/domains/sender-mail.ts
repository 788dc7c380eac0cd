// What a team sends from a domain; in SQL, because it narrows down texts before they are read as addresses.
import { idBound } from '../../lib/ids.ts'
import type { Database } from '../database.ts'

/** If a team sent more within the time that is asked about, only its newest emails are looked at. */
const EMAILS_LOOKED_AT_MAX = 100_000
/** Distinct senders, those that name the domain first. */
const SENDERS_MAX = 1_000

export function senderMailRepository({ execute }: Pick<Database, 'execute'>) {
  async function sendersIn(query: string, values: unknown[]): Promise<string[]> {
    return (await execute<{ from: string }>(query, values)).map(({ from }) => from)
  }

  return {
    /** The `from` of scheduled emails that may be from this domain: the caller reads the addresses. */
    scheduledSenders: (teamId: string, domain: string): Promise<string[]> => sendersIn(SCHEDULED, [teamId, domain]),

    /** Returns the senders of emails that were accepted after this time and were neither scheduled nor canceled. */
    sendersSince: (teamId: string, domain: string, since: Date): Promise<string[]> =>
      sendersIn(SINCE, [teamId, domain, idBound(since.getTime() + 1)]),
  }
}

/** A domain in letters of its own script, or with full stops of another one, may be written in many ways. */
const distinctSenders = (emails: string): string => `
select "from" from (
  select distinct "from", strpos(lower("from"), '@' || $2) > 0 as is_named from (${emails}) e
) s where is_named or "from" !~ '^[[:ascii:]]*$'
order by is_named desc limit ${SENDERS_MAX}`

const SCHEDULED = distinctSenders(`select "from" from emails where team_id = $1 and state = 'scheduled'`)

const SINCE = distinctSenders(
  `select "from" from (
    select "from", state from emails where team_id = $1 and id >= $3 order by id desc limit ${EMAILS_LOOKED_AT_MAX}
  ) newest where state = 'queued'`,
)
