// What sending needs to know of the domain of a sender; in SQL, because each part of the queue asks, and again while the team has no such domain.
import { returnPathHost } from '../../lib/domains/wanted-records.ts'
import { type Database, statement } from '../database.ts'

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

export function sendingDomainRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async find(teamId: string, name: string): Promise<SendingDomain | null> {
      const [domain] = await execute<Row>(FIND, [teamId, name])
      if (!domain) return null
      return {
        id: domain.id,
        requiresTls: domain.tls === 'enforced',
        // These records are the same for every team, so another team's domain of the same name has them too.
        returnPathHost: domain.ownsName && domain.hasReturnPath ? returnPathHost(domain) : null,
        tracking: domain.ownsName ? trackingOf(domain) : null,
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

const trackingOf = ({ trackingHost: host, openTracking: opens, clickTracking: clicks }: Row): SendingDomain['tracking'] =>
  host !== null && (opens || clicks) ? { host, opens, clicks } : null
