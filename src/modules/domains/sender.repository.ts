// What sending needs to know of the domain of a sender; in SQL, because each part of the queue asks, and again while the team has no such domain.
import { type Database, statement } from '../../db/database.ts'
import { idBound } from '../../lib/ids.ts'
import { returnPathHost } from './records/wanted-records.ts'
import { trackedOf } from './tracked.ts'

// What a team sends from a domain; in SQL, because it narrows down texts before they are read as addresses.

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

export type SendingDomain = {
  id: string
  /** Mail from it is sent over TLS only. */
  requiresTls: boolean
  /** Where its bounces return. Null unless its owner has published the records for that. */
  returnPathHost: string | null
  /** Through which host its mail is tracked, and what. Null if nothing is. */
  tracking: { host: string; opens: boolean; clicks: boolean } | null
}

type Row = {
  id: string
  name: string
  tls: string
  returnPath: string
  ownsName: boolean
  hasReturnPath: boolean
  trackingHost: string | null
  openTracking: boolean
  clickTracking: boolean
}

export function sendingDomainRepository({ execute, tables }: Pick<Database, 'execute' | 'tables'>) {
  return {
    /** The team that sends mail from the domain, which it has verified; null if none has. For mail of the installation: it crosses teams. */
    async ownerAcrossTeams(name: string): Promise<string | null> {
      return (await tables.domain.findFirst({ where: { name, ownsName: true, canSend: true }, select: { teamId: true } }))?.teamId ?? null
    },

    async find(teamId: string, name: string): Promise<SendingDomain | null> {
      const [domain] = await execute<Row>(FIND, [teamId, name])
      if (!domain) return null
      return {
        id: domain.id,
        requiresTls: domain.tls === 'enforced',
        // These records are the same for every team, so another team's domain of the same name has them too.
        returnPathHost: domain.ownsName && domain.hasReturnPath ? returnPathHost(domain) : null,
        tracking: trackedOf(domain),
      }
    },
  }
}

// A record that is missed counts for as long as the domain is used because of it.
const FIND = statement(
  'find sending domain',
  `
select id, name, tls, return_path as "returnPath", owns_name as "ownsName",
  tracking_host as "trackingHost", open_tracking as "openTracking", click_tracking as "clickTracking",
  2 = (
    select count(*) from domain_records r
    where r.domain_id = d.id and r.kind in ('ReturnPathMX', 'SPF') and r.status in ('verified', 'temporary_failure')
  ) as "hasReturnPath"
from domains d where team_id = $1 and name = $2`,
)

// The verified domains of the whole installation; in SQL, because the state of a record, which is another table, decides their order.

export type VerifiedDomain = { name: string; root: string }
export type UnprovenDomain = { name: string; teamId: string; until: Date }

export function verifiedDomainRepository({ execute, tables }: Pick<Database, 'execute' | 'tables'>) {
  return {
    /** Lists domains that receive by their MX record alone, the first to end first. For operators only: it crosses teams. */
    async listUnprovenAcrossTeams(limit: number): Promise<UnprovenDomain[]> {
      const rows = await tables.domain.findMany({
        where: { ownsName: true, receivingUnprovenUntil: { not: null } },
        select: { name: true, teamId: true, receivingUnprovenUntil: true },
        orderBy: [{ receivingUnprovenUntil: 'asc' }, { id: 'asc' }],
        take: limit,
      })
      return rows.flatMap(({ receivingUnprovenUntil: until, ...row }) => (until === null ? [] : [{ ...row, until }]))
    },

    /** Lists domains without a seen DMARC record first, the newest first. For operators only: it crosses teams. */
    async listAcrossTeams(limit: number): Promise<VerifiedDomain[]> {
      return execute<VerifiedDomain>(LIST, [limit])
    },
  }
}

const LIST = `
select domains.name, domains.root
from domains left join domain_records dmarc on dmarc.domain_id = domains.id and dmarc.kind = 'DMARC'
where domains.can_send
order by (dmarc.status is not distinct from 'verified'), domains.id desc
limit $1`
